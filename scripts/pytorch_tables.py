"""Writes the table of docs/pytorch.md: schedules in PyTorch beside what a user would run else.

usage: pytorch_tables.py --page docs/pytorch.md [--networks unet,gpt] [--seconds S]

It needs Debian's python3-torch and python3-torchvision, and POET_SOLVE. Each way is a process of its own, so that its
resident memory is its own. Times are processor seconds beside eager mode in the same process, in turn: the median of
seven.
"""
import argparse
import copy
import ctypes
import gc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "python")]
NETWORKS = ("unet", "gpt", "encoder", "mobilenet_v2", "resnet18")
WAYS = ("checkpoint", "hooks to disk", "80%", "60%", "40%", "as checkpoint", "40% updates inside", "40% pages")


def make(name):
    """Larger networks than the tests'."""
    import torch
    import torch_networks as networks

    torch.manual_seed(1)
    if name == "unet":
        return networks.UNet(16, 3), torch.randn(2, 3, 128, 128), torch.randn(2, 1, 128, 128), networks.squares
    if name == "gpt":
        return (networks.Gpt(128, 96, 4, 4, 96), torch.randint(0, 128, (4, 96)), networks.labels(384, 128),
                networks.cross_entropy)
    if name == "encoder":
        layer = torch.nn.TransformerEncoderLayer(64, 4, 256, 0.1, batch_first=True)
        net = torch.nn.Sequential(torch.nn.TransformerEncoder(layer, 4), torch.nn.Flatten(),
                                  torch.nn.Linear(48 * 64, 10))
        return net, torch.randn(8, 48, 64), networks.labels(8), networks.cross_entropy
    import torchvision

    return (getattr(torchvision.models, name)(num_classes=10), torch.randn(2, 3, 224, 224), networks.labels(2),
            networks.cross_entropy)


def checkpointed(net):
    """What a person would give to torch.utils.checkpoint: the blocks of the network."""
    from torch.utils.checkpoint import checkpoint

    kinds = ("BasicBlock", "InvertedResidual", "Block", "TransformerEncoderLayer")
    blocks = [module for module in net.modules() if type(module).__name__ in kinds]
    if hasattr(net, "middle"):
        blocks = [*net.down, net.middle, *net.back]
    for block in blocks:
        block.forward = (lambda run: lambda *inputs, **keys: checkpoint(run, *inputs, use_reentrant=False, **keys))(
            block.forward)
    return net


class ToDisk:
    """Every tensor that autograd saves goes to a file at once, and comes back when it is asked for."""

    def __init__(self, net):
        self.net, self.own = net, {each.data_ptr() for each in net.parameters()}

    def __call__(self, x):
        import torch
        from poet.torch._pages import PageFile

        file, end = PageFile(".", 1 << 28), [0]

        def pack(tensor):
            if tensor.data_ptr() in self.own or tensor.numel() < 1024 or not tensor.is_contiguous():
                return tensor
            kept = tensor.detach().clone()
            file.write(kept, end[0]).result()
            end[0] += kept.numel() * kept.element_size()
            return end[0] - kept.numel() * kept.element_size(), tensor.shape, kept.stride(), tensor.dtype

        def unpack(packed):
            if isinstance(packed, torch.Tensor):
                return packed
            slot, shape, stride, kind = packed
            tensor, read = file.read((shape, stride, 0, kind), slot)
            read.result()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            return self.net(x)

    def __getattr__(self, name):
        return getattr(self.net, name)


def resident(step):
    """How much the process grows in a step."""
    def status(key):
        lines = open("/proc/self/status", encoding="ascii")
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith(key))

    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = status("VmRSS")
    pathlib.Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    step()
    return status("VmHWM") - before


def measure(name, way, ram, seconds):
    """A row for one way; its own process calls this."""
    import torch
    from poet.torch import scheduled
    from poet.torch._memory import give_back_freed_memory, peak_of

    torch.set_num_threads(1)
    give_back_freed_memory()
    net, x, y, loss = make(name)
    optimizers = [torch.optim.SGD(net.parameters(), 0.01)]
    twin = copy.deepcopy(net)
    row = {}
    if way == "checkpoint":
        other = checkpointed(twin)
    elif way == "hooks to disk":
        other = ToDisk(twin)
    else:
        inside = torch.optim.SGD(twin.parameters(), 0.01) if "updates" in way else None
        other = scheduled(twin, x, ram=ram or way.split()[0], optimizer=inside, seconds=seconds, cache=False,
                          paging="." if "pages" in way else None)
        row = {"predicted": other.plan.figures["predicted_bytes"], "proof": other.plan.proof,
               "ratio": other.plan.figures["predicted_seconds"] / other.plan.figures["eager_seconds"]}
    optimizers.append(torch.optim.SGD(twin.parameters(), 0.01))

    def step(which):
        for each in (net, twin)[which].parameters():
            each.grad = None
        value = loss((net, other)[which](x), y)
        value.backward()
        return value

    left = []
    for which in (0, 1):
        torch.manual_seed(7)
        value = step(which)
        optimizers[which].step()
        own = (net, twin)[which]
        left.append(([value.detach(), *own.parameters()], list(own.buffers()), [torch.get_rng_state()]))
    row["bits"] = "".join(letter for letter, mine, its in zip("gbr", *left) if all(map(torch.equal, mine, its)))
    times = []
    for _ in range(7):
        pair = []
        for which in (0, 1):
            start = time.thread_time()
            step(which)
            pair.append(time.thread_time() - start)
        times.append(pair)
    row["seconds"] = [statistics.median(each) for each in zip(*times)]
    for which, key in ((0, "eager"), (1, "peak")):
        step(which)
        for each in (*net.parameters(), *twin.parameters()):
            each.grad = None
        row[key] = peak_of(lambda: step(which))
    row["resident"] = resident(lambda: step(1))
    return row


def rows_of(name, seconds):
    found = {}
    for way in WAYS:
        ram = str(found["checkpoint"]["peak"]) if way == "as checkpoint" else ""
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, __file__, "--measure", name, way, ram, str(seconds)], cwd=folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                                 env={**os.environ, "OMP_NUM_THREADS": "1"})
        found[way] = json.loads(run.stdout) if run.returncode == 0 else {"error": run.stderr.strip().splitlines()[-1]}
        print(name, way, json.dumps(found[way]), file=sys.stderr, flush=True)
    return found


def table(results):
    lines = ["| network, eager's peak | way | peak | RSS | time | predicted | equal |",
             "|---|---|---:|---:|---:|---:|---|"]
    for name, rows in results.items():
        eager = next(row["eager"] for row in rows.values() if "eager" in row)
        for way, row in rows.items():
            if "error" in row:
                lines.append(f"| {name} | {way} | no schedule | | | | |")
                continue
            ratio = f"{row['ratio']:.3f}" if "ratio" in row else ""
            lines.append(f"| {name}, {eager / 1e6:.1f} MB | {way} | {row['peak'] / eager:.1%} | "
                         f"{row['resident'] / 1e6:.1f} MB | {row['seconds'][1] / row['seconds'][0]:.2f} | {ratio} | "
                         f"{' '.join(row['bits'])} |")
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:2] == ["--measure"]:
        name, way, ram, seconds = sys.argv[2:]
        print(json.dumps(measure(name, way, ram, float(seconds))))
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    results = {name: rows_of(name, options.seconds) for name in options.networks.split(",")}
    text = options.page.read_text(encoding="utf-8")
    begin, end = text.index("<!-- table -->\n"), text.index("<!-- end of the table -->")
    options.page.write_text(text[:begin] + "<!-- table -->\n" + table(results) + text[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
