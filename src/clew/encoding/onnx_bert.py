"""A BERT in ONNX Runtime: what answers a question without importing torch.

No exported model is needed: the graph of operators is written here from the shape of the BERT (18 kB for six layers, in
3 ms), in the protobuf encoding of the ONNX format, and its weights are those of model.safetensors. Tokens of all texts
stand one after the other, so that padding costs nothing in the matrix products; only attention sees a padded batch.
The rows of the word embeddings are gathered outside, from the mapped file, so that the table is never read whole.

Measured against torch and numpy in benchmarks/encoder.py.

A network that only judges (`JudgingBert`) has its matrices in seven bits, a third of the time. Their columns are first
evened out by what the norm before them lets through, after Xiao et al. 2023, "SmoothQuant". Seven bits and not eight:
processors without VNNI add two products in 16 bits, where with seven no sum overflows.

Shapes: B texts of a batch, T their tokens together, S tokens of the longest, D width.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from clew.encoding.bert import BertShape, Floats, Ints, bert_weights

MOST_THREADS = 16  # more only wait for each other in matrices of this size
FLOAT, INT8, INT64 = 1, 3, 7  # TensorProto.DataType
KINDS = {np.dtype(np.float32): FLOAT, np.dtype(np.int8): INT8, np.dtype(np.int64): INT64}
MICROSOFT = "com.microsoft"  # operators that every ONNX Runtime has besides those of the standard
LEVELS = 63  # of a weight in seven bits, to either side of zero


class _OnnxSession:
    """The graph of a BERT in ONNX Runtime, float32 in and out, on the processor. Safe between threads.

    Uses as many threads as OMP_NUM_THREADS says, else as the process may use processors. Idle threads sleep instead of
    spinning: on a busy machine spinning threads are what makes a short text slow.
    """

    tokens_per_batch = 1024  # the activations then stay in the cache

    def __init__(self, shape: BertShape, weights: Mapping[str, Floats], *, judging: bool = False):
        inner = dict(weights)
        self._shape = shape
        self._word = inner.pop("embeddings.word_embeddings.weight")
        self.vocabulary = len(self._word)
        types = inner.pop("embeddings.token_type_embeddings.weight")
        self._position: Floats = inner.pop("embeddings.position_embeddings.weight") + types[0]
        given = in_seven_bits(inner, shape) if judging else inner
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = _threads(), 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_cpu_mem_arena = False  # it would keep the memory of the largest batch
        options.log_severity_level = 3
        # The session reads the values during its construction; `values` keeps them alive until then.
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in given.values()]
        options.add_external_initializers(list(given), values)
        graph = bert_graph(shape, given, judging=judging)
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._values = values

    def _run(self, tokens: Ints, lengths: Ints, **more: Floats | Ints) -> Floats:
        """What the graph gives. `more`: its inputs beside those that follow from the tokens; "added" is added to x."""
        starts, place = np.cumsum(lengths) - lengths, np.arange(int(lengths.max()))
        real = place < lengths[:, None]  # (B, S)
        feed = {
            "x": self._word[tokens] + self._position[np.broadcast_to(place, real.shape)[real]] + more.pop("added", 0),
            "pad": np.where(real, starts[:, None] + place, starts[:, None]),
            "unpad": np.flatnonzero(real),
            "mask": np.where(real, np.float32(0), np.float32(-1e9))[:, None, None, :],
        }
        result: Floats = self._session.run(None, feed | more)[0]
        return result


class OnnxBert(_OnnxSession):
    """A `BertEngine` of the float32 weights in a folder."""

    def __init__(self, folder: Path, shape: BertShape):
        super().__init__(shape, bert_weights(folder, shape))

    def vectors(self, tokens: Ints, lengths: Ints) -> Floats:
        """See `BertEngine`."""
        states = self.states(tokens, lengths)
        starts = np.cumsum(lengths) - lengths
        # The length of a sum has no part in its direction, so the mean needs no division.
        pooled = states[starts] if self._shape.pooling == "cls" else np.add.reduceat(states, starts, axis=0)
        result: Floats = pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        return result

    def states(self, tokens: Ints, lengths: Ints) -> Floats:
        """See `BertEngine`."""
        return self._run(tokens, lengths)


class JudgingBert(_OnnxSession):
    """A BERT of which only the state of each text's first token is read, its matrices in seven bits.

    Args:
        changed: weights that stand in for the folder's own, by the names of `bert_weights`.
    """

    def __init__(self, folder: Path, shape: BertShape, changed: Mapping[str, Floats]):
        super().__init__(shape, {**bert_weights(folder, shape), **changed}, judging=True)

    def firsts(self, tokens: Ints, lengths: Ints, added: Floats) -> Floats:
        """(B, D) states of the first token of each text, (T, D) `added` to what tokens and places are embedded as."""
        return self._run(tokens, lengths, added=added, first=np.cumsum(lengths) - lengths)


def in_seven_bits(weights: Mapping[str, Floats], shape: BertShape) -> dict[str, NDArray[Any]]:
    """Weights with each matrix `name.weight` (out, in) as `name.levels` (in, out) int8 and `name.level` (out,).

    `norm.even` (in,), of each norm before a matrix, is what its output is multiplied by, and the matrix divided.
    """
    made: dict[str, NDArray[Any]] = dict(weights)
    for i in range(shape.layers):
        layer = f"encoder.layer.{i}."
        before = f"encoder.layer.{i - 1}.output.LayerNorm" if i else "embeddings.LayerNorm"
        between = f"{layer}attention.output.LayerNorm"
        for norm in (before, between):
            # The norm itself lets hardly anything through beyond two standard deviations.
            wide = np.abs(weights[f"{norm}.bias"]) + 2 * np.abs(weights[f"{norm}.weight"])
            made[f"{norm}.even"] = 1 / np.maximum(wide, np.float32(1e-3))
        after = {f"{layer}attention.self.{part}": before for part in ("query", "key", "value")}
        after |= {f"{layer}intermediate.dense": between}
        for name in (*after, f"{layer}attention.output.dense", f"{layer}output.dense"):
            matrix = made.pop(f"{name}.weight")
            matrix = matrix / made[f"{after[name]}.even"] if name in after else matrix
            level = np.maximum(np.abs(matrix).max(axis=1), np.float32(1e-9)) / LEVELS
            made[f"{name}.levels"] = np.ascontiguousarray(np.rint(matrix / level[:, None]).astype(np.int8).T)
            made[f"{name}.level"] = level
    return made


def _threads() -> int:
    told = os.environ.get("OMP_NUM_THREADS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    ours = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(ours, MOST_THREADS)


def bert_graph(shape: BertShape, weights: Mapping[str, NDArray[Any]], *, judging: bool = False) -> bytes:
    """An ONNX model (opset 20) of a BERT after its embeddings, whose initializers lie outside.

    Inputs: x (T, D) float32 sums of embeddings before their norm; pad (B, S) int64, the row of x at each place of the
    padded batch; unpad (T,) int64, the places of the padded batch that are no padding; mask (B, 1, 1, S) float32, added
    to the attention. Output: (T, D) float32.

    Args:
        weights: as `bert_weights` names them without the embedding tables; for `judging` those of `in_seven_bits`.
        judging: there is a further input first (B,) int64, the row of x at which each text begins, and the output is
            (B, D) float32, the states there; the last layer computes no others.
    """
    graph = _Graph(weights)
    d = shape.width // shape.heads
    graph.constant("by head", np.array([0, 0, shape.heads, d], np.int64))
    graph.constant("flat", np.array([-1, shape.width], np.int64))
    graph.constant("scale", np.array(d**-0.5, np.float32))
    graph.constant("last", np.array([-1], np.int64))
    graph.constant("least", np.array(1e-9, np.float32))
    graph.constant("column", np.array([-1, 1], np.int64))
    x, seen = graph.norm("x", "embeddings.LayerNorm", shape.epsilon)
    for i in range(shape.layers):
        layer = f"encoder.layer.{i}."
        pads, unpad = ["pad"] * 3, "unpad"
        if judging and i == shape.layers - 1:
            x, pads[0], unpad = (
                graph.node("Gather", [x, "first"], axis=0),
                graph.node("Reshape", ["first", "column"]),
                "",
            )
        q, k, v = (
            _heads(graph, graph.linear(seen, f"{layer}attention.self.{n}"), pad)
            for n, pad in zip(("query", "key", "value"), pads, strict=True)
        )
        q, v = (graph.node("Transpose", [y], perm=[0, 2, 1, 3]) for y in (q, v))
        k = graph.node("Transpose", [k], perm=[0, 2, 3, 1])
        scores = graph.node("Add", [graph.node("Mul", [graph.node("MatMul", [q, k]), "scale"]), "mask"])
        mixed = graph.node("MatMul", [graph.node("Softmax", [scores], axis=-1), v])
        mixed = graph.node("Reshape", [graph.node("Transpose", [mixed], perm=[0, 2, 1, 3]), "flat"])
        mixed = graph.node("Gather", [mixed, unpad], axis=0) if unpad else mixed
        mixed = graph.linear(mixed, f"{layer}attention.output.dense")
        x, seen = graph.norm(graph.node("Add", [mixed, x]), f"{layer}attention.output.LayerNorm", shape.epsilon)
        y = _activation(graph, graph.linear(seen, f"{layer}intermediate.dense"), shape.activation)
        y = graph.linear(y, f"{layer}output.dense", by_row=True)
        x, seen = graph.norm(graph.node("Add", [y, x]), f"{layer}output.LayerNorm", shape.epsilon)
    t: tuple[str | int, ...] = ("T", shape.width)
    inputs = [("x", FLOAT, t), ("pad", INT64, ("B", "S")), ("unpad", INT64, ("T",)), ("mask", FLOAT, ("B", 1, 1, "S"))]
    if judging:
        inputs.append(("first", INT64, ("B",)))
    return graph.model(inputs, (x, FLOAT, ("B", shape.width) if judging else t))


def _heads(graph: _Graph, x: str, pad: str) -> str:
    """(T, D) to (B, S, heads, D / heads)."""
    return graph.node("Reshape", [graph.node("Gather", [x, pad], axis=0), "by head"])


def _activation(graph: _Graph, x: str, name: str) -> str:
    if name == "relu":
        return graph.node("Relu", [x])
    return graph.node("Gelu", [x], approximate="tanh" if name == "gelu_new" else "none")


class _Graph:
    """Nodes of an ONNX graph in the protobuf encoding (onnx.proto3: NodeProto, TensorProto, GraphProto)."""

    def __init__(self, weights: Mapping[str, NDArray[Any]]):
        self._nodes: list[bytes] = []
        self._outside = frozenset(weights)
        place = _field(1, "location") + _field(2, "outside")  # data_location EXTERNAL; the session is given the values
        self._initializers = [
            _tensor(name, KINDS[each.dtype], each.shape) + _field(13, place) + _field(14, 1)
            for name, each in weights.items()
        ]

    def constant(self, name: str, value: NDArray[np.float32] | NDArray[np.int64]) -> None:
        self._initializers.append(_tensor(name, KINDS[value.dtype], value.shape) + _field(9, value.tobytes()))

    def node(
        self, kind: str, inputs: Iterable[str], domain: str = "", **attributes: int | float | str | list[int]
    ) -> str:
        """The name of the node's only output."""
        output = str(len(self._nodes))
        parts = [*(_field(1, name) for name in inputs), _field(2, output), _field(4, kind), _field(7, domain)]
        parts += [_field(5, _attribute(name, value)) for name, value in attributes.items()]
        self._nodes.append(b"".join(parts))
        return output

    def linear(self, x: str, name: str, *, by_row: bool = False) -> str:
        """A linear layer. `by_row`: its input differs in size from row to row, which seven bits must be told."""
        if f"{name}.levels" not in self._outside:
            return self.node("Gemm", [x, f"{name}.weight", f"{name}.bias"], transB=1)
        matrix = [f"{name}.levels", f"{name}.level"]
        if not by_row:
            return self.node("DynamicQuantizeMatMul", [x, *matrix, "", f"{name}.bias"], MICROSOFT)
        size = self.node("Max", [self.node("ReduceMax", [self.node("Abs", [x]), "last"], keepdims=1), "least"])
        y = self.node("DynamicQuantizeMatMul", [self.node("Div", [x, size]), *matrix], MICROSOFT)
        return self.node("Add", [self.node("Mul", [y, size]), f"{name}.bias"])

    def norm(self, x: str, name: str, epsilon: float) -> tuple[str, str]:
        """The normalised x, and as the next matrices are given it."""
        parts = [x, f"{name}.weight", f"{name}.bias"]
        y = self.node("LayerNormalization", parts, axis=-1, epsilon=epsilon)
        return y, self.node("Mul", [y, f"{name}.even"]) if f"{name}.even" in self._outside else y

    def model(
        self, inputs: Iterable[tuple[str, int, tuple[str | int, ...]]], output: tuple[str, int, tuple[str | int, ...]]
    ) -> bytes:
        parts = [*(_field(1, node) for node in self._nodes), _field(2, "bert")]
        parts += [*(_field(5, tensor) for tensor in self._initializers), *(_field(11, _value(*i)) for i in inputs)]
        graph = b"".join([*parts, _field(12, _value(*output))])
        sets = [_field(8, _field(1, domain) + _field(2, number)) for domain, number in (("", 20), (MICROSOFT, 1))]
        return b"".join([_field(1, 9), *sets, _field(7, graph)])  # IR 9


def _tensor(name: str, kind: int, shape: Iterable[int]) -> bytes:
    return b"".join(_field(1, size) for size in shape) + _field(2, kind) + _field(8, name)


def _attribute(name: str, value: int | float | str | list[int]) -> bytes:
    if isinstance(value, int):
        return _field(1, name) + _field(3, value) + _field(20, 2)
    if isinstance(value, float):
        return _field(1, name) + _field(2, value) + _field(20, 1)
    if isinstance(value, str):
        return _field(1, name) + _field(4, value) + _field(20, 3)
    return _field(1, name) + b"".join(_field(8, number) for number in value) + _field(20, 7)


def _value(name: str, kind: int, shape: Iterable[str | int]) -> bytes:
    """A ValueInfoProto; a size given by name may vary."""
    sizes = b"".join(_field(1, _field(1 if isinstance(size, int) else 2, size)) for size in shape)
    return _field(1, name) + _field(2, _field(1, _field(1, kind) + _field(2, sizes)))


def _field(number: int, value: int | float | str | bytes) -> bytes:
    """One field of a protobuf message: int as varint, float as 32 bits, text and bytes with their length."""
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value & (1 << 64) - 1)
    if isinstance(value, float):
        return _varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
