"""A tiny decoder with random weights, made once: decoding is tested on a real model, not on its quality."""

from __future__ import annotations

from pathlib import Path

import pytest

TEXTS = [
    "Paris is the capital of France -> borders -> Germany | located in",
    '{"city": "Berlin", "answers": ["Lyon", "Nice"]} born in works for',
    "Who wrote the book that won the prize? office held by Ada Example 1 2 3",
]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint folder."""
    import torch
    from transformers import AutoModelForCausalLM

    from clew.learning.scratch import create_decoder

    folder = tmp_path_factory.mktemp("decoder") / "tiny"
    create_decoder(folder, TEXTS, size="tiny", seed=1)
    model = AutoModelForCausalLM.from_pretrained(folder)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():  # fresh weights are so small that the model repeats its last token: nothing could go wrong
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.normal_(std=0.3, generator=generator)
    model.save_pretrained(folder)
    return folder
