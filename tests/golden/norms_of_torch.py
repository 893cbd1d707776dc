#!/usr/bin/env python3
"""Trains a network with batch norms in PyTorch and by its import, and compares losses and running statistics.

usage: norms_of_torch.py POET_SOLVE POET_DUMP_STEP

Epsilons, momenta, slopes and rates of the network are none that layers have by themselves.

- Four steps of gradient descent from the same numbers: every running mean and variance is PyTorch's within 1e-5 of the largest one of
  its norm, and num_batches_tracked is the same. A scheduled run, which computes norms again, has these statistics bit by bit.
- With norms in evaluation mode, without gradients, or in front of what --trainable trains, a run with the whole state_dict has the
  losses of PyTorch in evaluation mode.
- A network like MobileNetV2, of one block with dropout, that PyTorch has trained for some steps: a schedule of its forward pass has the
  outputs of the module in evaluation mode within 1e-5 of the largest, for another batch size than the training's.
- MobileNetV2 of width 0.35 whose last layer alone is trained takes the RAM that it takes with all norms frozen by hand.

Exit status 77, which CTest takes for skipped, without torch.
"""
import copy
import hashlib
import json
import os
import sys
import tempfile

try:
    import numpy
    import torch
    from torch import nn
except ImportError as error:
    print(f"skipped: {error} (Debian: python3-torch)")
    sys.exit(77)

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
sys.path[:0] = [os.path.join(ROOT, "python")]
os.environ["POET_SOLVE"] = sys.argv[1]
from gradients_of_torch import Dump, data, run, tensors  # noqa: E402
from poet.torch import trace  # noqa: E402

TOLERANCE = 1e-5
SHAPE, CLASSES, STEPS = (6, 2, 10, 10), 4, 4


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 6, 3, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(6, eps=0.03, momentum=0.25)
        self.point = nn.Conv2d(6, 8, 1, bias=False)
        self.norm = nn.BatchNorm2d(8, eps=1e-3, momentum=0.6)
        self.layer = nn.LayerNorm(8, eps=0.02)
        self.drop = nn.Dropout(0)
        self.fc = nn.Linear(8, CLASSES)

    def forward(self, x):
        x = nn.functional.leaky_relu(self.bn(self.conv(x)), 0.2)
        x = nn.functional.leaky_relu(self.norm(self.point(x)), 0.4)
        return self.fc(self.drop(self.layer(x.mean([2, 3]))))


def poet(*words):
    return run([sys.argv[1], *words]).decode()


def write(document, folder, name):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        json.dump(document, file)
    return path


def state_of(dump):
    """Parameters of the seed as PyTorch calls them."""
    return {f"{array['name']}.{part}": tensor.detach() for array in dump.of("parameters")
            for part, tensor in zip(("weight", "bias"), tensors(array))}


def train(net, x, target):
    """The losses of some steps with the rate that `run` has."""
    optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.01)
    losses = []
    for _ in range(STEPS):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def solved(folder, path, ram):
    schedule = os.path.join(folder, "schedule.json")
    poet("--model", path, "--batch-size", str(SHAPE[0]), "--platform", "m4", "--ram-budget", ram, "--runtime-budget", "3", "--effort",
         "fast", "--no-paging", "--replace", "--output", schedule)
    return schedule


def off(found, expected):
    return (found - expected).abs().max().item() / expected.abs().max().item()


def statistics(folder, problems):
    path = write(trace(Net(), torch.zeros(SHAPE)), folder, "net.json")
    dump = Dump(run([sys.argv[2], path, str(SHAPE[0]), "1", str(STEPS)]))
    net = Net().double().train()
    net.load_state_dict(state_of(dump), strict=False)
    losses = train(net, data(dump.of("input")[0], SHAPE), data(dump.of("target")[0]))
    found = {array["name"]: array for array in dump.of("running")}
    if sorted(found) != ["bn", "norm"]:
        problems.append(f"running statistics of {sorted(found)}; expected bn and norm")
    for name, array in found.items():
        module = getattr(net, name)
        means, variances = torch.from_numpy(array["values"].astype("f8")).chunk(2)
        worst = max(off(means, module.running_mean), off(variances, module.running_var))
        print(f"{name}: running statistics are off by {worst:.1e} after {STEPS} steps")
        if not worst <= TOLERANCE:
            problems.append(f"{name}: running statistics are off by {worst}")
        if array["batches"] != module.num_batches_tracked.item():
            problems.append(f"{name}: {array['batches']} batches; expected {module.num_batches_tracked.item()}")
    schedule = solved(folder, path, "90%")
    with open(schedule) as file:
        written = json.load(file)
    norms = {i for i, node in enumerate(written["nodes"]) if node["name"] in found}
    computed = sum(step["op"] == "compute" and step["node"] in norms for step in written["program"])
    result = json.loads(poet("run", schedule, "--model", path, "--steps", str(STEPS)))
    print(f"a schedule that computes two norms {computed} times: losses {result['losses']}, PyTorch has {losses}")
    if computed <= len(norms):
        problems.append(f"the schedule computes {len(norms)} norms {computed} times; expected one again")
    digests = {each["name"]: each["sha256"] for each in result["statistics"]}
    if digests != {name: hashlib.sha256(array["bytes"]).hexdigest() for name, array in found.items()}:
        problems.append("the scheduled run has other running statistics")
    if not (result["equal"] and numpy.allclose(result["losses"], losses, rtol=TOLERANCE)):
        problems.append(f"the losses are {result['losses']}; expected {losses}")


def by_evaluation(net):
    net.bn.eval()
    net.norm.eval()


def without_gradients(net):
    for norm in (net.bn, net.norm):
        norm.requires_grad_(False)
        norm.eval()


FROZEN = {"eval()": (by_evaluation, None), "requires_grad": (without_gradients, None), "--trainable": (lambda net: None, "fc")}


def frozen(folder, problems):
    torch.manual_seed(3)
    x, target = torch.randn(SHAPE), torch.randint(CLASSES, SHAPE[:1])
    for way, (freeze, trainable) in FROZEN.items():
        for via in ("fx", "onnx"):
            net = Net().train()
            for norm in (net.bn, net.norm):
                nn.init.normal_(norm.running_mean)
                nn.init.uniform_(norm.running_var, 0.5, 2)
                nn.init.uniform_(norm.weight, 0.5, 2)
                nn.init.normal_(norm.bias)
            freeze(net)
            document = trace(net, x, via=via, trainable=trainable)
            norms = [layer for layer in document["layers"] if layer["op"] == "batch_norm2d"]
            if len(norms) != 2 or not all(layer.get("frozen") for layer in norms):
                problems.append(f"{way} by {via}: {norms}; expected frozen norms")
            files = {name: os.path.join(folder, name) for name in ("state.npz", "x.npy", "y.npy")}
            numpy.savez(files["state.npz"], **{name: value.numpy() for name, value in net.state_dict().items()})
            numpy.save(files["x.npy"], x.numpy())
            numpy.save(files["y.npy"], target.numpy())
            path = write(document, folder, "frozen.json")
            result = json.loads(poet("run", solved(folder, path, "100%"), "--model", path, "--parameters", files["state.npz"], "--input",
                                     files["x.npy"], "--target", files["y.npy"], "--steps", str(STEPS)))
            other = copy.deepcopy(net).double()
            by_evaluation(other)
            for name, parameter in other.named_parameters():
                parameter.requires_grad_(name.startswith("fc") if trainable else name.split(".")[0] not in ("bn", "norm"))
            losses = train(other, x.double(), target)
            print(f"{way} by {via}: losses {result['losses']}, PyTorch has {losses}")
            if not (result["equal"] and numpy.allclose(result["losses"], losses, rtol=TOLERANCE)):
                problems.append(f"{way} by {via}: the losses are {result['losses']}; expected {losses}")


class Block(nn.Module):
    """An inverted residual, and a classifier with dropout."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(2, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU6())
        self.block = nn.Sequential(nn.Conv2d(8, 24, 1, bias=False), nn.BatchNorm2d(24, eps=1e-3, momentum=0.3), nn.ReLU6(),
                                   nn.Conv2d(24, 24, 3, padding=1, groups=24, bias=False), nn.BatchNorm2d(24), nn.ReLU6(),
                                   nn.Conv2d(24, 8, 1, bias=False), nn.BatchNorm2d(8))
        self.drop = nn.Dropout(0.4)
        self.fc = nn.Linear(8, CLASSES)

    def forward(self, x):
        x = self.stem(x)
        x = x + self.block(x)
        return self.fc(self.drop(x.mean([2, 3])))


def evaluated(folder, problems):
    torch.manual_seed(5)
    net = Block().train()
    train(net, torch.randn(SHAPE), torch.randint(CLASSES, SHAPE[:1]))
    x = torch.randn(3, *SHAPE[1:])
    with torch.no_grad():
        expected = copy.deepcopy(net).double().eval()(x.double())
    files = {name: os.path.join(folder, name) for name in ("state.npz", "x.npy", "outputs.npz", "forward.json")}
    numpy.savez(files["state.npz"], **{name: value.numpy() for name, value in net.state_dict().items()})
    numpy.save(files["x.npy"], x.numpy())
    for via in ("fx", "onnx"):
        path = write(trace(net, torch.zeros(SHAPE), via=via), folder, "net.json")
        poet("--model", path, "--backward", "none", "--batch-size", "3", "--platform", "m4", "--ram-budget", "min", "--runtime-budget", "2",
             "--effort", "fast", "--replace", "--output", files["forward.json"])
        result = json.loads(poet("run", files["forward.json"], "--model", path, "--parameters", files["state.npz"], "--input", files["x.npy"],
                                 "--outputs-output", files["outputs.npz"]))
        found = numpy.load(files["outputs.npz"])
        if sorted(found) != ["fc"]:
            problems.append(f"outputs of {sorted(found)} by {via}; expected fc")
            continue
        worst = off(torch.from_numpy(found["fc"]).double(), expected)
        print(f"evaluation mode by {via}: outputs are off by {worst:.1e}")
        if not (result["equal"] and worst <= TOLERANCE):
            problems.append(f"evaluation mode by {via}: outputs are off by {worst}")


def mobilenet(folder, problems):
    try:
        from torchvision.models import mobilenet_v2
    except ImportError:
        print("without MobileNetV2: no torchvision (Debian: python3-torchvision)")
        return
    net = mobilenet_v2(width_mult=0.35, num_classes=10)
    for via in ("fx", "onnx"):
        path = write(trace(net, torch.zeros(1, 3, 96, 96), trainable="last:1", via=via), folder, "mobilenet.json")
        peak = json.loads(poet("info", path, "--json"))["baseline_peak_ram_bytes"]
        print(f"MobileNetV2 by {via}, of which the last layer is trained: {peak} bytes")
        if peak != 552960:
            problems.append(f"MobileNetV2 by {via} takes {peak} bytes; expected 552960")


def main():
    problems = []
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        statistics(folder, problems)
        frozen(folder, problems)
        evaluated(folder, problems)
        mobilenet(folder, problems)
    print("\n".join(problems) or "nothing wrong")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
