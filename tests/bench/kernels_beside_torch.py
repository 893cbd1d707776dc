#!/usr/bin/env python3
"""Times a training step of a built-in model as exported C and in PyTorch: one thread, processor time, the best of some.

    tests/bench/kernels_beside_torch.py [--program PROGRAM] [--steps 5] [MODEL...]

Both compute float32 and plain SGD with the model's own batch size; the C keeps everything and is compiled with -O3.
Needs PyTorch and gcc. The first lines say on what: with the reference BLAS, PyTorch's products are not blocked, and the
comparison says nothing.
"""
import argparse
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
MODELS = ["ds_cnn", "mobilenet_v2_035_128", "resnet18_cifar", "vgg16_cifar", "vit_tiny", "gpt2_tiny", "transformer"]


def run(command):
    finished = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if finished.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {finished.returncode}:\n{finished.stderr}")
    return finished.stdout


def export(program, model, folder):
    schedule, plan = folder / "schedule.json", folder / "plan"
    run([program, "--model", model, "--backward", "exact", "--platform", "a72", "--ram-budget", "100%",
         "--runtime-budget", "2",
         "--effort", "fast", "--output", schedule])
    run([program, "export", schedule, "--model", model, "--output", plan])
    return plan


def time_of_c(plan, folder, steps):
    run(["gcc", "-std=gnu99", "-O3", "-ffp-contract=off", "-I", plan, HERE / "step_time.c", *plan.glob("*.c"),
         "-o", folder / "step"])
    seconds, digest = run([folder / "step", steps]).split()
    return float(seconds), digest


class Network:
    """A model file as PyTorch computes it, with parameters in the shapes that the header of a plan states."""

    def __init__(self, model, header):
        import torch
        sys.path.insert(0, str(SOURCE / "tests" / "golden"))
        from torch_ops import LOSSES, OPS
        self.torch, self.ops, self.losses = torch, OPS, LOSSES
        torch.set_num_threads(1)
        torch.manual_seed(1)
        self.layers = model["layers"]
        entries = re.findall(r"/\* (\S+) ((?:\[[0-9, ]+\](?: \+ )?)+)(?:, not trained)? \*/", header)
        self.parameters = {name: [self.tensor(each) for each in re.findall(r"\[([0-9, ]+)\]", shapes)]
                           for name, shapes in entries}
        inputs = {**(model.get("inputs") or {}), **({"input": model["input"]} if "input" in model else {})}
        self.data = {name: self.input(about) for name, about in inputs.items()}
        self.made = {}  # masks and targets, the same in each step

    def tensor(self, shape):
        shape = [int(extent) for extent in shape.split(",")]
        scale = math.sqrt(6 / math.prod(shape[1:])) if len(shape) > 1 else 1
        return ((self.torch.rand(shape) * 2 - 1) * scale if len(shape) > 1 else self.torch.ones(shape)).requires_grad_()

    def input(self, about):
        shape = [1 if extent == "N" else extent for extent in about["shape"]]
        return self.torch.randint(0, 50, shape) if about.get("dtype") == "int32" else self.torch.rand(shape) * 2 - 1

    def weights(self, layer):
        owner = layer.get("weights", layer["name"])
        return [tensor for key in (owner, owner + ".input", owner + ".hidden")
                for tensor in self.parameters.get(key, [])]

    def target(self, layer, x):
        if layer["op"] == "mse":
            return self.torch.zeros_like(x)
        return self.torch.randint(0, x.shape[-1], (x.numel() // x.shape[-1],))

    def loss(self):
        known, total = dict(self.data), 0
        for layer in self.layers:
            name, weights = layer["name"], self.weights(layer)
            x = [known[each] for each in layer.get("inputs", [])]
            if layer["op"] in ("dropout", "stochastic_depth"):
                weights = [self.made.setdefault(name, (self.torch.rand(x[0].shape) > .1).float() / .9)]
            if layer["op"] in self.losses:
                if "target" not in layer and name not in self.made:
                    self.made[name] = self.target(layer, x[0])
                x.append(known[layer["target"]] if "target" in layer else self.made[name])
            y = self.ops[layer["op"]](layer, weights, *x)
            for suffix, value in y.items() if isinstance(y, dict) else [("", y)]:
                known[name + suffix] = value
            if layer["op"] in self.losses:
                total = total + y
        return total

    def step(self):
        self.loss().backward()
        with self.torch.no_grad():
            every = (tensor for tensors in self.parameters.values() for tensor in tensors)
            for tensor in (tensor for tensor in every if tensor.grad is not None):
                tensor.add_(tensor.grad, alpha=-1e-6)
                tensor.grad = None

    def seconds(self, steps):
        best = math.inf
        for _ in range(steps + 1):  # the first one warms up
            start = time.process_time()
            self.step()
            best = min(best, time.process_time() - start)
        return best


def surroundings():
    """Processor, PyTorch as it was built, threads, and the BLAS that is loaded."""
    import torch
    torch.set_num_threads(1)
    torch.ones(2, 2) @ torch.ones(2, 2)
    maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
    loaded = {pathlib.Path(line.split()[-1]).resolve() for line in maps if re.search(r"(blas|mkl|blis)[^/]*\.so", line)}
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    lines = [f"processor: {processor[1] if processor else 'unknown'}",
             f"PyTorch {torch.__version__}, threads: {torch.get_num_threads()}",
             "BLAS: " + (", ".join(sorted(map(str, loaded))) or "none is loaded"), torch.__config__.show().strip()]
    if any(path.parent.name == "blas" for path in loaded):
        lines.append("warning: this is the reference BLAS; install libopenblas0-pthread")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("models", nargs="*", default=MODELS, metavar="MODEL")
    parser.add_argument("--program", default=shutil.which("poet-solve") or "poet-solve")
    parser.add_argument("--steps", type=int, default=5)
    wanted = parser.parse_args()
    print(surroundings(), flush=True)
    print("| model | C, ms | PyTorch, ms | times as long |\n|---|---|---|---|")
    for model in wanted.models:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            plan = export(wanted.program, model, folder)
            ours, _ = time_of_c(plan, folder, wanted.steps)
            about = json.loads((SOURCE / "models" / f"{model}.json").read_text())
            theirs = Network(about, (plan / "poet_plan.h").read_text()).seconds(wanted.steps)
            print(f"| `{model}` | {1e3 * ours:.2f} | {1e3 * theirs:.2f} | {ours / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
