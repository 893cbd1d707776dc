"""The largest batch of MobileNetV2 that trains in so much memory, in eager mode and by schedules, found by training.

usage: pytorch_batch.py [--memory-mib 512] [--extent 224] [--seconds S] [--ways eager/scheduled] [--first N]

Each trial is a process with a limit of this size on its data (RLIMIT_DATA, as by `ulimit -d`): heap, tensors, stacks
and what else it may write, not the code of libraries. A limit of 512 MiB on all virtual memory (`ulimit -v`) would not
let torchvision be imported. A trial trains two steps with SGD. A schedule is made in the limited process, too, for all
that is left of the memory.
"""
import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "tests" / "python"), str(ROOT / "scripts")]
WAYS = ("eager", "checkpoint_sequential", "scheduled", "scheduled, pages", "scheduled, updates inside")
#: What stays free for Python, for the code of a plan, and for holes between tensors.
SPARE_BYTES = 32 << 20


def status(key):
    lines = open("/proc/self/status", encoding="ascii")
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(key))


def train(way, memory, batch, extent, seconds):
    """Two steps within the memory, or an error; its own process calls this."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    import torch
    import torchvision
    from poet.torch import scheduled
    from poet.torch._memory import give_back_freed_memory
    from pytorch_ways import chain_of, checkpointed

    torch.set_num_threads(1)
    give_back_freed_memory()
    torch.manual_seed(1)
    net = torchvision.models.mobilenet_v2(num_classes=10)
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    x, y = torch.randn(batch, 3, extent, extent), torch.randint(0, 10, (batch,))
    # The first step makes what stays for good: buffers of OpenBLAS and kernels of oneDNN, some 150 MB of addresses.
    torch.nn.functional.cross_entropy(net(x[:1].repeat(2, 1, 1, 1)), y[:1].repeat(2)).backward()
    optimizer.zero_grad(set_to_none=True)
    with tempfile.TemporaryDirectory(dir=".") as folder:
        if way == "checkpoint_sequential":
            net = checkpointed(net, len(chain_of(net)[0]) - 1, 1)
        elif way != "eager":
            parameters = sum(each.numel() * each.element_size() for each in net.parameters())
            room = memory - status("VmData") - SPARE_BYTES - (0 if "updates" in way else parameters)
            net = scheduled(net, x, ram=room, seconds=seconds, cache=False, runtime=3,
                            paging=folder if "pages" in way else None,
                            optimizer=optimizer if "updates" in way else None)
            print(net.plan, file=sys.stderr)
        for _ in range(2):
            start = time.process_time()
            torch.nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            took = time.process_time() - start
    print(f"{took / batch:.3f} s an image, data {status('VmData') / 2 ** 20:.0f} MiB after the step, "
          f"resident {status('VmHWM') / 2 ** 20:.0f} MiB at most")


def works(way, batch, options):
    """What a trial says, or nothing if it failed."""
    run = subprocess.run([sys.executable, "-B", __file__, "--ways", way, "--memory-mib", str(options.memory_mib),
                          "--extent", str(options.extent), "--seconds", str(options.seconds), "--child", str(batch)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    said = run.stdout.strip() if run.returncode == 0 else ""
    lines = run.stderr.strip().splitlines() or [f"exit status {run.returncode}"]
    print(f"{way}, {batch}: {said or 'fails: ' + lines[-1]}", file=sys.stderr, flush=True)
    return said


def largest(way, options):
    """By doubling and halving, from a batch that is a guess."""
    low, high, said, batch = 0, 0, "", options.first
    while high == 0 or high - low > 1:
        found = works(way, batch, options)
        if found:
            low, said = batch, found
        else:
            high = batch
        batch = 2 * low if high == 0 else (low + high) // 2
        if batch == 0:
            break
    return low, said


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--memory-mib", type=int, default=512)
    parser.add_argument("--extent", type=int, default=224)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--first", type=int, default=8)
    parser.add_argument("--ways", default="/".join(WAYS))
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        train(options.ways, options.memory_mib << 20, options.child, options.extent, options.seconds)
        return
    for way in options.ways.split("/"):
        batch, said = largest(way, options)
        print(f"| {way} | {batch} | {said} |", flush=True)


if __name__ == "__main__":
    main()
