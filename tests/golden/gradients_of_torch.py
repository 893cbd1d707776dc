#!/usr/bin/env python3
"""Compares the gradients of `poet-solve run` with those of PyTorch's autograd, computed in double numbers from the same parameters.

usage: gradients_of_torch.py POET_SOLVE POET_DUMP_STEP

Each model is solved and run. The numbers behind the run come from POET_DUMP_STEP: they are those of the run if they have the digests
that the run reports. No gradient may be off by more than 1e-4 of the layer's largest one. The seeds keep away from kinks, where double
and single numbers can differ. Exit status 77, which CTest takes for skipped, without torch.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
except ImportError:
    print("skipped: no torch (Debian: python3-torch)")
    sys.exit(77)

sys.dont_write_bytecode = True  # next to the sources
from torch_ops import LOSSES, OPS  # noqa: E402

TOLERANCE = 1e-4
SEEDS = range(1, 1 + int(os.environ.get("POET_CASES", 1)))  # up to 3, for the small models
HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = os.path.join(HERE, "..", "..", "models")


def tiny_steps():
    """Small models with every op, which tests in C++ read as well."""
    with open(os.path.join(HERE, "..", "data", "tiny_steps.json"), encoding="utf-8") as file:
        return json.load(file)


# Name, samples, seeds: with the exact backward pass. For resnet18_cifar, seed 1 puts two inputs of rectifiers so close to 0 that single
# numbers fall on the other side: 1.2e-6 in block6.relu1 and 1.7e-6 in block5.relu2. With these two turned round it is off by 5.8e-6.
BUILT_IN = [("linear", 3, (1, 2)), ("ds_cnn", 2, (1, 2)), ("resnet18_cifar", 2, (2, 3))]

# What a layer's parameters may be called: all of them, or a group, or single tensors of which only some train.
PARTS = ("", ".weight", ".bias", ".input", ".weight_ih", ".bias_ih", ".hidden", ".weight_hh", ".bias_hh")


class Dump:
    """The numbers of one step, by kind and name."""

    def __init__(self, output):
        head, _, data = output.partition(b"\n")
        head = json.loads(head)
        self.losses = head["losses"]
        self.arrays = []
        at = 0
        for array in head["arrays"]:
            size = 4 * array["count"]
            array["bytes"] = data[at:at + size]
            array["values"] = numpy.frombuffer(array["bytes"], "<i4" if array.get("is_index") else "<f4")
            self.arrays.append(array)
            at += size
        assert at == len(data)

    def of(self, kind):
        return [array for array in self.arrays if array["kind"] == kind]


def tensors(array, grad=True):
    """The tensors that lie one after the other in an array."""
    values = torch.from_numpy(array["values"].astype("f8"))
    result = []
    for shape in array["shapes"]:
        count = int(numpy.prod(shape))
        result.append(values[:count].reshape(shape).clone().requires_grad_(grad))
        values = values[count:]
    return result


def data(array, shape=None):
    values = torch.from_numpy(array["values"].astype("i8" if array["is_index"] else "f8"))
    return values.reshape(shape) if shape else values


def loss_of(model, batch_size, dump, parameters):
    """The model's loss in torch: all losses together."""
    inputs = model.get("inputs") or {"input": model["input"]}
    known = {array["name"]: data(array, [batch_size if e == "N" else e for e in inputs[array["name"]]["shape"]])
             for array in dump.of("input")}
    masks = {array["name"]: torch.from_numpy(array["values"].astype("f8")) for array in dump.of("mask")}
    targets = [data(array) for array in dump.of("target")]
    total = 0
    for layer in model["layers"]:
        name = layer["name"]
        owner = layer.get("weights", name)
        w = [t for part in PARTS for t in parameters.get(owner + part, [])]
        x = [known[key] for key in layer.get("inputs", [])]
        if layer["op"] in LOSSES:
            x.append(known[layer["target"]] if "target" in layer else targets.pop(0))
        y = OPS[layer["op"]](layer, [masks[name]] if name in masks else w, *x)
        for suffix, value in y.items() if isinstance(y, dict) else [("", y)]:
            known[name + suffix] = value
        if layer["op"] in LOSSES:
            total = total + y
    return total


def run(words, **options):
    finished = subprocess.run(words, capture_output=True, **options)
    if finished.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {finished.stderr.decode()}")
    return finished.stdout


def digests_of_run(source, batch_size, seed, folder):
    schedule = os.path.join(folder, "schedule.json")
    run([sys.argv[1], "--model", source, "--batch-size", str(batch_size), "--backward", "exact", "--platform", "m4", "--ram-budget",
         "100%", "--runtime-budget", "2", "--replace", "--output", schedule])
    result = json.loads(run([sys.argv[1], "run", schedule, "--model", source, "--seed", str(seed), "--check"]))
    return {gradient["name"]: gradient["sha256"] for gradient in result["gradients"]}, result["losses"][0]


def check(model, source, batch_size, seed, folder, run_of=digests_of_run):
    """Returns the largest difference of a gradient, relative to the largest of its layer, and what is wrong."""
    digests, loss = run_of(source, batch_size, seed, folder)
    dump = Dump(run([sys.argv[2], source, str(batch_size), str(seed)]))
    problems = []
    parameters = {array["name"]: tensors(array) for array in dump.of("parameters")}
    total = loss_of(model, batch_size, dump, parameters)
    total.backward()
    if not abs(total.item() - loss) <= 1e-5 * max(1, abs(loss)):
        problems.append(f"the loss is {loss}, torch has {total.item()}")
    worst = 0
    gradients = dump.of("gradient")
    if {array["name"] for array in gradients} != set(digests):
        problems.append("the run has gradients of other layers")
    for array in gradients:
        name = array["name"]
        if hashlib.sha256(array["bytes"]).hexdigest() != digests.get(name):
            problems.append(f"{name}: the run has another gradient")
        expected = torch.cat([(t.grad if t.grad is not None else torch.zeros_like(t)).flatten() for t in parameters[name]])
        found = torch.from_numpy(array["values"].astype("f8"))
        largest = expected.abs().max().item()
        difference = (found - expected).abs().max().item() / largest if largest > 0 else float("inf")
        worst = max(worst, difference)
        if not difference <= TOLERANCE:
            problems.append(f"{name}: off by {difference:.2e} of its largest gradient")
    return worst, len(gradients), problems


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        subjects = []
        for model in tiny_steps():
            path = os.path.join(folder, model["name"] + ".json")
            with open(path, "w") as file:
                json.dump(model, file)
            subjects += [(model, path, 1, seed) for seed in SEEDS]
        for name, batch_size, seeds in BUILT_IN:
            with open(os.path.join(MODELS, name + ".json")) as file:
                model = json.load(file)
            subjects += [(model, name, batch_size, seed) for seed in seeds]
        for model, source, batch_size, seed in subjects:
            worst, count, problems = check(model, source, batch_size, seed, folder)
            failed += bool(problems)
            print(f"{model['name']}, seed {seed}: {'; '.join(problems) or f'{count} gradients, off by {worst:.1e} at most'}")
    ops = {layer["op"] for model, *_ in subjects for layer in model["layers"]}
    print(f"{len(subjects)} steps, {failed} wrong; {len(ops)} ops; not compared: {', '.join(sorted(set(OPS) - ops)) or 'none'}")
    return 1 if failed or set(OPS) - ops else 0


if __name__ == "__main__":
    sys.exit(main())
