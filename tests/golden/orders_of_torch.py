#!/usr/bin/env python3
"""Drawn networks of LSTM cells, attention, splits, concats and dropout, trained in other orders of their nodes, in little RAM.

usage: orders_of_torch.py POET_SOLVE POET_DUMP_STEP

The order is drawn by the rules of docs/schedule-format.md, or found by `--order search`. Each network is solved in the least of some
shares of the RAM that has a schedule. The gradients of its run have the bits of the given order, and are PyTorch's in double numbers
(gradients_of_torch.py). POET_CASES=1000 POET_SEED=7 draws 1000 of them from number 7 on.
Exit status 77, which CTest takes for skipped, without torch.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # next to the sources
from gradients_of_torch import check, run  # noqa: E402

FIRST, CASES = int(os.environ.get("POET_SEED", 0)), int(os.environ.get("POET_CASES", 5))
SHARES = ("35%", "50%", "70%", "100%", "150%", "300%")
STEPS, WIDTH = 3, 6
# Smooth ones: a kink between single and double numbers is not a wrong gradient.
SMOOTH = ("tanh", "sigmoid", "gelu", "silu")


class Drawing:
    """A network of blocks over a sequence, then LSTM cells over its steps."""

    def __init__(self, number):
        self.draw = random.Random(number)
        self.layers = []
        self.pool = [self.add("linear", ["input"], out_features=WIDTH)]
        for _ in range(self.draw.randint(2, 4)):
            block = self.draw.choice((self.attention, self.parts, self.dropped, self.sum))
            self.pool.append(block(self.draw.choice(self.pool[-2:])))
        sequence = self.add("dropout", [self.pool[-1]], rate=self.draw.choice((0.1, 0.5)))
        last = self.recurrence(self.add("layer_norm", [sequence]))
        all_of_it = self.add("concat", [last, self.add("flatten", [self.draw.choice(self.pool)])])
        self.add("cross_entropy", [self.add("linear", [all_of_it], out_features=5)], classes=5)
        self.model = {"format": "poet-model", "version": 2, "name": f"drawn{number}",
                      "update": self.draw.choice(("fused", "buffered", "accumulate")),
                      "optimizer": self.draw.choice(("sgd", "momentum", "adam")),
                      "input": {"shape": [2, STEPS, WIDTH]}, "layers": self.layers}

    def add(self, op, inputs, **attributes):
        name = f"{op}{len(self.layers)}"
        self.layers.append({"name": name, "op": op, "inputs": inputs, **attributes})
        return name

    def attention(self, x):
        parts = [self.add("linear", [self.draw.choice((x, self.pool[0]))], out_features=WIDTH) for _ in range(3)]
        return self.add("attention", parts, heads=self.draw.choice((1, 2, 3)), causal=self.draw.random() < 0.5)

    def parts(self, x):
        axis, size = self.draw.choice(((1, STEPS), (2, WIDTH)))
        first = self.draw.randint(1, size - 1)
        parts = self.add("split", [x], sizes=[first, size - first], axis=axis)
        halves = [self.add(self.draw.choice(SMOOTH), [f"{parts}.{side}"]) for side in (0, 1)]
        return self.add("concat", halves, axis=axis)

    def dropped(self, x):
        x = self.add("dropout", [self.add(self.draw.choice(SMOOTH), [x])], rate=0.3)
        return self.add("linear", [x], out_features=WIDTH)

    def sum(self, x):
        return self.add("add", [self.add(self.draw.choice(SMOOTH), [x]), self.draw.choice(self.pool)])

    def recurrence(self, x):
        steps = [self.add("flatten", [self.add("slice", [x], start=step, size=1)]) for step in range(STEPS)]
        h, c = (self.add("linear", [steps[0]], out_features=4) for _ in range(2))
        cell = self.add("lstm", [steps[0], h, c])
        last = cell
        for step in steps[1:]:
            last = self.add("lstm", [step, last, f"{last}.c"], weights=cell)
        return last


def legal_order(nodes, draw):
    """Any order in which a node comes after its inputs, a change of parameters after all that reads them, and changes as listed."""
    after = [set(node["inputs"]) for node in nodes]
    for k, node in enumerate(nodes):
        for name in node.get("writes_parameters", []):
            after[k] |= {j for j, other in enumerate(nodes) if j != k and name in other.get("reads_parameters", [])}
            after[k] |= {j for j in range(k) if name in nodes[j].get("writes_parameters", [])}
    order, left = [], set(range(len(nodes)))
    while left:
        order.append(draw.choice(sorted(k for k in left if not after[k] & left)))
        left.remove(order[-1])
    return order


class Ordered:
    """Runs in an order of their own, counted."""

    def __init__(self):
        self.orders = self.recomputed = self.paged = 0

    def run(self, source, batch_size, seed, folder):
        path, stated = (os.path.join(folder, name) for name in ("schedule.json", "order.json"))
        solve = [sys.argv[1], "-q", "--model", source, "--batch-size", str(batch_size), "--platform", "m4", "--runtime-budget", "2",
                 "--effort", "fast", "--time-limit-s", "0.5", "--replace", "--output", path]
        run([*solve, "--ram-budget", "100%"])
        with open(source, encoding="utf-8") as file:
            searches = json.load(file)["update"] == "accumulate"  # whose additions have an order that no node states
        with open(path, encoding="utf-8") as file, open(stated, "w", encoding="utf-8") as order:
            json.dump(legal_order(json.load(file)["nodes"], random.Random(seed)), order)
        solve += ["--order", "search" if searches else stated]
        for share in SHARES:
            solved = subprocess.run([*solve, "--ram-budget", share], capture_output=True, check=False)
            if solved.returncode == 0:
                break
            assert solved.returncode in (3, 4) and share != SHARES[-1], (source, share, solved.stderr.decode())
        with open(path, encoding="utf-8") as file:
            schedule = json.load(file)
        self.orders += "order" in schedule["model"]
        self.recomputed += schedule["summary"]["recompute_count"]
        self.paged += schedule["summary"]["page_in_count"]
        result = json.loads(run([sys.argv[1], "run", path, "--model", source, "--seed", str(seed), "--check"]))
        return {gradient["name"]: gradient["sha256"] for gradient in result["gradients"]}, result["losses"][0]


def main():
    failed, worst_of_all, ordered = 0, 0, Ordered()
    for number in range(FIRST, FIRST + CASES):
        with tempfile.TemporaryDirectory() as folder:
            model, path = Drawing(number).model, os.path.join(folder, "model.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(model, file)
            worst, _, problems = check(model, path, 1, number + 1, folder, ordered.run)
            worst_of_all = max(worst_of_all, worst)
            failed += bool(problems)
            if problems:
                print(f"POET_CASES=1 POET_SEED={number}: {'; '.join(problems)}")
    print(f"{CASES} networks, {failed} wrong; {ordered.orders} in another order, {ordered.recomputed} computed again, "
          f"{ordered.paged} paged in, off by {worst_of_all:.1e} at most")
    return 1 if failed or (CASES >= 5 and not (ordered.orders and ordered.recomputed and ordered.paged)) else 0


if __name__ == "__main__":
    sys.exit(main())
