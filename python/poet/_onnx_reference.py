"""Networks of ONNX files computed in numpy, one function for each operator, written from the operator's definition.

It has no code in common with what imports ONNX files, and fuses nothing: each node is computed as the file has it.
Floats are float64, or what `evaluate()` is told; casts between floats keep all digits. Opsets 7 to 23. An operator that
is not in the table is an error with its name, and so is an attribute that the operator's function does not read. Random
layers are in their evaluating mode.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from ._matrices import require_numpy
from ._onnx_file import TYPES, Graph, Node
from .errors import InputError

numpy: Any = require_numpy()
OPSETS = range(7, 24)


class Unsupported(InputError):
    """Something that the reference does not compute."""


class Call:
    """What the function of an operator is told beside its inputs.

    Attributes:
        node, opset: of the file.
        batch_statistics: whether norms take the batch's statistics; None: as the file says.
        real: the type of floats.
    """

    def __init__(self, node: Node, opset: int, batch_statistics: Optional[bool], real: Any) -> None:
        self.node, self.opset, self.batch_statistics, self.real = node, opset, batch_statistics, real
        self.read: "set[str]" = set()

    def get(self, name: str, default: Any = None) -> Any:
        """An attribute, which counts as read."""
        self.read.add(name)
        value = self.node.attributes.get(name, default)
        return self.float(value) if isinstance(value, numpy.ndarray) else value

    def float(self, array: Any) -> Any:
        """Floats of any width in the type of this evaluation; other arrays as they are."""
        return array.astype(self.real) if array.dtype.kind == "f" else array

    def refuse(self, what: str) -> Unsupported:
        return Unsupported(f"the reference does not compute {self.node.title}: {what}")


OPERATORS: Dict[str, Callable[..., Any]] = {}


def operator(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enters a function into the table of operators, under one name or under several."""
    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        OPERATORS.update({name: function for name in names})
        return function
    return enter


def evaluate(graph: Graph, values: Mapping[str, Any], *, batch_statistics: Optional[bool] = None,
             real: Any = numpy.float64) -> Dict[str, Any]:
    """All tensors of a network by name.

    Args:
        graph: the network.
        values: its inputs, and other numbers for its initializers and the outputs of its Constant nodes.
        batch_statistics: whether batch norms compute with the batch's statistics; None: as the file says.
        real: the type of floats.

    Raises:
        Unsupported: it has operators that are not in the table; or an input is missing.
    """
    from . import _onnx_layers, _onnx_shapes  # noqa: F401  they enter their operators
    if graph.opset not in OPSETS:
        raise Unsupported(f"found opset {graph.opset}; the reference knows {OPSETS[0]} to {OPSETS[-1]}")
    missing = sorted({node.op for node in graph.nodes if node.op not in OPERATORS})
    if missing:
        raise Unsupported("the reference has no operator " + ", ".join(missing))
    found = {name: numpy.asarray(value) for name, value in {**graph.initializers, **values}.items()}
    found = {name: value.astype(real) if value.dtype.kind == "f" else value for name, value in found.items()}
    absent = sorted(set(graph.inputs) - set(found))
    if absent:
        raise Unsupported("found no numbers for the inputs " + ", ".join(absent))
    for node in graph.nodes:
        if any(name in values for name in node.outputs):
            continue
        with numpy.errstate(all="ignore"):
            outputs = compute(Call(node, graph.opset, batch_statistics, real), found)
        found.update((name, numpy.asarray(value)) for name, value in zip(node.outputs, outputs) if name)
    return found


def compute(call: Call, found: Mapping[str, Any]) -> Sequence[Any]:
    """The outputs of a node."""
    node = call.node
    try:
        result = OPERATORS[node.op](call, *(found[name] if name else None for name in node.inputs))
    except (ValueError, TypeError, IndexError, KeyError) as error:
        if isinstance(error, Unsupported):
            raise
        raise call.refuse(f"{type(error).__name__}: {error}") from error
    unread = sorted(set(node.attributes) - call.read)
    if unread:
        raise call.refuse(f"it has no attribute {', '.join(unread)}")
    outputs = result if isinstance(result, tuple) else (result,)
    if any(node.outputs[len(outputs):]):
        raise call.refuse(f"it has {len(outputs)} of its outputs")
    return outputs


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda call, *inputs: function(*inputs)


erf = numpy.vectorize(math.erf, otypes=[float])


def sigmoid(x: Any) -> Any:
    return numpy.where(x >= 0, 1 / (1 + numpy.exp(-abs(x))), numpy.exp(-abs(x)) / (1 + numpy.exp(-abs(x))))


def softplus(x: Any) -> Any:
    return numpy.logaddexp(x, 0)


def _rounded_to_zero(x: Any, y: Any) -> Any:
    """Division as in C for whole numbers."""
    if x.dtype.kind == "f":
        return x / y
    return (numpy.sign(x) * numpy.sign(y) * (abs(x) // abs(y))).astype(x.dtype) if x.dtype.kind == "i" else x // y


def _folded(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def fold(call: Call, first: Any, *others: Any) -> Any:
        for other in others:
            first = function(first, other)
        return first
    return fold


for _name, _function in {
        "Abs": abs, "Acos": numpy.arccos, "Acosh": numpy.arccosh, "Asin": numpy.arcsin, "Asinh": numpy.arcsinh,
        "Atan": numpy.arctan, "Atanh": numpy.arctanh, "Ceil": numpy.ceil, "Cos": numpy.cos, "Cosh": numpy.cosh,
        "Erf": erf, "Exp": numpy.exp, "Floor": numpy.floor, "Identity": lambda x: x, "IsNaN": numpy.isnan,
        "Log": numpy.log, "Neg": numpy.negative, "Not": numpy.logical_not, "Reciprocal": lambda x: 1 / x,
        "Relu": lambda x: numpy.maximum(x, 0), "Round": numpy.rint, "Sigmoid": sigmoid, "Sign": numpy.sign,
        "Sin": numpy.sin, "Sinh": numpy.sinh, "Softplus": softplus, "Softsign": lambda x: x / (1 + abs(x)),
        "Sqrt": numpy.sqrt, "Tan": numpy.tan, "Tanh": numpy.tanh, "Mish": lambda x: x * numpy.tanh(softplus(x)),
        "HardSwish": lambda x: x * numpy.clip(x / 6 + 0.5, 0, 1), "Add": numpy.add, "Sub": numpy.subtract,
        "Mul": numpy.multiply, "Div": _rounded_to_zero, "And": numpy.logical_and, "Or": numpy.logical_or,
        "Xor": numpy.logical_xor, "Equal": numpy.equal, "Less": numpy.less, "LessOrEqual": numpy.less_equal,
        "Greater": numpy.greater, "GreaterOrEqual": numpy.greater_equal, "MatMul": numpy.matmul,
        "Pow": lambda x, y: numpy.power(x.astype(float), y).astype(x.dtype),
        "PRelu": lambda x, slope: numpy.where(x < 0, slope * x, x), "Where": numpy.where,
        "Size": lambda x: numpy.int64(x.size), "NonZero": lambda x: numpy.array(numpy.nonzero(x), numpy.int64),
        "Expand": lambda x, shape: x * numpy.ones(shape, x.dtype) if x.dtype != bool else x & numpy.ones(shape, bool),
        "Tile": numpy.tile}.items():
    OPERATORS[_name] = _plain(_function)
for _name, _function in {"Max": numpy.maximum, "Min": numpy.minimum, "Sum": numpy.add}.items():
    OPERATORS[_name] = _folded(_function)

# Functions of one input and at most two numbers: their names and defaults.
for _name, _function, _numbers in (
        ("Elu", lambda x, a: numpy.where(x < 0, a * (numpy.exp(x) - 1), x), {"alpha": 1.0}),
        ("Celu", lambda x, a: numpy.maximum(x, 0) + numpy.minimum(0, a * (numpy.exp(x / a) - 1)), {"alpha": 1.0}),
        ("Selu", lambda x, a, g: g * numpy.where(x > 0, x, a * numpy.exp(x) - a),
         {"alpha": 1.67326319217681884765625, "gamma": 1.05070102214813232421875}),
        ("HardSigmoid", lambda x, a, b: numpy.clip(a * x + b, 0, 1), {"alpha": 0.2, "beta": 0.5}),
        ("LeakyRelu", lambda x, a: numpy.where(x < 0, a * x, x), {"alpha": 0.01}),
        ("ThresholdedRelu", lambda x, a: numpy.where(x > a, x, 0), {"alpha": 1.0})):
    OPERATORS[_name] = (lambda function, numbers: lambda call, x: function(
        x, *(call.get(name, default) for name, default in numbers.items())))(_function, _numbers)


@operator("Mean")
def mean(call: Call, *inputs: Any) -> Any:
    return sum(inputs[1:], inputs[0]) / len(inputs)


@operator("Gelu")
def gelu(call: Call, x: Any) -> Any:
    if call.get("approximate", "none") == "tanh":
        return x / 2 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))
    return x / 2 * (1 + erf(x / math.sqrt(2)))


@operator("Clip")
def clip(call: Call, x: Any, low: Any = None, high: Any = None) -> Any:
    low, high = (call.get("min"), call.get("max")) if call.opset < 11 else (low, high)
    x = x if low is None else numpy.maximum(x, low)
    return x if high is None else numpy.minimum(x, high)


@operator("Cast", "CastLike")
def cast(call: Call, x: Any, like: Any = None) -> Any:
    code = call.get("to", 0)
    call.read.add("saturate")  # of types that are not in the table
    if like is None and code not in TYPES:
        raise call.refuse(f"a cast to type {code}")
    kind = numpy.dtype(TYPES[code]) if like is None else like.dtype
    return x.astype(call.real if kind.kind == "f" else kind)


@operator("Gemm")
def gemm(call: Call, a: Any, b: Any, c: Any = None) -> Any:
    a, b = (a.T if call.get("transA", 0) else a), (b.T if call.get("transB", 0) else b)
    alpha, beta = call.get("alpha", 1.0), call.get("beta", 1.0)
    return alpha * (a @ b) + (0 if c is None else beta * c)


@operator("Einsum")
def einsum(call: Call, *inputs: Any) -> Any:
    return numpy.einsum(call.get("equation").replace(" ", ""), *inputs)


def axes_of(call: Call, given: Any, from_opset: int) -> Any:
    """Axes, which are an input from an opset on and an attribute before it; None if they are not stated."""
    axes = call.get("axes") if call.opset < from_opset else given
    return None if axes is None or len(axes) == 0 else tuple(int(axis) for axis in axes)


def _reduction(function: Callable[..., Any], from_opset: int = 18) -> Callable[..., Any]:
    def reduce(call: Call, x: Any, axes: Any = None) -> Any:
        found, keep = axes_of(call, axes, from_opset), bool(call.get("keepdims", 1))
        if found is None and call.get("noop_with_empty_axes", 0):
            return x
        call.read.add("noop_with_empty_axes")
        return numpy.asarray(function(x, axis=found, keepdims=keep)).astype(x.dtype)
    return reduce


def _log_sum_exp(x: Any, axis: Any, keepdims: bool) -> Any:
    top = x.max(axis=axis, keepdims=True)
    total = numpy.log(numpy.exp(x - top).sum(axis=axis, keepdims=True)) + top
    return total if keepdims else total.reshape(x.sum(axis=axis).shape)


for _name, _function in {
        "ReduceMean": numpy.mean, "ReduceMax": numpy.max, "ReduceMin": numpy.min, "ReduceProd": numpy.prod,
        "ReduceL1": lambda x, **keys: abs(x).sum(**keys), "ReduceL2": lambda x, **keys: numpy.sqrt((x * x).sum(**keys)),
        "ReduceLogSum": lambda x, **keys: numpy.log(x.sum(**keys)), "ReduceLogSumExp": _log_sum_exp,
        "ReduceSumSquare": lambda x, **keys: (x * x).sum(**keys)}.items():
    OPERATORS[_name] = _reduction(_function)
OPERATORS["ReduceSum"] = _reduction(numpy.sum, 13)


def _over_classes(call: Call, x: Any, function: Callable[[Any, int], Any]) -> Any:
    """Before opset 13 all extents from the axis on are one."""
    axis = call.get("axis", 1 if call.opset < 13 else -1)
    if call.opset >= 13:
        return function(x, axis)
    rows = math.prod(x.shape[:axis % x.ndim])
    return function(x.reshape(rows, -1), 1).reshape(x.shape)


def softmax_over(x: Any, axis: int) -> Any:
    weights = numpy.exp(x - x.max(axis, keepdims=True))
    return weights / weights.sum(axis, keepdims=True)


@operator("Softmax")
def softmax(call: Call, x: Any) -> Any:
    return _over_classes(call, x, softmax_over)


def log_softmax_over(x: Any, axis: int) -> Any:
    return x - _log_sum_exp(x, axis, True)


@operator("LogSoftmax")
def log_softmax(call: Call, x: Any) -> Any:
    return _over_classes(call, x, log_softmax_over)
