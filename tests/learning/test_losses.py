"""InfoNCE against the formula written out."""

from __future__ import annotations

import math

import torch

from clew.learning.losses import info_nce


def test_one_positive_is_the_papers_equation() -> None:
    logits = torch.tensor([[2.0, 1.0, 0.0, 9.0]])
    positive = torch.tensor([[True, False, False, False]])
    real = torch.tensor([[True, True, True, False]])
    expected = -math.log(math.exp(2) / (math.exp(2) + math.exp(1) + 1))
    assert math.isclose(float(info_nce(logits, positive, real)), expected, rel_tol=1e-5)
    assert math.isclose(float(info_nce(logits, positive, real, others=True)), expected, rel_tol=1e-5)


def test_two_positives_pull_apart_or_compete_as_one() -> None:
    logits = torch.tensor([[2.0, 1.0, 0.0]])
    positive, real = torch.tensor([[True, True, False]]), torch.ones(1, 3, dtype=torch.bool)
    total = sum(map(math.exp, (2, 1, 0)))
    apart = -(math.log(math.exp(2) / total) + math.log(math.exp(1) / total)) / 2
    assert math.isclose(float(info_nce(logits, positive, real)), apart, rel_tol=1e-5)
    assert math.isclose(
        float(info_nce(logits, positive, real, others=True)),
        -math.log((math.exp(2) + math.exp(1)) / total),
        rel_tol=1e-5,
    )


def test_padding_gets_no_gradient() -> None:
    logits = torch.zeros(2, 3, requires_grad=True)
    positive = torch.tensor([[True, False, False], [False, True, False]])
    real = torch.tensor([[True, True, False], [True, True, True]])
    info_nce(logits, positive, real).backward()
    assert logits.grad is not None and float(logits.grad[0, 2]) == 0.0 and torch.isfinite(logits.grad).all()
