#!/usr/bin/env python3
"""What frozen weights of one byte do to a network's outputs, beside floats, for weights and inputs of some seeds.

    tests/bench/int8_outputs.py [--program PROGRAM] [--seeds 20] [MODEL...]

All convolutions and dense layers but the last one have them. Prints a row of docs/model-format.md for each model: the
root mean square of the differences as a share of that of the outputs, on average and of the worst seed, and how many
have the largest output in the same place. Needs numpy.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MODELS = ["ds_cnn", "mobilenet_v2_035_128", "resnet18_cifar"]
WITH_BYTES = ("conv1d", "conv2d", "linear", "linear_relu")


def run(command):
    finished = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if finished.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {finished.returncode}:\n{finished.stderr}")


def with_bytes(document):
    """Every weight but the last one."""
    layers = [layer for layer in document["layers"] if layer["op"] in WITH_BYTES]
    for layer in layers[:-1]:
        layer.update(trainable=False, frozen_weights="int8")
    return {**document, "version": 2}


def outputs(program, folder, name, document, seeds):
    model, schedule = folder / f"{name}.json", folder / f"{name}_schedule.json"
    model.write_text(json.dumps(document))
    run([program, "--model", model, "--backward", "none", "--platform", "m4", "--ram-budget", "100%",
         "--runtime-budget", 2, "--effort", "fast", "--output", schedule])
    found = []
    for seed in range(1, seeds + 1):
        arrays = folder / f"{name}_{seed}.npz"
        run([program, "run", schedule, "--model", model, "--seed", seed, "--outputs-output", arrays])
        with numpy.load(arrays) as file:
            found.append(next(file[key] for key in file.files if file[key].size > 1).ravel().astype(float))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="poet-solve")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("models", nargs="*", metavar="MODEL", default=MODELS)
    arguments = parser.parse_args()
    for name in arguments.models:
        text = (SOURCE / "models" / f"{name}.json").read_text()
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            floats = outputs(arguments.program, folder, "floats", json.loads(text), arguments.seeds)
            rounded = outputs(arguments.program, folder, "bytes", with_bytes(json.loads(text)), arguments.seeds)
        errors = [numpy.sqrt(numpy.mean((a - b) ** 2) / numpy.mean(b ** 2)) for a, b in zip(rounded, floats)]
        same = sum(int(a.argmax() == b.argmax()) for a, b in zip(rounded, floats))
        print(f"| `{name}` | {numpy.mean(errors):.2%} | {max(errors):.2%} | {same} of {len(floats)} |")


if __name__ == "__main__":
    main()
