#!/usr/bin/env python3
"""Imports networks of PyTorch by torch.fx and by ONNX, and compares what comes of them with PyTorch.

usage: import_of_torch.py POET_SOLVE

- Classifiers of torchvision: the shape, the parameters and the multiplications of every convolution and linear layer are PyTorch's, and
  both ways give the same graph, or schedules of the same energy. Some of the graphs are solved in any case.
- Networks of other kinds are imported by both ways. Networks of signals, run with the numbers of PyTorch, have its loss.
- The network of docs/import.md, exported as it is printed there, is imported as the file that other tests have of it.

Exit status 77, which CTest takes for skipped, without torch or torchvision.
"""
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
    import torchvision
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-torch, python3-torchvision)")
    sys.exit(77)

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path[:0] = [os.path.join(ROOT, "python")]
os.environ["POET_SOLVE"] = sys.argv[1]
from import_networks import NETWORKS, SIGNALS  # noqa: E402
from poet.torch import Refused, trace  # noqa: E402

# With the extents of their images: small ones, where the network allows it.
CLASSIFIERS = {"alexnet": 224, "vgg11_bn": 224, "squeezenet1_1": 64, "densenet121": 64, "googlenet": 64, "inception_v3": 96,
               "shufflenet_v2_x0_5": 64, "mobilenet_v2": 64, "mobilenet_v3_small": 64, "mnasnet0_5": 64, "resnet18": 64,
               "resnext50_32x4d": 64, "wide_resnet50_2": 64, "regnet_y_400mf": 64, "efficientnet_b0": 64, "convnext_tiny": 64,
               "vit_b_32": 224, "swin_t": 64}
# Their layers are those of others, which are as large or smaller: POET_CASES=18 imports them as well.
RELATED = ("vgg11_bn", "densenet121", "inception_v3", "mobilenet_v2", "mnasnet0_5", "resnext50_32x4d", "wide_resnet50_2")
CHOSEN = {name: size for name, size in CLASSIFIERS.items()
          if name not in RELATED or int(os.environ.get("POET_CASES", 0)) >= len(CLASSIFIERS)}
LEAST_BY_FX, LEAST_SAME_BY_ONNX = (round(len(CHOSEN) * share) for share in (14 / 18, 12 / 18))
SOLVED_EACH = 5
LOSS_TOLERANCE = 1e-5


def poet(*words, accept=(0,)):
    finished = subprocess.run([sys.argv[1], *words], capture_output=True, text=True)
    if finished.returncode not in accept:
        raise RuntimeError(f"{' '.join(words)}: {finished.stderr}")
    return finished.stdout


def write(document, folder, name):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        json.dump(document, file)
    return path


@contextlib.contextmanager
def unset_weights():
    """Networks of which only shapes matter get zeros: random weights take longer than all else of a large network."""
    functions = {name: getattr(torch.nn.init, name) for name in dir(torch.nn.init) if name.endswith("_") and not name.startswith("_")}
    for name in functions:
        setattr(torch.nn.init, name, lambda tensor, *_, **__: tensor.detach().zero_())
    try:
        yield
    finally:
        for name, function in functions.items():
            setattr(torch.nn.init, name, function)


def of_torch(net, x):
    """Shape and multiplications of each convolution and linear layer, and all parameters."""
    layers = {}

    def hook(name):
        def count(module, _, y):
            each = module.in_features if isinstance(module, torch.nn.Linear) else module.weight[0].numel()
            layers[name] = (list(y.shape), y.numel() * each)
        return count

    for name, module in net.named_modules():
        if isinstance(module, (torch.nn.Conv2d, torch.nn.Linear)):
            module.register_forward_hook(hook(name))
    with torch.no_grad():
        net.eval()(x)
    for module in net.modules():
        module._forward_hooks.clear()
    return layers, sum(p.numel() for p in net.parameters())


def of_model(info, document):
    """The same of a model: a product is two FLOPs, and a bias one for each element of the output."""
    has_bias = {layer["name"]: layer.get("bias", True) for layer in document["layers"]}
    layers = {}
    for node in info["nodes"]:
        if not node["backward"] and node["op"] in ("conv2d", "linear"):
            count = int(numpy.prod(node["shape"]))
            layers[node["name"]] = (node["shape"], (node["flop"] - (count if has_bias[node["name"]] else 0)) / 2)
    return layers, info["parameter_count"]


def differences(net, x, document, path):
    expected, parameters = of_torch(net, x)
    found, found_parameters = of_model(json.loads(poet("info", path, "--json")), document)
    # Of an attention, PyTorch calls the last product alone a module, without calling it.
    return [f"{name}: {found.get(name)}, PyTorch has {wanted}" for name, wanted in expected.items()
            if found.get(name) != wanted] + ([] if parameters == found_parameters else [f"{found_parameters} parameters, {parameters}"])


def solve(path, ram_budget):
    """A quick solve, which is the same in every run; infeasible is an answer."""
    return json.loads(poet("--model", path, "--platform", "a72", "--ram-budget", ram_budget, "--runtime-budget", "2", "--effort", "fast",
                           accept=(0, 3)))


def energies(paths, always):
    """Of schedules in 60 % of the RAM. Graphs with the same digest are the same to the solver, which knows no names: one solve gives the
    schedule of all of them, and none is needed to compare them. None stands for a schedule that nobody needs."""
    digests = [solve(path, "1")["graph_sha256"] for path in paths]
    if len(set(digests)) == 1 and not always:
        return [None] * len(digests)
    known = {digest: solve(path, "60%")["summary"]["energy_joules"] for digest, path in zip(digests, paths)}
    return [known[digest] for digest in digests]


def costs(path):
    """Every node but for its name and inputs."""
    info = json.loads(poet("info", path, "--json", "--platform", "a72"))
    return sorted((n["bytes"], n["flop"], n["energy_joules"], n["backward"]) for n in info["nodes"])


def classifiers(folder, problems):
    counts = {"fx": 0, "onnx": 0, "the same by both": 0}
    for number, (name, size) in enumerate(CHOSEN.items()):
        keys = {"aux_logits": False, "init_weights": False} if name in ("googlenet", "inception_v3") else {}
        with unset_weights():
            net = getattr(torchvision.models, name)(weights=None, **keys)
        x = torch.zeros(1, 3, size, size)
        paths, words = {}, []
        for via in ("fx", "onnx"):
            try:
                document = trace(net, x, via=via)
            except Exception as error:  # what is not imported is counted, and named
                words.append(f"not by {via} ({type(error).__name__}: {str(error).splitlines()[0][:90]})")
                continue
            paths[via] = write(document, folder, f"{name}.{via}.json")
            counts[via] += 1
            if via == "fx":
                wrong = differences(net, x, document, paths["fx"])
                problems += [f"{name}: {line}" for line in wrong]
                words.append("wrong" if wrong else "as PyTorch has it")
        found = energies(list(paths.values()), always=number % SOLVED_EACH == 0)
        words += [f"{energy:.6g} J" for energy in found[:1] if energy is not None]
        if len(paths) == 2:
            same = found[0] == found[1] and costs(paths["fx"]) == costs(paths["onnx"])
            words.append("the same by ONNX" if same else "not the same by ONNX")
            counts["the same by both"] += same
        print(f"{name}: {', '.join(words)}", flush=True)
    print(f"of {len(CHOSEN)} classifiers: {counts}")
    for which, least in (("fx", LEAST_BY_FX), ("the same by both", LEAST_SAME_BY_ONNX)):
        if counts[which] < least:
            problems.append(f"{counts[which]} classifiers {which}; expected at least {least}")


def others(folder, problems):
    for name, (net, x, parameters) in NETWORKS().items():
        for via in ("fx", "onnx"):
            try:
                document = trace(net, x, via=via)
                path = write(document, folder, f"{name}.{via}.json")
                # Numbers of the file, such as a scale, are parameters that do not train.
                numbers = sum(int(numpy.prod(layer["shape"])) for layer in document["layers"]
                              if layer["op"] == "parameter" and not layer.get("trainable", True))
                found = json.loads(poet("info", path, "--json"))["parameter_count"] - numbers
                print(f"{name} by {via}: {found} parameters", flush=True)
                if found != parameters:
                    problems.append(f"{name} by {via}: {found} parameters, PyTorch has {parameters}")
            except (Refused, RuntimeError) as error:
                problems.append(f"{name} by {via}: {error}")


def numbers_of(net, document):
    """The state of the module, by the names of the document: recurrent layers in the order in which PyTorch lists their parameters."""
    state = {name: value.numpy() for name, value in net.state_dict().items()}
    cells = [layer["name"] for layer in document["layers"] if layer["op"] in ("lstm", "gru") and "weights" not in layer]
    firsts = [name for name in state if "weight_ih" in name]
    assert len(cells) == len(firsts), (cells, firsts)
    for cell, first in zip(cells, firsts):
        for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            value = state.pop(first.replace("weight_ih", part), None)
            if value is not None:
                state[f"{cell}.{part}"] = value
    return state


def signals(folder, problems):
    torch.manual_seed(3)
    files = {name: os.path.join(folder, name) for name in ("schedule.json", "w.npz", "x.npy", "target.npy")}
    for name, make, shape, ways in SIGNALS:
        net, x = make().train(), torch.randn(shape)
        y = net(x)
        target = torch.arange(len(y)) % 5
        expected = torch.nn.functional.cross_entropy(y, target).item()
        numpy.save(files["x.npy"], x.numpy())
        numpy.save(files["target.npy"], target.numpy().astype("i4"))
        for via in ways:
            document = trace(net, x, via=via, notes=[])
            numpy.savez(files["w.npz"], **numbers_of(net, document))
            path = write(document, folder, "signals.json")
            batch = ["--batch-size", str(shape[0])] if "N" in json.dumps(document) else []
            poet("--model", path, *batch, "--platform", "m4", "--ram-budget", "100%", "--runtime-budget", "2", "--effort", "fast",
                 "--replace", "--output", files["schedule.json"])
            found = json.loads(poet("run", files["schedule.json"], "--model", path, "--parameters", files["w.npz"], "--input",
                                    f"input={files['x.npy']}", "--target", files["target.npy"]))["losses"][0]
            print(f"{name} by {via}: {found}, PyTorch has {expected}", flush=True)
            if "custom" in {layer["op"] for layer in document["layers"]}:
                problems.append(f"{name} by {via}: a custom layer")
            if not abs(found - expected) <= LOSS_TOLERANCE * abs(expected):
                problems.append(f"{name} by {via}: the loss is {found}, PyTorch has {expected}")


def documentation(folder, problems):
    with open(os.path.join(ROOT, "docs", "import.md"), encoding="utf-8") as page:
        program = re.search(r"## ONNX.*?```python\n(.*?)```", page.read(), re.DOTALL)[1]
    subprocess.run([sys.executable, "-c", program], cwd=folder, check=True, capture_output=True)
    stored = os.path.join(ROOT, "tests", "fuzz", "corpus", "onnx", "small_residual.onnx")
    layers = [json.loads(poet("import", path))["layers"] for path in (os.path.join(folder, "net.onnx"), stored)]
    if layers[0] != layers[1]:
        problems.append(f"the network of docs/import.md has other layers than {stored}")


def main():
    problems = []
    # Threads of PyTorch wait for each other where other tests run.
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        documentation(folder, problems)
        signals(folder, problems)
        others(folder, problems)
        classifiers(folder, problems)
    print("\n".join(problems) or "nothing wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
