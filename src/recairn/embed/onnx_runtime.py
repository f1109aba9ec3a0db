"""onnxruntime, where it is installed: starting a model on it, and writing our own encoder for it.

A BERT-shaped encoder is written as an ONNX graph. No package is needed for it: an ONNX file is one
message of protocol buffers, and of those this writes the few kinds it takes. So the weights of our
own reranker run on onnxruntime where that is installed, in bytes, and nothing is downloaded for it.
Operations of Microsoft's own set are those that onnxruntime would make of several others anyway.
"""

from __future__ import annotations

from recairn.core.errors import ModelFailed, ModelMissing
from recairn.core.record import Row
from recairn.embed.encoder import useful_threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from recairn.embed.encoder import Shape

    Kind = tuple[str, int]

EXTRA_HINT = "pip install 'recairn[onnx]'"
# Only errors: onnxruntime has a lot to say about models that other people exported.
_ERRORS = 3
_IR_VERSION, _OPSET = 9, 20
MICROSOFT = "com.microsoft"
EPSILON = 1e-12
# Numbers of the element types.
TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
# Numbers of the kinds of attributes.
_FLOAT, _INT = 1, 2


def has_onnxruntime() -> bool:
    from importlib.util import find_spec

    return find_spec("onnxruntime") is not None


def started(model: bytes | str, *, threads: int = 0) -> Any:
    """A session of the model, given as its content or its path; 0 threads: a few of the cores.

    Raises ModelMissing without onnxruntime, ModelFailed for what it cannot run.
    """
    try:
        import onnxruntime
    except ImportError:
        raise ModelMissing("this model needs onnxruntime", EXTRA_HINT) from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or useful_threads()
    options.inter_op_num_threads = 1
    options.log_severity_level = _ERRORS
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # its exceptions have no base of their own
        what = model if isinstance(model, str) else "the model"
        raise ModelFailed(f"onnxruntime cannot run {what}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return (str(error).split("\n") or [type(error).__name__])[0]


class Quantised(Row):
    """A matrix in signed bytes with a scale for each row, as a file keeps it."""

    codes: Any
    scales: Any

    @property
    def shape(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.codes.shape
        return shape


class Graph:
    """Nodes and constants, added one by one; names of results are made here."""

    def __init__(self, np: Any) -> None:
        self.np = np
        self._nodes: list[bytes] = []
        self._constants: dict[str, list[bytes]] = {}

    def constant(self, name: str, value: Any) -> str:
        array = self.np.ascontiguousarray(value)
        head = b"".join(_number(1, size) for size in array.shape)
        head += _number(2, TYPES[array.dtype.name]) + _text(8, name)
        content = array.tobytes()
        head += _varint(9 << 3 | 2) + _varint(len(content))
        length = _varint(5 << 3 | 2) + _varint(len(head) + len(content))
        self._constants[name] = [length, head, content]
        return name

    def node(
        self, operator: str, inputs: Sequence[str], domain: str = "", **attributes: float
    ) -> str:
        """Adds an operation; the name of its result. Its attributes are numbers."""
        result = f"{operator}_{len(self._nodes)}"
        content = b"".join(_text(1, name) for name in inputs) + _text(2, result)
        content += _text(4, operator)
        content += b"".join(_block(5, _attribute(*attribute)) for attribute in attributes.items())
        self._nodes.append(content + (_text(7, domain) if domain else b""))
        return result

    def end(self, result: str, name: str) -> None:
        """Makes a result an output of that name."""
        self._nodes.append(_text(1, result) + _text(2, name) + _text(4, "Identity"))

    def model(self, inputs: Mapping[str, Kind], outputs: Mapping[str, Kind]) -> bytes:
        """The file; of inputs and outputs it says the type and how many dimensions they have."""
        parts = [_block(1, node) for node in self._nodes]
        parts.append(_text(2, "encoder"))
        for constant in self._constants.values():
            parts += constant
        parts += [_block(11, _value(*entry)) for entry in inputs.items()]
        parts += [_block(12, _value(*output)) for output in outputs.items()]
        sets = _block(8, _text(1, "") + _number(2, _OPSET))
        sets += _block(8, _text(1, MICROSOFT) + _number(2, 1))
        length = _varint(7 << 3 | 2) + _varint(sum(map(len, parts)))
        head = _number(1, _IR_VERSION) + _text(2, "recairn") + length
        return b"".join([head, *parts, sets])


def layers_graph(
    np: Any, tensors: Mapping[str, Any], shape: Shape, *, first: bool = False
) -> bytes:
    """An ONNX model from a text's vectors of words and places, `embedded`, to its token states, or
    to those of its first token alone.

    Tensors are named as BERT's are. Matrices may be `Quantised`; then they are multiplied as bytes.
    """
    graph = Graph(np)
    states = "embedded"
    for layer in range(shape.layers):
        wanted = states
        if first and layer == shape.layers - 1:
            bounds = [graph.constant(f"first.{at}", np.array([at])) for at in (0, 1)]
            wanted = graph.node("Slice", [states, *bounds, bounds[1]])
        place = (f"encoder.layer.{layer}", states, wanted, ())
        states = add_layer(graph, tensors, place, shape)
    graph.end(states, "states")
    return graph.model({"embedded": ("float32", 3)}, {"states": ("float32", 3)})


def add_layer(
    graph: Graph, tensors: Mapping[str, Any], at: tuple[str, str, str, Sequence[str]], shape: Shape
) -> str:
    """One transformer layer; the name of its result.

    `at` names its tensors, the states that come in, those of them that shall come out, and what
    attention is told beside them: the mask (none: every token counts), what is added to it.
    """
    name, states, own, beside = at
    np = graph.np

    def dense(part: str, source: str, *, bias: bool = True) -> str:
        place = f"{name}.{part}"
        weight = tensors[f"{place}.weight"]
        added = graph.constant(f"{place}.bias", tensors[f"{place}.bias"]) if bias else ""
        if isinstance(weight, Quantised):
            codes = graph.constant(f"{place}.codes", weight.codes.T)
            scales = graph.constant(f"{place}.scales", weight.scales)
            inputs = [source, codes, scales, "", added] if bias else [source, codes, scales]
            return graph.node("DynamicQuantizeMatMul", inputs, MICROSOFT)
        product = graph.node("MatMul", [source, graph.constant(f"{place}.weight", weight.T)])
        return graph.node("Add", [product, added]) if bias else product

    def normal(part: str, source: str, skipped: str) -> str:
        return add_norm(graph, tensors, f"{name}.{part}", (source, skipped), shape.dim)

    looks = [f"attention.self.{part}" for part in ("query", "key", "value")]
    biases = np.concatenate([tensors[f"{name}.{look}.bias"] for look in looks])
    asked = [dense(look, own if "query" in look else states, bias=False) for look in looks]
    attended = graph.node(
        "MultiHeadAttention",
        [*asked, graph.constant(f"{name}.attention.biases", biases), *beside],
        MICROSOFT,
        num_heads=shape.heads,
    )
    mixed = dense("attention.output.dense", attended)
    own = normal("attention.output.LayerNorm", mixed, own)
    widened = graph.node("Gelu", [dense("intermediate.dense", own)])
    return normal("output.LayerNorm", dense("output.dense", widened), own)


def add_norm(
    graph: Graph, tensors: Mapping[str, Any], place: str, summands: Sequence[str], dim: int
) -> str:
    """A sum, of mean 0 and spread 1, then with gain and bias; the name of its result.

    In steps, as onnxruntime's own operation goes number by number and takes three times as long.
    """
    np = graph.np
    gain, bias = (
        graph.constant(f"{place}.{tensor}", tensors[f"{place}.{tensor}"])
        for tensor in ("weight", "bias")
    )
    mean = graph.constant("mean", np.full((dim, 1), 1 / dim, "f4"))
    least = graph.constant("least", np.full(1, EPSILON, "f4"))
    whole = graph.node("Add", summands)
    even = graph.node("Sub", [whole, graph.node("MatMul", [whole, mean])])
    spread = graph.node("MatMul", [graph.node("Mul", [even, even]), mean])
    length = graph.node("Sqrt", [graph.node("Add", [spread, least])])
    scaled = graph.node("Mul", [graph.node("Div", [even, length]), gain])
    return graph.node("Add", [scaled, bias])


# --- protocol buffers -----------------------------------------------------------------------------


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _block(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, value: str) -> bytes:
    return _block(field, value.encode())


def _attribute(name: str, value: float) -> bytes:
    import struct

    if isinstance(value, float):
        kept = _varint(2 << 3 | 5) + struct.pack("<f", value)
        return _text(1, name) + kept + _number(20, _FLOAT)
    return _text(1, name) + _number(3, value) + _number(20, _INT)


def _value(name: str, kind: Kind) -> bytes:
    """A named input or output whose dimensions are not known beforehand."""
    element, size = kind
    dims = b"".join(_block(1, _text(2, f"{name}_{at}")) for at in range(size))
    return _text(1, name) + _block(2, _block(1, _number(1, TYPES[element]) + _block(2, dims)))
