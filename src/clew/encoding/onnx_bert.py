"""A BERT in ONNX Runtime: what answers a question without importing torch.

No exported model is needed: the graph of operators is written here from the shape of the BERT (18 kB for six layers, in
3 ms), in the protobuf encoding of the ONNX format, and its weights are those of model.safetensors. Tokens of all texts
stand one after the other, so that padding costs nothing in the matrix products; only attention sees a padded batch.
The rows of the word embeddings are gathered outside, from the mapped file, so that the table is never read whole.

Measured against torch and numpy in benchmarks/encoder.py.

Shapes: B texts of a batch, T their tokens together, S tokens of the longest, D width.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from clew.encoding.bert import BertShape, Floats, Ints, bert_weights

MOST_THREADS = 16  # more only wait for each other in matrices of this size
FLOAT, INT64 = 1, 7  # TensorProto.DataType


class OnnxBert:
    """A `BertEngine` in ONNX Runtime, float32, on the processor. Safe between threads.

    Uses as many threads as OMP_NUM_THREADS says, else as the process may use processors. Idle threads sleep instead of
    spinning: on a busy machine spinning threads are what makes a short text slow.

    Args:
        changed: weights that stand in for the folder's own, by the names of `bert_weights`.
    """

    tokens_per_batch = 1024  # the activations then stay in the cache

    def __init__(self, folder: Path, shape: BertShape, changed: Mapping[str, Floats] | None = None):
        weights = {**bert_weights(folder, shape), **(changed or {})}
        self._shape = shape
        self._word = weights.pop("embeddings.word_embeddings.weight")
        self.vocabulary = len(self._word)
        types = weights.pop("embeddings.token_type_embeddings.weight")
        self._position: Floats = weights.pop("embeddings.position_embeddings.weight") + types[0]
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = _threads(), 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.enable_cpu_mem_arena = False  # it would keep the memory of the largest batch
        options.log_severity_level = 3
        # The session reads the values during its construction; `values` keeps them alive until then.
        values = [onnxruntime.OrtValue.ortvalue_from_numpy(array) for array in weights.values()]
        options.add_external_initializers(list(weights), values)
        graph = bert_graph(shape, {name: array.shape for name, array in weights.items()})
        self._session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
        self._values = values

    def vectors(self, tokens: Ints, lengths: Ints) -> Floats:
        """See `BertEngine`."""
        states = self.states(tokens, lengths)
        starts = np.cumsum(lengths) - lengths
        # The length of a sum has no part in its direction, so the mean needs no division.
        pooled = states[starts] if self._shape.pooling == "cls" else np.add.reduceat(states, starts, axis=0)
        result: Floats = pooled / np.maximum(np.linalg.norm(pooled, axis=1, keepdims=True), 1e-12)
        return result

    def states(self, tokens: Ints, lengths: Ints, added: Floats | None = None) -> Floats:
        """See `BertEngine`. `added` (T, D) is added to what the tokens and their places are embedded as."""
        starts, place = np.cumsum(lengths) - lengths, np.arange(int(lengths.max()))
        real = place < lengths[:, None]  # (B, S)
        x = self._word[tokens] + self._position[np.broadcast_to(place, real.shape)[real]]
        feed = {
            "x": x if added is None else x + added,
            "pad": np.where(real, starts[:, None] + place, starts[:, None]),
            "unpad": np.flatnonzero(real),
            "mask": np.where(real, np.float32(0), np.float32(-1e9))[:, None, None, :],
        }
        states: Floats = self._session.run(None, feed)[0]
        return states


def _threads() -> int:
    told = os.environ.get("OMP_NUM_THREADS", "")
    if told.isdecimal() and int(told) > 0:
        return int(told)
    ours = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(ours, MOST_THREADS)


def bert_graph(shape: BertShape, weights: Mapping[str, tuple[int, ...]]) -> bytes:
    """An ONNX model (opset 20) of a BERT after its embeddings, whose initializers lie outside.

    Inputs: x (T, D) float32 sums of embeddings before their norm; pad (B, S) int64, the row of x at each place of the
    padded batch; unpad (T,) int64, the places of the padded batch that are no padding; mask (B, 1, 1, S) float32, added
    to the attention. Output: (T, D) float32.

    Args:
        weights: shape of each initializer by name, as `bert_weights` names them without the embedding tables.
    """
    graph = _Graph(weights)
    d = shape.width // shape.heads
    graph.constant("by head", np.array([0, 0, shape.heads, d], np.int64))
    graph.constant("flat", np.array([-1, shape.width], np.int64))
    graph.constant("scale", np.array(d**-0.5, np.float32))
    x = graph.norm("x", "embeddings.LayerNorm", shape.epsilon)
    for i in range(shape.layers):
        layer = f"encoder.layer.{i}."
        q, k, v = (_heads(graph, graph.linear(x, f"{layer}attention.self.{n}")) for n in ("query", "key", "value"))
        q, v = (graph.node("Transpose", [y], perm=[0, 2, 1, 3]) for y in (q, v))
        k = graph.node("Transpose", [k], perm=[0, 2, 3, 1])
        scores = graph.node("Add", [graph.node("Mul", [graph.node("MatMul", [q, k]), "scale"]), "mask"])
        mixed = graph.node("MatMul", [graph.node("Softmax", [scores], axis=-1), v])
        mixed = graph.node("Reshape", [graph.node("Transpose", [mixed], perm=[0, 2, 1, 3]), "flat"])
        mixed = graph.linear(graph.node("Gather", [mixed, "unpad"], axis=0), f"{layer}attention.output.dense")
        x = graph.norm(graph.node("Add", [mixed, x]), f"{layer}attention.output.LayerNorm", shape.epsilon)
        y = _activation(graph, graph.linear(x, f"{layer}intermediate.dense"), shape.activation)
        y = graph.linear(y, f"{layer}output.dense")
        x = graph.norm(graph.node("Add", [y, x]), f"{layer}output.LayerNorm", shape.epsilon)
    t: tuple[str | int, ...] = ("T", shape.width)
    inputs = [("x", FLOAT, t), ("pad", INT64, ("B", "S")), ("unpad", INT64, ("T",)), ("mask", FLOAT, ("B", 1, 1, "S"))]
    return graph.model(inputs, (x, FLOAT, t))


def _heads(graph: _Graph, x: str) -> str:
    """(T, D) to (B, S, heads, D / heads)."""
    return graph.node("Reshape", [graph.node("Gather", [x, "pad"], axis=0), "by head"])


def _activation(graph: _Graph, x: str, name: str) -> str:
    if name == "relu":
        return graph.node("Relu", [x])
    return graph.node("Gelu", [x], approximate="tanh" if name == "gelu_new" else "none")


class _Graph:
    """Nodes of an ONNX graph in the protobuf encoding (onnx.proto3: NodeProto, TensorProto, GraphProto)."""

    def __init__(self, weights: Mapping[str, tuple[int, ...]]):
        self._nodes: list[bytes] = []
        place = _field(1, "location") + _field(2, "outside")  # data_location EXTERNAL; the session is given the values
        self._initializers = [
            _tensor(name, FLOAT, shape) + _field(13, place) + _field(14, 1) for name, shape in weights.items()
        ]

    def constant(self, name: str, value: NDArray[np.float32] | NDArray[np.int64]) -> None:
        kind = FLOAT if value.dtype == np.float32 else INT64
        self._initializers.append(_tensor(name, kind, value.shape) + _field(9, value.tobytes()))

    def node(self, kind: str, inputs: Iterable[str], **attributes: int | float | str | list[int]) -> str:
        """The name of the node's only output."""
        output = str(len(self._nodes))
        parts = [*(_field(1, name) for name in inputs), _field(2, output), _field(4, kind)]
        parts += [_field(5, _attribute(name, value)) for name, value in attributes.items()]
        self._nodes.append(b"".join(parts))
        return output

    def linear(self, x: str, name: str) -> str:
        return self.node("Gemm", [x, f"{name}.weight", f"{name}.bias"], transB=1)

    def norm(self, x: str, name: str, epsilon: float) -> str:
        return self.node("LayerNormalization", [x, f"{name}.weight", f"{name}.bias"], axis=-1, epsilon=epsilon)

    def model(
        self, inputs: Iterable[tuple[str, int, tuple[str | int, ...]]], output: tuple[str, int, tuple[str | int, ...]]
    ) -> bytes:
        parts = [*(_field(1, node) for node in self._nodes), _field(2, "bert")]
        parts += [*(_field(5, tensor) for tensor in self._initializers), *(_field(11, _value(*i)) for i in inputs)]
        graph = b"".join([*parts, _field(12, _value(*output))])
        return _field(1, 9) + _field(8, _field(1, "") + _field(2, 20)) + _field(7, graph)  # IR 9, opset 20


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
