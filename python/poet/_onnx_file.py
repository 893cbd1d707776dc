"""An ONNX file as nodes and arrays, and the way back: as much of protobuf's wire format as that takes.

Debian's python3-onnx would do as well, but it is one more package that a user may not have.
"""
from __future__ import annotations

import collections
import struct
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._matrices import require_numpy
from .errors import InputError

numpy: Any = require_numpy()

FLOAT, FLOAT16, BFLOAT16 = 1, 10, 16
FLOATS = (FLOAT, FLOAT16, 11, BFLOAT16)
#: Types of numpy by the number of a TensorProto's data_type. A bfloat16 is the upper half of a float.
TYPES = {1: "<f4", 2: "u1", 3: "i1", 4: "<u2", 5: "<i2", 6: "<i4", 7: "<i8", 9: "?", 10: "<f2", 11: "<f8", 12: "<u4",
         13: "<u8", 16: "<f4"}


@dataclass(frozen=True)
class Node:
    """A node of a graph; `place` counts the nodes of the file."""

    op: str
    name: str
    inputs: Tuple[str, ...]
    outputs: Tuple[str, ...]
    attributes: Dict[str, Any]
    place: int

    @property
    def title(self) -> str:
        """What a message calls the node."""
        return f"{self.op} '{self.name or self.outputs[0]}'"


@dataclass(frozen=True)
class Tensor:
    """An input or output: the number of its type, and its extents; None for one that the file leaves open."""

    kind: int
    shape: Tuple[Optional[int], ...]


@dataclass(frozen=True)
class Graph:
    """A network. `inputs` are without those that have an initializer."""

    nodes: Tuple[Node, ...]
    initializers: Dict[str, Any]
    inputs: Dict[str, Tensor]
    outputs: Tuple[str, ...]
    opset: int


def _varint(data: bytes, at: int) -> Tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _entries(data: bytes) -> List[Tuple[int, int, Any]]:
    """Number, wire type and value of each field of a message, in order: a number, or bytes."""
    found: List[Tuple[int, int, Any]] = []
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            value: Any
            value, at = _varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = _varint(data, at)
            value, at = data[at:at + size], at + size
        found.append((key >> 3, key & 7, value))
    return found


def _fields(data: bytes) -> Dict[int, List[Any]]:
    found: Dict[int, List[Any]] = collections.defaultdict(list)
    for number, _, value in _entries(data):
        found[number].append(value)
    return found


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _integers(values: Sequence[Any]) -> List[int]:
    """A repeated field of integers, packed or not."""
    found: List[int] = []
    for value in values:
        if isinstance(value, int):
            found.append(_signed(value))
            continue
        at = 0
        while at < len(value):
            number, at = _varint(value, at)
            found.append(_signed(number))
    return found


def _floats(values: Sequence[bytes], kind: str) -> Any:
    return numpy.frombuffer(b"".join(values), kind)


def read_tensor(data: bytes) -> Tuple[str, Any]:
    """Name and array of a TensorProto. Raises InputError for strings, and for numbers in a file of their own."""
    message = _fields(data)
    name = message[8][0].decode() if message[8] else ""
    code = message[2][0] if message[2] else 0
    shape = _integers(message[1])
    if code not in TYPES or message[14] == [1]:
        raise InputError(f"tensor '{name}': found data of type {code}"
                         f"{' in a file of its own' if message[14] == [1] else ''}; expected numbers in the file")
    half = code in (FLOAT16, BFLOAT16)
    if message[9]:
        array = numpy.frombuffer(message[9][0], "<u2" if half else TYPES[code])
    elif code in (1, 11):
        array = _floats(message[4 if code == 1 else 10], TYPES[code])
    elif code in (7, 12, 13):
        array = numpy.array(_integers(message[7 if code == 7 else 11]), numpy.int64).astype(TYPES[code])
    else:
        array = numpy.array(_integers(message[5]), numpy.int64).astype("<u2" if half else TYPES[code])
    if code == FLOAT16:
        array = array.view("<f2")
    elif code == BFLOAT16:
        array = (array.astype("<u4") << 16).view("<f4")
    return name, array.reshape(shape)


def _attribute(data: bytes) -> Tuple[str, Any]:
    message = _fields(data)
    kind = message[20][0] if message[20] else 0
    values: Dict[int, Any] = {
        1: lambda: struct.unpack("<f", message[2][0])[0] if message[2] else 0.0,
        2: lambda: _signed(message[3][0]) if message[3] else 0, 3: lambda: message[4][0].decode("utf-8", "replace"),
        4: lambda: read_tensor(message[5][0])[1], 6: lambda: [float(x) for x in _floats(message[7], "<f4")],
        7: lambda: _integers(message[8]), 8: lambda: [text.decode("utf-8", "replace") for text in message[9]]}
    return message[1][0].decode(), values[kind]() if kind in values else NotImplemented


def _node(data: bytes, place: int) -> Node:
    message = _fields(data)
    domain = message[7][0].decode() if message[7] else ""
    return Node((domain + "." if domain not in ("", "ai.onnx") else "") + message[4][0].decode(),
                message[3][0].decode() if message[3] else "", tuple(name.decode() for name in message[1]),
                tuple(name.decode() for name in message[2]), dict(map(_attribute, message[5])), place)


def _value(data: bytes) -> Tuple[str, Tensor]:
    message = _fields(data)
    kind = _fields(_fields(message[2][0])[1][0]) if message[2] and _fields(message[2][0])[1] else _fields(b"")
    extents = [_fields(each)[1] for each in _fields(kind[2][0])[1]] if kind[2] else []
    return message[1][0].decode(), Tensor(kind[1][0] if kind[1] else 0,
                                          tuple(int(each[0]) if each else None for each in extents))


def read_graph(data: bytes) -> Graph:
    """The network of an ONNX file. Raises InputError if it is none."""
    try:
        model = _fields(data)
        graph = _fields(model[7][0])
        sets = [_fields(each) for each in model[8]]
        opset = max([each[2][0] for each in sets if not each[1] or each[1][0] in (b"", b"ai.onnx")], default=1)
        initializers = dict(map(read_tensor, graph[5]))
        return Graph(tuple(_node(each, place) for place, each in enumerate(graph[1])), initializers,
                     {name: value for name, value in map(_value, graph[11]) if name not in initializers},
                     tuple(_value(each)[0] for each in graph[12]), opset)
    except (IndexError, ValueError, TypeError, struct.error) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"found no network of ONNX: {error}") from error


def _number(value: int) -> bytes:
    value &= (1 << 64) - 1
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + _number(value >> 7)


def _field(number: int, value: Any, wire: int = 2) -> bytes:
    if isinstance(value, int):
        return _number(number << 3) + _number(value)
    return b"".join([_number(number << 3 | wire), _number(len(value)) if wire == 2 else b"", value])


def write_tensor(name: str, array: Any) -> bytes:
    """A TensorProto of float32."""
    return b"".join([*(_field(1, int(extent)) for extent in array.shape), _field(2, FLOAT), _field(8, name.encode()),
                     _field(9, numpy.ascontiguousarray(array, "<f4").tobytes())])


def write_value(name: str, tensor: Tensor) -> bytes:
    """A ValueInfoProto."""
    extents = b"".join(_field(1, b"" if extent is None else _field(1, extent)) for extent in tensor.shape)
    return _field(1, name.encode()) + _field(2, _field(1, _field(1, tensor.kind) + _field(2, extents)))


def rewritten(data: bytes, arrays: Mapping[str, Any], tensors: Optional[Mapping[str, Tensor]] = None,
              output: Optional[str] = None) -> bytes:
    """An ONNX file with other numbers in initializers and Constant nodes, and with inputs that become initializers; or
    what one output needs of it, with the extents of its tensors."""
    graph, shapes = read_graph(data), tensors or {}
    needed = {*graph.initializers, *arrays} if output is None else ancestors(graph, output)
    kept = [_field(5, write_tensor(name, array)) for name, array in arrays.items()
            if name in needed and (name in graph.inputs or name in graph.initializers)]
    place = -1
    for number, wire, value in _entries(_fields(data)[7][0]):
        place += number == 1
        if number == 1:
            node = graph.nodes[place]
            if output is not None and not needed.intersection(node.outputs):
                continue
            if node.op == "Constant" and node.outputs[0] in arrays:
                value = _constant(node.outputs[0], arrays[node.outputs[0]])
        elif number == 5:
            name = read_tensor(value)[0]
            if name in arrays or name not in needed:
                continue
        elif output is not None and number in (11, 12, 13):
            continue
        kept.append(_field(number, value, wire))
    if output is not None:
        kept += [_field(12 if name == output else 11 if name in graph.inputs else 13, write_value(name, shapes[name]))
                 for name in [*graph.inputs, *sorted(needed - set(graph.inputs))] if name in needed and name in shapes]
    return b"".join(_field(number, b"".join(kept) if number == 7 else value, wire)
                    for number, wire, value in _entries(data))


def _constant(name: str, array: Any) -> bytes:
    value = _field(1, b"value") + _field(5, write_tensor("", array)) + _field(20, 4)
    return _field(2, name.encode()) + _field(3, name.encode()) + _field(4, b"Constant") + _field(5, value)


def ancestors(graph: Graph, output: str) -> "set[str]":
    """The names of all tensors that an output is computed from, with its own."""
    needed = {output}
    for node in reversed(graph.nodes):
        if needed.intersection(node.outputs):
            needed.update(node.outputs, (name for name in node.inputs if name))
    return needed
