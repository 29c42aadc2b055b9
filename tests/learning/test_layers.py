"""The sparse products against the obvious edge-by-edge version, forward and backward."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.learning.layers import (
    Edges,
    RelationalAttention,
    RelationalConvolution,
    _by_relation,
    aggregate,
    reference_aggregate,
    softmax_by_receiver,
)


def edges_of(n: int, triples: int, relations: int, seed: int) -> Edges:
    rng = np.random.default_rng(seed)
    heads, tails = rng.integers(0, n, triples), rng.integers(0, n, triples)
    return Edges.from_triples(heads, rng.integers(0, relations, triples), tails, n, relations)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 12), triples=st.integers(0, 40), relations=st.integers(1, 4), seed=st.integers(0, 999))
def test_aggregate_equals_adding_edge_by_edge(n: int, triples: int, relations: int, seed: int) -> None:
    edges = edges_of(n, triples, relations, seed)
    torch.manual_seed(seed)
    weights = torch.rand(2 * triples, dtype=torch.float64, requires_grad=True)
    features = torch.randn(n, 3, dtype=torch.float64, requires_grad=True)
    fast, slow = aggregate(weights, features, edges), reference_aggregate(weights, features, edges)
    torch.testing.assert_close(fast, slow)
    if triples:
        grad = torch.randn_like(fast)
        for mine, theirs in zip(
            torch.autograd.grad(fast, (weights, features), grad),
            torch.autograd.grad(slow, (weights, features), grad),
            strict=True,
        ):
            torch.testing.assert_close(mine, theirs)


def test_gradients_agree_with_finite_differences() -> None:
    edges = edges_of(5, 9, 2, 1)
    weights = torch.rand(18, dtype=torch.float64, requires_grad=True)
    features = torch.randn(5, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda w, x: aggregate(w, x, edges), (weights, features))
    table = torch.randn(4, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda w, t: _by_relation(w, t, edges), (weights, table))


def test_relation_sums_equal_adding_edge_by_edge() -> None:
    edges = edges_of(7, 30, 3, 2)
    weights, table = torch.rand(60), torch.randn(6, 4)
    slow = torch.zeros(7, 4).index_add(0, edges.receivers, weights[:, None] * table[edges.codes])
    torch.testing.assert_close(_by_relation(weights, table, edges), slow)


def test_softmax_sums_to_one_per_receiver_even_for_huge_logits() -> None:
    edges = edges_of(6, 20, 2, 3)
    weights = softmax_by_receiver(torch.randn(40) * 500, edges)
    sums = torch.zeros(6).index_add(0, edges.receivers, weights)
    assert torch.isfinite(weights).all()
    torch.testing.assert_close(sums[edges.offsets.diff() > 0], torch.ones(int((edges.offsets.diff() > 0).sum())))


def slow_attention(layer: RelationalAttention, x: torch.Tensor, edges: Edges, relations: torch.Tensor) -> torch.Tensor:
    """Equations 3 to 5 as they are printed, one entity after the other (one head, shared residual)."""
    a = torch.cat([layer.to_receiver[0], layer.to_sender[0]])
    w = layer.entity.weight
    rows = []
    for e in range(len(x)):
        span = range(int(edges.offsets[e]), int(edges.offsets[e + 1]))
        total = w @ x[e]
        if span:
            beta = torch.stack(
                [
                    a @ torch.cat([w @ x[e], w @ x[edges.senders[t]]])
                    + layer.to_relation[0] @ (layer.relation.weight @ relations[edges.codes[t] % edges.num_relations])
                    for t in span
                ]
            )
            alpha = torch.softmax(torch.nn.functional.leaky_relu(beta, 0.2), 0)
            total = total + sum(alpha[i] * (w @ x[edges.senders[t]]) for i, t in enumerate(span))
        rows.append(torch.nn.functional.elu(total))
    return torch.stack(rows)


def test_attention_is_the_papers_equations() -> None:
    torch.manual_seed(0)
    edges = edges_of(8, 25, 3, 4)
    layer = RelationalAttention(5, 4, 6)
    x, relations = torch.randn(8, 5), torch.randn(3, 6)
    torch.testing.assert_close(layer(x, edges, relations), slow_attention(layer, x, edges, relations))


@pytest.mark.parametrize("message_relation", [False, True])
def test_every_parameter_is_trained(message_relation: bool) -> None:
    torch.manual_seed(0)
    edges = edges_of(8, 25, 3, 5)
    layer = RelationalAttention(5, 4, 6, message_relation=message_relation)
    layer(torch.randn(8, 5), edges, torch.randn(3, 6)).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in layer.parameters())


def test_convolution_is_a_mean_per_relation() -> None:
    torch.manual_seed(0)
    edges = edges_of(6, 20, 2, 6)
    layer = RelationalConvolution(3, 4, 2, bases=2)
    x = torch.randn(6, 3)
    matrices = torch.einsum("cb,bij->cij", layer.mix, torch.stack([b.weight for b in layer.bases]))  # type: ignore[misc]
    rows = []
    for e in range(6):
        total = layer.own.weight @ x[e]
        span = range(int(edges.offsets[e]), int(edges.offsets[e + 1]))
        for code in range(4):
            same = [t for t in span if int(edges.codes[t]) == code]
            for t in same:
                total = total + matrices[code] @ x[edges.senders[t]] / len(same)
        rows.append(torch.nn.functional.elu(total))
    torch.testing.assert_close(layer(x, edges, torch.empty(2, 0)), torch.stack(rows))
