"""Small ONNX files for tests."""
import numpy

from poet._onnx_file import FLOAT, Node, Tensor, _entries, _field, _fields, _node, write_tensor, write_value

INT64 = 7


def attribute(name, value):
    """An AttributeProto of a number, a text, an array, or a list of numbers."""
    head = _field(1, name.encode())
    if isinstance(value, str):
        return head + _field(4, value.encode()) + _field(20, 3)
    if isinstance(value, float):
        return head + _field(2, numpy.float32(value).tobytes(), 5) + _field(20, 1)
    if isinstance(value, int):
        return head + _field(3, value) + _field(20, 2)
    if isinstance(value, numpy.ndarray):
        return head + _field(5, array(value)) + _field(20, 4)
    if value and isinstance(value[0], float):
        return head + _field(7, numpy.array(value, "f4").tobytes()) + _field(20, 6)
    return head + b"".join(_field(8, each) for each in value) + _field(20, 7)


def array(value, name=""):
    """A TensorProto."""
    if value.dtype.kind == "f":
        return write_tensor(name, value)
    extents = b"".join(_field(1, int(extent)) for extent in value.shape)
    return extents + _field(2, INT64) + _field(8, name.encode()) + _field(9, value.astype("<i8").tobytes())


def encoded(node):
    """A NodeProto."""
    return b"".join([*(_field(1, name.encode()) for name in node.inputs),
                     *(_field(2, name.encode()) for name in node.outputs), _field(3, node.name.encode()),
                     _field(4, node.op.encode()),
                     *(_field(5, attribute(*each)) for each in node.attributes.items())])


def node(op, inputs, outputs, **attributes):
    """Names are given as one text each, with blanks between them; _ is an input that is left out."""
    names = tuple(name.strip("_") for name in inputs.split())
    return Node(op, outputs.split()[0], names, tuple(outputs.split()), attributes, 0)


def network(nodes, weights, inputs, output, opset=13):
    """An ONNX file. Inputs are extents by name, of floats; or a type and extents. None is an open extent."""
    values = {name: value if isinstance(value, Tensor) else Tensor(FLOAT, tuple(value))
              for name, value in inputs.items()}
    graph = b"".join([*(_field(1, encoded(each)) for each in nodes), _field(2, b"net"),
                      *(_field(5, array(numpy.asarray(value), name)) for name, value in weights.items()),
                      *(_field(11, write_value(name, value)) for name, value in values.items()),
                      _field(12, write_value(output[0], Tensor(FLOAT, tuple(output[1]))))])
    return _field(1, 8 if opset < 19 else 10) + _field(7, graph) + _field(8, _field(1, b"") + _field(2, opset))


def altered(data, change):
    """A file whose nodes went through a function."""
    graph = b"".join(_field(number, encoded(change(_node(value, 0))) if number == 1 else value, wire)
                     for number, wire, value in _entries(_fields(data)[7][0]))
    return b"".join(_field(number, graph if number == 7 else value, wire) for number, wire, value in _entries(data))
