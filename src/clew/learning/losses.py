"""Losses over padded candidate lists.

Shapes: I items (one step of one path each), C candidates.
"""

from __future__ import annotations

import torch
from torch import Tensor


def info_nce(logits: Tensor, positive: Tensor, real: Tensor, *, others: bool = False) -> Tensor:
    """Contrastive loss (SCR, Eq. 10): minus the log of the positives' share of the softmax, averaged over items.

    Args:
        logits: (I, C) similarity over temperature.
        positive: (I, C) True at the right candidates, at least one per item.
        real: (I, C) False at padding.
        others: False: every positive is a target of its own and the other positives are its negatives, as the paper
            has it. True: the positives compete as one (the log of their summed share), so that a step with several
            right continuations is not pulled apart.
    """
    logits = logits.float().masked_fill(~real, -torch.inf)
    whole = torch.logsumexp(logits, 1)
    if others:
        return (whole - torch.logsumexp(logits.masked_fill(~positive, -torch.inf), 1)).mean()
    share = positive.float() / positive.sum(1, keepdim=True)
    return (whole - (share * logits.masked_fill(~positive, 0.0)).sum(1)).mean()
