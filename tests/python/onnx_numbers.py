#!/usr/bin/env python3
"""Outputs, loss and gradients of an ONNX file by the reference in numpy, element by element. For small networks.

usage: onnx_numbers.py NET.onnx DATA.npz RESULT.npz [mse|cross_entropy]

DATA has the inputs, as NAME or x_NAME (x_ for the only one), and the target y; RESULT gets out_NAME for each output,
loss, and g_NAME for each initializer of floats, by central differences. The loss is of the first output. A cross
entropy reads logits with classes in the second extent of two or four, else in the last; or log-probabilities if a
LogSoftmax ends the network, and probabilities if a Softmax does, with classes in its axis.
"""
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

STEP = 1e-6


def loss_of(graph, found, target, kind):
    """Mean of squares, or cross entropy, of the first output."""
    output = found[graph.outputs[0]]
    if kind == "mse":
        return ((output - target) ** 2).mean()
    last = next(node for node in graph.nodes if graph.outputs[0] in node.outputs)
    axis = 1 if output.ndim in (2, 4) else output.ndim - 1
    if last.op in ("Softmax", "LogSoftmax"):
        axis = last.attributes.get("axis", 1 if graph.opset < 13 else -1)
    if last.op == "Softmax":
        output = numpy.log(output)
    elif last.op != "LogSoftmax":
        output = output - output.max(axis, keepdims=True)
        output = output - numpy.log(numpy.exp(output).sum(axis, keepdims=True))
    rows = numpy.moveaxis(output, axis, -1).reshape(-1, output.shape[axis])
    return -rows[numpy.arange(len(rows)), target.reshape(-1).astype(int)].mean()


def shaping(graph):
    """Initializers that say how large a tensor is, which have no derivative."""
    return {name for node in graph.nodes if node.op in ("Resize", "Upsample") for name in node.inputs[1:]}


def inputs_of(graph, data):
    found = {}
    for name in graph.inputs:
        key = next((each for each in (name, f"x_{name}", "x_") if each in data), None)
        if key is None:
            raise SystemExit(f"found no input {name} in {sorted(data)}")
        found[name] = data[key]
    return found


def gradients(graph, values, target, kind="mse", batch_statistics=None):
    """Loss, and the gradient of each initializer of floats."""
    from poet._onnx_reference import evaluate

    def loss(changed):
        return loss_of(graph, evaluate(graph, {**values, **changed}, batch_statistics=batch_statistics), target, kind)
    found = {}
    for name, array in graph.initializers.items():
        if array.dtype.kind != "f" or name in shaping(graph):
            continue
        gradient = numpy.zeros(array.size)
        for i in range(array.size):
            sides = []
            for step in (STEP, -STEP):
                moved = array.astype(float).reshape(-1)
                moved[i] += step
                sides.append(loss({name: moved.reshape(array.shape)}))
            gradient[i] = (sides[0] - sides[1]) / (2 * STEP)
        found[name] = gradient.reshape(array.shape)
    return loss({}), found


def main():
    from poet._onnx_file import read_graph
    from poet._onnx_reference import evaluate
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    graph = read_graph(pathlib.Path(sys.argv[1]).read_bytes())
    data = dict(numpy.load(sys.argv[2]))
    values = inputs_of(graph, data)
    found = evaluate(graph, values)
    result = {f"out_{name}": found[name] for name in graph.outputs}
    if "y" in data:
        result["loss"], slopes = gradients(graph, values, data["y"], *sys.argv[4:])
        result.update((f"g_{name}", slope) for name, slope in slopes.items())
    numpy.savez(sys.argv[3], **result)


if __name__ == "__main__":
    main()
