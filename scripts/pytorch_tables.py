"""Writes the table and the figure of docs/pytorch.md: schedules in PyTorch beside what a user would run else.

usage: pytorch_tables.py [--folder build/pytorch] [--networks unet,gpt] [--seconds S] [--until-s S] [--again SHARE]
                         [--page FILE]

It needs Debian's python3-torch and python3-torchvision, and POET_SOLVE. Each network is a process of its own. FOLDER
keeps a file of rows for each network, so that a run that was stopped goes on; no network is begun after --until-s.
--again 0.2 measures rows again whose samples or eager mode's are 20 % apart, and the row with the least noise counts.
Times are processor seconds beside eager mode's in the same process, a step of each in turn: the median of the ratios
of seven samples, each of as many steps as take 0.5 s. With --page, the rows are written there, and beside it as
pictures/pytorch.svg.
"""
import argparse
import copy
import ctypes
import gc
import itertools
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import pytorch_page
from pytorch_ways import NETWORKS, ROOT, ToDisk, blocks_checkpointed, chain_of, checkpointed, make

CHECKPOINT = "checkpoint"
RAMS = {"80%": "80%", "60%": "60%", "40%": "40%", "least": "min"}
WAYS = (CHECKPOINT, "hooks to disk", "as checkpoint", *RAMS, *(f"{ram}, pages" for ram in RAMS), "40%, updates inside")
SAMPLES, SAMPLE_SECONDS = 7, 0.5


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


class Measured:
    """A network in eager mode, and its captured and measured step."""

    def __init__(self, name, seconds, folder):
        import torch
        from poet.torch._capture import capture
        from poet.torch._memory import give_back_freed_memory
        from poet.torch._planning import seconds_in_eager_mode

        torch.set_num_threads(1)
        give_back_freed_memory()
        self.net, self.x, self.y, self.loss = make(name)
        self.seconds, self.folder = seconds, folder
        self.step = capture(self.net, (self.x,))
        self.eager_seconds = seconds_in_eager_mode(self.net, (self.x,), self.step, lambda text: None)
        self.calls = sum(hasattr(call, "reads") for call in self.step.calls)

    def least_of_checkpoint(self, twin):
        """The number of segments, and of modules before them, with the least peak, of those that it can run."""
        from poet.torch._memory import peak_of

        peaks = {}
        for segments, outside in itertools.product(range(len(chain_of(twin)[0]), 1, -1), (0, 1)):
            other = checkpointed(copy.deepcopy(twin), segments, outside)
            try:
                self.loss(other(self.x), self.y).backward()
                for each in other.parameters():
                    each.grad = None
                peaks[segments, outside] = peak_of(lambda: self.loss(other(self.x), self.y).backward())
            except (RuntimeError, ValueError):  # a segment that begins with an operation in place, or has no module
                continue
        return min(peaks, key=peaks.get)

    def other(self, twin, way, ram):
        """The twin as this way runs it, and what is known before."""
        import torch
        from poet.torch._pages import disk_in
        from poet.torch._plan import facts_of
        from poet.torch._planning import make_plan
        from poet.torch._scheduled import Scheduled
        from poet.torch._updates import Updates

        if way == CHECKPOINT and hasattr(twin, "middle"):
            return blocks_checkpointed(twin), {"segments": "blocks"}
        if way == CHECKPOINT:
            segments, outside = self.least_of_checkpoint(twin)
            return checkpointed(twin, segments, outside), {"segments": segments, "outside": outside}
        if way == "hooks to disk":
            return ToDisk(twin, self.folder), {}
        optimizer = torch.optim.SGD(twin.parameters(), 0.01) if "updates" in way else None
        updates = optimizer and Updates(optimizer, dict(twin.named_parameters()))
        disk = disk_in(self.folder) if "pages" in way else None
        plan = make_plan(twin, (self.x,), self.step, self.eager_seconds, facts_of(twin, (self.x,), optimizer), ram, 3,
                         disk, updates, self.seconds, lambda text: None)
        figures = plan.figures
        return (Scheduled(twin, plan, self.folder if disk else None, updates),
                {"predicted": figures["predicted_bytes"], "budget": figures["budget_bytes"], "proof": plan.proof,
                 "ratio": figures["predicted_seconds"] / figures["eager_seconds"]})

    def row(self, way, ram):
        """What a way takes beside eager mode."""
        import torch
        from poet.torch._memory import peak_of

        nets = copy.deepcopy(self.net), copy.deepcopy(self.net)
        other, row = self.other(nets[1], way, ram)
        run = nets[0], other
        optimizers = [torch.optim.SGD(each.parameters(), 0.01) for each in nets]

        def step(which):
            for each in nets[which].parameters():
                each.grad = None
            value = self.loss(run[which](self.x), self.y)
            value.backward()
            return value

        left = []
        for which in (0, 1):
            torch.manual_seed(7)
            value = step(which)
            optimizers[which].step()
            left.append(([value.detach(), *nets[which].parameters()], list(nets[which].buffers()),
                         [torch.get_rng_state()]))
        row["bits"] = "".join(letter for letter, mine, its in zip("gbr", *left) if all(map(torch.equal, mine, its)))
        start = time.process_time()
        step(0)
        often = math.ceil(SAMPLE_SECONDS / (time.process_time() - start))
        row["cpu"], row["wall"] = [([0.0] * SAMPLES, [0.0] * SAMPLES) for _ in range(2)]
        for sample, _, which in itertools.product(range(SAMPLES), range(often), (0, 1)):
            cpu, wall = time.process_time(), time.perf_counter()
            step(which)
            row["cpu"][which][sample] += (time.process_time() - cpu) / often
            row["wall"][which][sample] += (time.perf_counter() - wall) / often
        for which, key in ((0, "eager"), (1, "peak")):
            for _ in range(2):
                for each in (*nets[0].parameters(), *nets[1].parameters()):
                    each.grad = None
                row[key] = peak_of(lambda: step(which))
        row["resident"] = resident(lambda: step(1))
        row["eager_resident"] = resident(lambda: step(0))
        return {"way": way, "calls": self.calls, **row}


def noise_of(row):
    """How far the ratios of its samples or eager mode's samples are apart, whichever are further."""
    if "cpu" not in row:
        return 0
    return max(map(pytorch_page.spread_of, (row["cpu"][0], [other / eager for eager, other in zip(*row["cpu"])])))


def rows_in(path):
    """The rows of a network; of several for one way, the one with the least noise."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {row["way"]: row for row in sorted(map(json.loads, lines), key=noise_of, reverse=True)}


def missing(path, again):
    """The ways without a row, or with one that is noisier than that."""
    rows = rows_in(path)
    return [way for way in WAYS if way not in rows or noise_of(rows[way]) > again]


def measure(name, seconds, again, path):
    """Appends the rows of a network that are missing; its own process calls this."""
    from poet.errors import PoetError

    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        measured = Measured(name, seconds, folder)
        for way in missing(path, again):
            rows = rows_in(path)
            start, (ram, *_) = time.monotonic(), way.split(",")
            try:
                if name == "lstm" and way in (CHECKPOINT, "as checkpoint"):
                    raise ValueError("it has no blocks")
                ram = int(rows[CHECKPOINT]["peak"]) if way == "as checkpoint" else RAMS.get(ram)
                row = measured.row(way, ram)
            except (PoetError, RuntimeError, ValueError) as error:
                row = {"way": way, "error": f"{type(error).__name__}: {error}"}
            with open(path, "a", encoding="utf-8") as file:
                print(json.dumps(row), file=file)
            print(f"{name}, {way}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
            gc.collect()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "pytorch")
    parser.add_argument("--page", type=pathlib.Path)
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--until-s", type=float, default=math.inf)
    parser.add_argument("--again", type=float, default=math.inf)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + options.until_s
    for name in options.networks.split(","):
        path = options.folder / f"{name}.jsonl"
        if options.child:
            measure(name, options.seconds, options.again, path)
        elif missing(path, options.again) and time.monotonic() < end:
            subprocess.run([sys.executable, __file__, "--child", "--folder", str(options.folder), "--networks", name,
                            "--seconds", str(options.seconds), "--again", str(options.again)],
                           env={**os.environ, "OMP_NUM_THREADS": "1"}, check=True)
    if options.page and not options.child:
        found = {name: rows_in(options.folder / f"{name}.jsonl") for name in NETWORKS}
        pytorch_page.write(options.page, {name: {way: rows[way] for way in WAYS if way in rows}
                                          for name, rows in found.items()})


if __name__ == "__main__":
    main()
