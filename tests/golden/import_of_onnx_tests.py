#!/usr/bin/env python3
"""Imports every model of ONNX's own backend tests, and compares what comes of them with the outputs that the tests state.

usage: import_of_onnx_tests.py POET_SOLVE

No model may crash the program or run into the time-out: it becomes layers, or an error says why not. Models that become layers are run on
the inputs of their test with a mean of squares against its output, which has to be as good as 0. Compared are models of one output with
float inputs whose layers have kernels; the others are counted with the reason. The program reads one loss for each network, so that
the comparison is one of all elements together: their root of squares, in units of the largest one.

Exit status 77, which CTest takes for skipped, without Debian's libonnx-testdata or numpy.
"""
import collections
import concurrent.futures
import json
import os
import struct
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: no numpy (Debian: python3-numpy)")
    sys.exit(77)

DATA = "/usr/share/libonnx-testdata/data"
SECONDS = 120
TOLERANCE = 1e-4
LARGEST = 1e15  # whose square is a float32 as well
# Of the models with the same ops in their graphs, this many are imported; POET_CASES=1000 for all.
MOST_OF_A_KIND = int(os.environ.get("POET_CASES", 2))
# A change that imports or compares fewer of them is a mistake; raise these when there are more.
LEAST_KINDS = 214
LEAST_IMPORTED, LEAST_EQUAL = {2: (125, 99)}.get(MOST_OF_A_KIND, (425, 304) if MOST_OF_A_KIND >= 1000 else (1, 1))


class Uncompared(Exception):
    """Why there is nothing to compare; the message says it."""


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """The fields of a message of protobuf by number: numbers and bytes, as they come."""
    found = collections.defaultdict(list)
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        found[key >> 3].append(value)
    return found


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def packed(values, code=None):
    """Numbers of a repeated field, packed or not."""
    result = []
    for value in values:
        if isinstance(value, int):
            result.append(signed(value))
        elif code:
            result += struct.unpack(f"<{len(value) // struct.calcsize(code)}{code}", value)
        else:
            at = 0
            while at < len(value):
                number, at = varint(value, at)
                result.append(signed(number))
    return result


TYPES = {1: "<f4", 2: "u1", 3: "i1", 6: "<i4", 7: "<i8", 9: "?", 11: "<f8"}


def tensor(data):
    """Name and array of a TensorProto; None for a type that is not one of TYPES."""
    message = fields(data)
    name = message[8][0].decode() if message[8] else ""
    kind = TYPES.get(message[2][0] if message[2] else 0)
    if kind is None:
        return name, None
    shape = packed(message[1])
    if message[9]:
        return name, numpy.frombuffer(message[9][0], kind).reshape(shape)
    numbers = {"<f4": packed(message[4], "f"), "<f8": packed(message[10], "d"), "<i8": packed(message[7])}.get(kind)
    return name, numpy.array(packed(message[5]) if numbers is None else numbers, kind).reshape(shape)


class Node:
    def __init__(self, data):
        message = fields(data)
        self.inputs = [name.decode() for name in message[1]]
        self.op = message[4][0].decode()
        self.numbers = {}
        for attribute in map(fields, message[5]):
            if attribute[3]:
                self.numbers[attribute[1][0].decode()] = signed(attribute[3][0])


class Test:
    """A model, and the tensors of its first set of data."""

    def __init__(self, folder):
        self.folder, self.path = folder, os.path.join(folder, "model.onnx")
        self.name = os.path.relpath(folder, DATA)
        with open(self.path, "rb") as file:
            graph = fields(fields(file.read())[7][0])
        self.nodes = [Node(node) for node in graph[1]]
        self.tensors = dict(map(tensor, graph[5]))
        inputs, outputs = ([fields(value) for value in graph[place]] for place in (11, 12))
        self.outputs = [output[1][0].decode() for output in outputs]
        self.inputs = []
        for value in inputs:
            name = value[1][0].decode()
            if name not in self.tensors:
                self.tensors[name] = self.read(f"input_{len(self.inputs)}.pb", value)
                self.inputs.append(name)
        self.output = self.read("output_0.pb", outputs[0])

    def read(self, name, value):
        """The tensor of a file; None if there is none, or if the value is a sequence or an optional one."""
        path = os.path.join(self.folder, "test_data_set_0", name)
        if not os.path.exists(path) or not fields(value[2][0])[1]:
            return None
        with open(path, "rb") as file:
            return tensor(file.read())[1]

    def scalars(self):
        """--set for the inputs that are single numbers."""
        words = []
        for name in self.inputs:
            value = self.tensors[name]
            if value is not None and value.shape == ():
                words += ["--set", f"{name}={float(value):g}"]
        return words


def gates(array, order, direction):
    """The rows of one direction, in our order of gates."""
    parts = numpy.split(array[direction], len(order))
    return numpy.concatenate([parts[i] for i in order])


def recurrent(test, node, layer, document):
    owners = [each["name"] for each in document["layers"] if each["op"] == layer["op"] and "weights" not in each]
    direction = owners.index(layer["name"])
    order = [0, 2, 3, 1] if node.op == "LSTM" else [1, 0, 2]  # i, o, f, c and z, r, h
    result = {"weight_ih": gates(test.tensors[node.inputs[1]], order, direction),
              "weight_hh": gates(test.tensors[node.inputs[2]], order, direction)}
    if layer.get("bias", True):
        both = test.tensors[node.inputs[3]]
        width = both.shape[1] // 2
        result["bias_ih"], result["bias_hh"] = (gates(part, order, direction) for part in (both[:, :width], both[:, width:]))
    return result


def parameters_of(test, layer, document):
    """The parameters of a layer, by what PyTorch calls them."""
    op = layer["op"]
    if len(test.nodes) != 1:
        raise Uncompared("weights of a graph of several nodes")
    node = test.nodes[0]
    if op in ("lstm", "gru"):
        return recurrent(test, node, layer, document)
    weight = test.tensors[node.inputs[1]]
    if op == "linear" and not node.numbers.get("transB", 0):
        weight = weight.T
    result = {"weight": weight.reshape(-1) if op == "prelu" else weight}
    if len(node.inputs) > 2 and node.inputs[2] and layer.get("bias", True) and op != "prelu":
        result["bias"] = test.tensors[node.inputs[2]]
    return result


WITH_PARAMETERS = ("conv1d", "conv2d", "conv_transpose2d", "linear", "layer_norm", "group_norm", "batch_norm1d", "batch_norm2d", "prelu",
                   "embedding", "lstm", "gru")


def kept_numbers(test):
    """What the import makes of known numbers, such as the matrices of a resize; nothing in a file without its weights."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "kept.npz")
        kept = run(["import", test.path, "--loss", "mse", *test.scalars(), "--output", os.path.join(folder, "model.json"),
                    "--parameters-output", path])
        return dict(numpy.load(path)) if kept.returncode == 0 else {}


def numbers_of(test, document):
    numbers, kept = {}, None
    if any(node.op == "BatchNormalization" and not node.numbers.get("training_mode") for node in test.nodes):
        raise Uncompared("a batch norm of an inference, which trains in a training step")
    for layer in document["layers"]:
        if layer.get("trainable") is False and "value" not in layer and test.tensors.get(layer["name"]) is None:
            kept = kept or kept_numbers(test)
            found = {name: value for name, value in kept.items() if name == layer["name"] or name.startswith(layer["name"] + ".")}
            if not found:
                raise Uncompared("known numbers of a file without weights")
            numbers.update(found)
            continue
        if "differs" in layer:
            raise Uncompared("a layer that differs from its node")
        if layer["op"] in ("custom", "dropout", "stochastic_depth"):
            raise Uncompared(f"a layer {layer['op']}")
        if layer["op"] == "parameter" and "value" in layer:
            continue
        if layer["op"] == "parameter":
            if test.tensors.get(layer["name"]) is None:
                raise Uncompared("a constant that the graph computes")
            numbers[layer["name"]] = test.tensors[layer["name"]].reshape(layer["shape"])
        elif layer["op"] in WITH_PARAMETERS and "weights" not in layer:
            for part, value in parameters_of(test, layer, document).items():
                numbers[f"{layer['name']}.{part}"] = value
    return numbers


def run(words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True, timeout=SECONDS)


def output_shape(test):
    if len(test.outputs) != 1:
        raise Uncompared("several outputs")
    if test.output is None or test.output.dtype.kind != "f" or not (numpy.abs(test.output) <= LARGEST).all():
        raise Uncompared(f"an output that is no float up to {LARGEST:.0e}")
    return test.output.astype("f4")


def distance(test, model, folder):
    """Of the output of a run from that of the test."""
    wanted = output_shape(test)
    with open(model, encoding="utf-8") as file:
        document = json.load(file)
    numbers = numbers_of(test, document)
    inputs = {**({"input": document["input"]} if "input" in document else {}), **document.get("inputs", {})}
    words = []
    for name, entry in inputs.items():
        value = test.tensors.get(test.inputs[0] if name == "input" else name)
        if value is None and name.endswith((".h0", ".c0")):
            value = numpy.zeros([1 if extent == "N" else extent for extent in entry["shape"]], "f4")  # a first state
        if value is None or value.dtype.kind != "f":
            raise Uncompared("inputs that are no floats")
        path = os.path.join(folder, f"{len(words)}.npy")
        numpy.save(path, value.astype("f4"))
        words += ["--input", f"{name}={path}"]
    files = [os.path.join(folder, name) for name in ("schedule.json", "w.npz", "y.npy")]
    numpy.savez(files[1], **{name: value.astype("f4") for name, value in numbers.items()})
    numpy.save(files[2], wanted)
    for layer in document["layers"]:  # a network of fixed numbers is no training step
        layer.pop("trainable", None)
    with open(model, "w", encoding="utf-8") as file:
        json.dump(document, file)
    solved = run(["--model", model, "--platform", "m4", "--ram-budget", "100%", "--runtime-budget", "2", "--effort", "fast", "--replace",
                  "--output", files[0]])
    if solved.returncode != 0:
        raise Uncompared(f"no schedule: {reason(solved.stderr)}")
    result = run(["run", files[0], "--model", model, "--target", files[2], *words,
                  *(["--parameters", files[1]] if numbers else [])])
    if result.returncode != 0:
        raise Uncompared(f"no run: {reason(result.stderr)}")
    loss = json.loads(result.stdout)["losses"][0]
    return float("nan") if loss is None else (loss * wanted.size) ** 0.5 / max(1, abs(wanted).max())


def reason(text):
    """What is common to errors of one kind."""
    last = text.strip().splitlines()[-1] if text.strip() else "nothing said"
    return last.split("error: ", 1)[-1][-160:]


def try_test(folder):
    """How it ended: `refused`, `crashed`, `imported`, `equal` or `wrong`, and what is to be said about it."""
    test = Test(folder)
    with tempfile.TemporaryDirectory() as files:
        model = os.path.join(files, "model.json")
        words = ["import", test.path, "--loss", "mse", "--output", model]
        try:
            imported = run(words)
            if imported.returncode == 2 and "--set" in imported.stderr and test.scalars():
                imported = run(words + test.scalars())
            said = imported.stderr.strip()
            if imported.returncode not in (0, 2) or "does not survive" in said or "internal" in said:
                return test.name, "crashed", f"status {imported.returncode}: {said[-300:]}"
            if imported.returncode == 2:
                return test.name, "refused" if "error: " in said else "crashed", said
            found = distance(test, model, files)
        except subprocess.TimeoutExpired:
            return test.name, "crashed", f"no end in {SECONDS} seconds"
        except Uncompared as error:
            return test.name, "imported", str(error)
        return test.name, "equal" if found <= TOLERANCE else "wrong", f"{found:.2e}"


def ops_of(folder):
    with open(os.path.join(folder, "model.onnx"), "rb") as file:
        graph = fields(fields(file.read())[7][0])
    return tuple(sorted({Node(node).op for node in graph[1]}))


def chosen(folders):
    """Some folders of each kind, spread over its list, and the number of kinds."""
    kinds = collections.defaultdict(list)
    for folder in folders:
        kinds[ops_of(folder)].append(folder)
    some = [each[i * len(each) // MOST_OF_A_KIND] for each in kinds.values() if len(each) > MOST_OF_A_KIND for i in range(MOST_OF_A_KIND)]
    return sorted(some + [folder for each in kinds.values() if len(each) <= MOST_OF_A_KIND for folder in each]), len(kinds)


def main():
    if not os.path.isdir(DATA):
        print("skipped: no tests of ONNX (Debian: libonnx-testdata)")
        return 77
    every = sorted(root for root, _, names in os.walk(DATA) if "model.onnx" in names)
    folders, kinds = chosen(every)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(try_test, folders))
    counts = collections.Counter(end for _, end, _ in results)
    for name, end, text in results:
        if end in ("crashed", "wrong") or "-v" in sys.argv:
            print(f"{name}: {end}: {text}")
    why = collections.Counter(text for _, end, text in results if end == "imported")
    for text, count in why.most_common():
        print(f"{count} imported and not compared: {text}")
    imported = counts["imported"] + counts["equal"] + counts["wrong"]
    print(f"{len(results)} of {len(every)} models, of {kinds} kinds: {imported} imported, of which {counts['equal']} have the outputs of their tests; "
          f"{counts['refused']} refused, {counts['crashed']} crashed, {counts['wrong']} wrong")
    if len(every) < 900 or kinds < LEAST_KINDS:
        print(f"expected at least 900 models of {LEAST_KINDS} kinds")
        return 1
    return 1 if counts["crashed"] or counts["wrong"] or imported < LEAST_IMPORTED or counts["equal"] < LEAST_EQUAL else 0


if __name__ == "__main__":
    sys.exit(main())
