"""An ONNX network that is drawn node by node."""
import numpy

from onnx_files import network
from poet._onnx_file import Node
from poet._onnx_reference import Call, compute
from poet import _onnx_layers, _onnx_shapes  # noqa: F401  they enter their operators

BATCH = 2


class Draw:
    """A network that grows node by node; each is computed by the reference at once, so that extents are known."""

    def __init__(self, seed, opset=None):
        self.random = numpy.random.default_rng(seed)
        self.opset = opset or self.whole(7, 23)
        self.open, self.constant = self.chance(0.5), self.pick(0.0, 0.3)
        self.nodes, self.weights, self.values, self.inputs = [], {}, {}, {}

    def whole(self, low, high):
        return int(self.random.integers(low, high + 1))

    def chance(self, share):
        return bool(self.random.random() < share)

    def pick(self, *choices):
        return choices[int(self.random.integers(len(choices)))]

    def maybe(self, value):
        return value if self.chance(0.5) else None

    def real(self, low=0.05, high=0.9):
        return float(numpy.float32(self.random.uniform(low, high)))

    def shape(self, name):
        return self.values[name].shape

    def data(self, *extents):
        self.inputs["x"] = extents
        self.values["x"] = self.random.standard_normal((BATCH, *extents))
        return "x"

    def number(self, array):
        """The name of an initializer, or of what a Constant node makes."""
        name, array = f"c{len(self.values)}", numpy.asarray(array)
        array = array.astype("f4" if array.dtype.kind == "f" else "i8")
        self.values[name] = array.astype(float) if array.dtype.kind == "f" else array
        if self.chance(self.constant):
            self.nodes.append(Node("Constant", name, (), (name,), {"value": array}, 0))
        else:
            self.weights[name] = array
        return name

    def floats(self, *shape):
        return self.number(self.random.uniform(0.2, 0.9, shape) * self.random.choice([-1, 1], shape))

    def op(self, op, *inputs, outputs=1, **attributes):
        """Adds a node; None is an attribute or input that is left out. Returns the name of its (first) output."""
        inputs = [each if isinstance(each, str) else "" if each is None else self.number(each) for each in inputs]
        while inputs and not inputs[-1]:
            inputs.pop()
        names = tuple(f"t{len(self.values)}" + "abc"[i] * (i > 0) for i in range(outputs))
        node = Node(op, names[0], tuple(inputs), names,
                    {key: value for key, value in attributes.items() if value is not None}, 0)
        with numpy.errstate(all="ignore"):
            found = compute(Call(node, self.opset, None, float), self.values)
        self.values.update((name, numpy.asarray(value)) for name, value in zip(names, found))
        self.nodes.append(node)
        return names[0] if outputs == 1 else names

    def images(self, n=2, channels=None):
        x, k = self.data(self.whole(1, 3), *(self.whole(4, 7) for _ in range(n))), self.pick(1, 3)
        weight = self.floats(channels or self.whole(1, 4), self.shape(x)[1], *[k] * n)
        return self.op("Conv", x, weight, pads=[k // 2] * 2 * n, kernel_shape=[k] * n)

    def rows(self, width=None):
        x, width = self.data(self.whole(2, 5)), width or self.whole(2, 5)
        if self.chance(0.5):
            return self.op("MatMul", x, self.floats(self.shape(x)[1], width))
        return self.op("Gemm", x, self.floats(width, self.shape(x)[1]), self.floats(width), transB=1)

    def tokens(self, length=None, width=None):
        x = self.data(length or self.whole(2, 5), self.whole(2, 4))
        return self.op("MatMul", x, self.floats(self.shape(x)[2], width or self.whole(2, 5)))

    def any(self):
        return self.pick(self.images, self.images, self.rows, self.tokens, lambda: self.images(1))()

    def reduced(self, op, x, axes, keep=None):
        if self.opset >= (13 if op == "ReduceSum" else 18):
            return self.op(op, x, None if axes is None else numpy.array(axes), keepdims=keep)
        return self.op(op, x, axes=axes, keepdims=keep)

    def extents(self, x, *rest):
        """Extents for a reshape whose first one is the batch."""
        return numpy.array([self.pick(0, -1) if -1 not in rest and self.shape(x)[0] == BATCH else 0, *rest])

    def unsqueezed(self, op, x, axes):
        return self.op(op, x, numpy.array(axes)) if self.opset >= 13 else self.op(op, x, axes=axes)

    def finished(self, x):
        """A reduction, a dense layer, a function, or nothing behind a tensor."""
        how, rank = self.pick("none", "dense", "mean", "tanh"), len(self.shape(x))
        if how == "dense" and rank > 1:
            x = self.op("Flatten", x)
            return self.op("Gemm", x, self.floats(3, self.shape(x)[1]), self.floats(3), transB=1)
        if how == "mean" and rank > 2:
            return self.reduced("ReduceMean", x, list(range(2, rank)), self.pick(0, 1))
        return self.op("Tanh", x) if how == "tanh" else x

    def file(self, output):
        first = None if self.open else BATCH
        shape = self.shape(output)
        return network(self.nodes, self.weights, {"x": (first, *self.inputs["x"])},
                       (output, (first if shape[:1] == (BATCH,) else None, *shape[1:]) if shape else ()), self.opset)

    def text(self):
        known = "".join(f"  {name} {array.shape} {array.reshape(-1)[:8].tolist()}\n"
                        for name, array in self.weights.items())
        return f"opset {self.opset}, x {self.inputs['x']}, open batch {self.open}\n{known}" + "".join(
            f"  {each.op}({', '.join(each.inputs)}) -> {', '.join(each.outputs)} {each.attributes}\n"
            for each in self.nodes)
