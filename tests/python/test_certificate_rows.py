"""Every row of a certificate holds for every valid schedule: rows of poet_check.py against random schedules.

The schedules are drawn straight from the rules of docs/schedule-format.md, with much that no search would do: idle
recomputations, copies written twice, page-ins that nothing reads. The columns are valued by their definitions.
POET_CASES is the number of schedules.
"""
import hashlib
import itertools
import math
import os
import random
import unittest
from fractions import Fraction
from unittest import mock

import poet_check

CASES = int(os.environ.get("POET_CASES", "120"))
RARE = [28, 190, 408, 162, 102, 155, 751]  # schedules with events that few others have


class Dead(Exception):
    """A schedule that was drawn cannot go on."""


def some(draw, things, chance):
    return [thing for thing in things if draw.random() < chance]


def draw_graph(draw):
    """Nodes, and perhaps a plan for the rarest event: stage s writes i out and computes j again, which only serves to
    free i. Stage `back` reads it back for node u."""
    nodes, written, plan = [], set(), None
    energies = draw.choice([[1, 2, 3], [0, 0.5, 4], [0.1, 0.7, 1.3], [1]])
    transfers = draw.choice([[0.125], [0, 1], [0.3, 2.2], [1, 3]])
    names = ["w", "a\nb", "\u00fc"]
    count, training, dense = draw.choice([4, 5, 6, 7, 8, 9, 9]), draw.random() < 0.6, draw.choice([0.05, 0.2, 0.4])
    if count >= 6 and draw.random() < 0.25:
        plan = i, j, s, back, u = sorted(draw.sample(range(count), 5))
    for k in range(count):
        inputs = {k - 1} if k and draw.random() < 0.8 else set()
        if training and k > count // 2:  # gradients read the tensors of the forward pass, the last one first
            inputs.add(count - 1 - k)
        inputs |= set(some(draw, range(k), dense))
        if plan:
            inputs = inputs | {i} if k in (j, u) else inputs - {i} if s < k <= back else inputs
            inputs -= {j} if k >= s else set()
        inputs = sorted(inputs)
        node = {"bytes": draw.choice([0, 1, 2, 2, 3, 4]), "runtime": draw.choice([0, 1, 2.5]), "inputs": inputs,
                "energy": draw.choice(energies), "page_in": draw.choice(transfers), "page_out": draw.choice(transfers),
                "in_place": None, "workspace": draw.choice([0, 0, 0, 1, 3]), "recompute": draw.random() < 0.9,
                "page": draw.random() < 0.9, "reads": [], "writes": [], "in_seconds": draw.choice([0, 1, 0.3]),
                "out_seconds": draw.choice([0, 1, 0.7])}
        node["storage"] = node["bytes"] + draw.choice([0, 0, 1, 4])
        if inputs and draw.random() < 0.5:
            node["in_place"] = draw.choice(inputs)
            node["bytes"] = nodes[node["in_place"]]["bytes"]
            node["storage"] = max(node["storage"], node["bytes"])
        node["reads"] = some(draw, [name for name in names if name not in written], 0.2)
        if not node["recompute"]:
            node["writes"] = some(draw, names, 0.4)
            written.update(node["writes"])
        if plan and k in (i, j):
            node.update(page=True, recompute=True, reads=[], writes=[])
        nodes.append(node)
    return nodes, plan


def last_stages(nodes):
    """The last stage that may compute each node."""
    last = []
    for k, node in enumerate(nodes):
        ends = [w for w, other in enumerate(nodes) if set(other["writes"]) & set(node["reads"])]
        last.append(min(ends, default=len(nodes) - 1) if node["recompute"] else k)
    return last


def draw_stages(draw, nodes, plan):
    """A list of stages (resident, compute, page_out, page_in) that keeps the rules, but for the budgets."""
    keep, keep_copied, idle, out, back = draw.choice([  # chances
        (0.4, 0.4, 0.05, 0.4, 0.5), (0.6, 0.6, 0, 0, 0), (0.8, 0.8, 0.3, 0.8, 0.3), (0.95, 0.4, 0, 0.6, 0.8),
        (0.7, 0.1, 0.05, 0.6, 0.9)])
    last, stages, resident, copies = last_stages(nodes), [], [], set()
    i, j, s, arrival, u = plan or [-1] * 5
    for t, node in enumerate(nodes):
        written = some(draw, [k for k in resident if nodes[k]["page"] and (k != i or t > s)], out) + [i] * (t == s)
        compute, wanted = {t}, some(draw, range(t), idle) + [j] * (t == s) + [i] * (t == s - 1) + node["inputs"]
        while wanted:  # with what is needed to compute it
            k = wanted.pop()
            if k not in resident and k not in compute:
                if last[k] >= t:
                    compute.add(k)
                    wanted += nodes[k]["inputs"]
                elif k in node["inputs"] or any(k in nodes[r]["inputs"] for r in compute):
                    raise Dead
        free = copies - set(resident) - compute if t + 1 < len(nodes) else ()
        read = sorted(k for k in free if draw.random() < back and (k != i or t > arrival) or k == i and t == arrival)
        stages.append((resident, sorted(compute), written, read))
        copies |= set(written)
        kept = [k for k in sorted({*resident, *compute}) if draw.random() < (keep_copied if k in copies else keep)]
        if plan and i <= t < u:
            if t < s - 1:
                kept = [k for k in kept if k != i] + [i] * (draw.random() < 0.7)
                kept = [k for k in kept if k in resident or k in compute]
            else:
                kept = sorted({*kept, i} if t == s - 1 or arrival < t else {*kept} - {i})
            kept = [k for k in kept if k != j or t not in (s - 1, s)]
            if t == arrival and i not in read:
                raise Dead
        resident = sorted(kept + read) if t + 1 < len(nodes) else []
    return stages


def ram(nodes, stages, overlapped):
    """Rule 5: the peak, and the bytes of tensors at each instant, without those that arrive."""
    peak, instants = 0, {}
    for t, (resident, compute, written, read) in enumerate(stages):
        kept = stages[t + 1][0] if t + 1 < len(stages) else []
        held, flying = set(resident), sum(nodes[i]["bytes"] for i in read) if overlapped else 0
        peak = max(peak, flying + sum(nodes[i]["bytes"] for i in held))
        for k in range(t + 1):
            taken, gone, node = 0, set(), nodes[k]
            if k in compute:
                gone = {i for i in node["inputs"]
                        if i not in kept and not any(i in nodes[j]["inputs"] for j in compute if j > k)}
                if overlapped:
                    gone -= set(written)
                held.add(k)
                taken = nodes[node["in_place"]]["bytes"] if node["in_place"] in gone else 0
            instants[t, k] = sum(nodes[i]["bytes"] for i in held) - taken + (node["workspace"] if k == t else 0)
            peak = max(peak, flying + instants[t, k] + (node["workspace"] if k in compute and k < t else 0))
            held -= gone
    return peak, instants


class Case:
    """A graph, a schedule, limits that it meets exactly, and a certificate about them that ends before its rows."""

    def __init__(self, seed):
        self.draw = draw = random.Random(seed)
        while True:
            self.nodes, plan = draw_graph(draw)
            try:
                self.stages = draw_stages(draw, self.nodes, plan)
                break
            except Dead:
                pass
        self.paging_time = draw.choice(["free", "blocking", "overlapped"])
        self.ram, self.instants = ram(self.nodes, self.stages, self.paging_time == "overlapped")
        self.paging = any(out for _, _, out, _ in self.stages) or draw.random() < 0.5
        self.remat = any(len(compute) > 1 for _, compute, _, _ in self.stages) or draw.random() < 0.5
        self.energy = sum(self.events("energy", "page_in", "page_out"))
        self.runtime = self.time()
        self.written = sum(self.nodes[i]["storage"] for stage in self.stages for i in stage[2])
        self.stored = sum(self.nodes[i]["storage"] for i in {i for stage in self.stages for i in stage[2]})
        self.write_budget = draw.choice([None, self.written, self.stored])
        self.claim = None
        if draw.random() < 0.8:  # just above: windows are as narrow as they may be
            self.claim = math.nextafter(float(self.energy), math.inf)
            while Fraction(self.claim) <= self.energy:
                self.claim = math.nextafter(self.claim, math.inf)
            self.claim *= draw.choice([1, 1, 1, 1.1, 1.5])
        self.shift = draw.choice([-1, 0, 1, 4, 30, 60])
        self.writes = draw.random() < 0.6
        count = len(self.nodes)
        self.moments = draw.choice([list(range(count)), [draw.randrange(count)], sorted(draw.sample(range(count), 2)),
                                    some(draw, range(count), 0.6) or [0]])
        self.following = dict(zip(self.moments, self.moments[1:] + [count - 1]))
        self.values = self.presences()

    def events(self, compute, page_in, page_out):
        for _, computed, out, back in self.stages:
            yield from (Fraction(self.nodes[i][compute]) for i in computed)
            yield from (Fraction(self.nodes[i][page_in]) for i in back)
            yield from (Fraction(self.nodes[i][page_out]) for i in out)

    def time(self):
        """Rule 6, as a double that is not below it."""
        total = Fraction(0)
        for _, computed, out, back in self.stages:
            compute = sum(Fraction(self.nodes[i]["runtime"]) for i in computed)
            moved = sum(Fraction(self.nodes[i]["out_seconds"]) for i in out) + sum(
                Fraction(self.nodes[i]["in_seconds"]) for i in back)
            total += {"free": compute, "blocking": compute + moved, "overlapped": max(compute, moved)}[self.paging_time]
        return math.nextafter(float(total), math.inf)

    def text(self):
        """The lines of the certificate before its rows."""
        lines = []
        for node in self.nodes:
            costs = [node[key] for key in ("runtime", "energy", "page_in", "page_out")]
            costs = [str(int(cost)) if cost == int(cost) else repr(cost) for cost in costs]
            lines.append(" ".join([str(node["bytes"]), *costs, "false", ",".join(map(str, node["inputs"]))]))
            if node["in_place"] is not None:
                lines.append(f" in_place={node['in_place']}")
            if node["workspace"]:
                lines.append(f" workspace_bytes={node['workspace']}")
            lines += [f" {key}=false" for key in ("recompute", "page") if not node[key]]
            if node["storage"] != node["bytes"]:
                lines.append(f" storage_bytes={node['storage']}")
            lines += [f" {key}={len(name.encode())}:{name}" for key in ("reads", "writes") for name in node[key]]
            if self.paging_time != "free":
                lines += [f" page_in_seconds={node['in_seconds']}", f" page_out_seconds={node['out_seconds']}"]
        text = "".join(line + "\n" for line in lines)
        digest = hashlib.sha256(text.encode()).hexdigest()
        claim = "infeasible" if self.claim is None else poet_check.written(self.claim)
        write = "" if self.write_budget is None else f"write_budget_bytes {self.write_budget}\n"
        return (f"poet-certificate 1\nclaim {claim}\ngraph_sha256 {digest}\norder_sha256 {digest}\n"
                f"ram_budget_bytes {self.ram}\nruntime_budget_seconds {poet_check.written(self.runtime)}\n"
                f"paging {str(self.paging).lower()}\nremat {str(self.remat).lower()}\n"
                f"paging_time {self.paging_time}\n{write}"
                f"nodes {len(self.nodes)}\n{text}shift {self.shift}\nwrites {str(self.writes).lower()}\n"
                f"moments {' '.join(map(str, self.moments))}\n").encode()

    def presences(self):
        """Follows each tensor, and says which presences are useful."""
        begin, place = [], {}  # (time, node, kind) of each presence; which one is there in a stage
        for s, (resident, compute, _, _) in enumerate(self.stages):
            for i in resident:
                if i in self.stages[s - 1][3]:
                    begin.append(((s, -1), i, "paged"))
                    place[s, i] = len(begin) - 1
                else:
                    place[s, i] = place[s - 1, i]
            for k in compute:
                begin.append(((s, k), k, "first" if k == s else "again"))
                place[s, k] = len(begin) - 1
        self.first_out = {}
        for s, stage in enumerate(self.stages):
            for i in stage[2]:
                self.first_out.setdefault(i, s)
        readings = {}  # of each presence: the computations that read it
        for s, (_, compute, _, _) in enumerate(self.stages):
            for k in compute:
                for i in self.nodes[k]["inputs"]:
                    readings.setdefault(place[s, i], []).append((s, k))
        self.begin, self.place, self.uses, self.copied = begin, place, {}, set()
        for number in sorted(range(len(begin)), key=lambda number: begin[number][0], reverse=True):
            time, i, kind = begin[number]
            uses = [s for s, k in readings.get(number, ()) if self.computation_is_useful(s, k)]
            if self.writes and i in self.copied and place.get((self.first_out[i], i)) == number:
                uses.append(self.first_out[i])
            self.uses[number] = uses
            if uses and kind == "paged":
                self.copied.add(i)
        return {}

    def computation_is_useful(self, s, k):
        if k == s or self.uses[self.place[s, k]]:
            return True
        return self.writes and self.paging_time != "overlapped" and any(
            self.first_out.get(i) == s and i in self.copied for i in self.nodes[k]["inputs"])

    def value(self, column):
        if column not in self.values:
            self.values[column] = getattr(self, column[0])(*column[1:])
        return self.values[column]

    def S(self, b, i):
        if i == b or i in self.nodes[b]["inputs"] and i != self.nodes[b]["in_place"]:
            return 1
        return int(i < b and (b, i) in self.place and any(s > b for s in self.uses[self.place[b, i]]))

    def begins(self, b, i, kind):
        return any(b < time[0] <= self.following[b] and node == i and how == kind and
                   (self.computation_is_useful(*time) if kind == "again" else self.uses[number])
                   for number, (time, node, how) in enumerate(self.begin))

    def R(self, b, i):
        return int(self.begins(b, i, "again"))

    def I(self, b, i):  # noqa: E743
        return int(not self.S(b, i) and self.begins(b, i, "paged"))

    def P(self, _, i):
        return int(i in self.copied)

    def O(self, b, i):  # noqa: E743
        return int(self.writes and i in self.copied and b < self.first_out[i] <= self.following[b])

    def Z(self, b, i):
        return max(self.value(("R", v, i)) for v in self.moments if v >= b)

    def Y(self, b, i):
        return max(self.value(("I", v, i)) for v in self.moments if v >= b)


def checker(case):
    certificate = poet_check.Certificate(poet_check.Reader(case.text()))
    return poet_check.Rows(poet_check.Columns(certificate))


def plain_rows(case):
    """All rows but those with lists."""
    count, nodes = len(case.nodes), range(len(case.nodes))
    for b in case.moments:
        for i in range(b):
            yield from (f"{kind} {b} {i}" for kind in ("first", "ever", "hand", "copy", "copies", "sumR", "sumI",
                                                       "written", "order", "absent"))
            yield from (f"{kind} {b} {i} {j}" for kind in ("input", "inputs") for j in range(i + 1, b))
    yield from (f"write {i}" for i in range(count))
    yield from (f"{kind} {shift}" for kind in ("runtime", "transfers") for shift in (-2, 0, 3, 20))
    yield "storage"
    draw = case.draw
    for _ in range(2 * count):
        a, b = sorted(draw.choices(case.moments, k=2))
        steps, use = [draw.randrange(a + 1)], draw.choice(["1", "S", "R"])
        while case.nodes[steps[-1]]["inputs"] and draw.random() < 0.7:
            steps.append(draw.choice(case.nodes[steps[-1]]["inputs"]))
        readers = [j for j in nodes if j <= b and steps[0] in case.nodes[j]["inputs"]]
        if use != "R" or readers:
            use += str(draw.choice(readers)) if use == "R" else ""
            yield f"path {a} {b} {use} " + " ".join(draw.choice(["", "P"]) + str(i) for i in steps)


def admitted(rows, line):
    """The row, or the reason why it is refused."""
    try:
        return rows.parse(line.encode())
    except poet_check.Refusal as refusal:
        if refusal.reason not in ("row", "set"):
            raise
        return refusal.reason


def ram_rows(case, rows):
    """Random rows for each instant, within the bytes that are in RAM then: they hold in a budget as small as that."""
    draw = case.draw
    for t in case.moments:
        for k in range(t + 1):
            rows.certificate.ram = case.instants[t, k]
            choices = []
            for i in range(t):
                ways = [None]
                for why in ["h", "o", *map(str, range(t))]:
                    row = admitted(rows, f"bytes {t} {k} {i}:{why}")
                    if row != "row":  # rather those that say something
                        ways += [why] * (8 if total(case, row) < 0 else 1)
                choices.append(ways)
            for _ in range(2):
                reasons = enumerate(map(draw.choice, choices))
                items = [(i, draw.choice([1, 1, 2, 3, 7]), why) for i, why in reasons if why]
                if items:
                    greatest, names = most(case, t, k, items), " ".join(f"{i}:{v}:{why}" for i, v, why in items)
                    yield f"bytes {t} {k} " + " ".join(f"{i}:{why}" for i, _, why in items)
                    yield f"ram {t} {k} {greatest} {names}"
                    if greatest > 0 and admitted(rows, f"ram {t} {k} {greatest - 1} {names}") != "set":
                        yield f"ram {t} {k} {greatest - 1} {names} forbids a set that fits"


def total(case, row):
    return sum(factor * case.value(column) for column, factor in row.terms.items())


def most(case, t, k, items):
    """The greatest sum of values that fits."""
    node, free = case.nodes[t], case.instants[t, k]
    if k == t:
        constants = [t] + [i for i in node["inputs"] if i != node["in_place"]]
        free -= node["workspace"] + sum(case.nodes[i]["bytes"] for i in constants)
    sets = itertools.chain.from_iterable(itertools.combinations(items, size) for size in range(len(items) + 1))
    return max(sum(v for _, v, _ in chosen) for chosen in sets
               if sum(case.nodes[i]["bytes"] for i, _, _ in chosen) <= free)


def columns_of(case):
    for b in case.moments:
        for i in range(len(case.nodes)):
            yield "O", b, i
            if i <= b:
                yield from ((kind, b, i) for kind in "SRIZY")
    yield from (("P", 0, i) for i in range(len(case.nodes)))


def disagreements(case):
    """What the checker states that is not so for the schedule of a case."""
    rows = checker(case)
    columns, paid = rows.columns, 0
    for column in columns_of(case):
        name, value = getattr(columns, column[0])(*column[1:]), case.value(column)
        if name is None and value:
            yield f"{column} does not exist, but is {value}"
        elif name not in (None, poet_check.ONE) and case.value(name) != value:
            yield f"{column} is {value}, but {name} is {case.value(name)}"
        elif name == column:
            paid += columns.cost(column) * value
    if case.claim is not None and paid >= columns.limit:
        yield f"columns cost {paid}, limit {columns.limit}"
    for line in itertools.chain(plain_rows(case), ram_rows(case, rows)):
        row = line if line.endswith("fits") else admitted(rows, line)
        if row == "row":
            continue
        if row in (line, "set"):
            yield line if row == line else f"{line}: refused"
            continue
        if total(case, row) < row.least:
            yield f"{line}: {total(case, row)}, at least {row.least} expected"


class RowsHoldForEveryValidSchedule(unittest.TestCase):
    def test_random_schedules(self):
        for seed in [*RARE, *range(CASES)]:
            self.assertEqual(list(itertools.islice(disagreements(Case(seed)), 3)), [], f"seed {seed}")


class Changed:
    """A method of the checker, changed: `how` gets what it was and its arguments."""

    def __init__(self, owner, name, how):
        self.owner, self.name, self.how = owner, name, how

    def __enter__(self):
        was, how = getattr(self.owner, self.name), self.how

        def changed(*arguments):
            return how(was, *arguments)
        self.patch = mock.patch.object(self.owner, self.name, changed)
        self.patch.__enter__()

    def __exit__(self, *reason):
        self.patch.__exit__(*reason)


def without(kind, plain):
    """A row of the table with another statement."""
    return mock.patch.dict(poet_check.Rows.PLAIN, {kind: plain})


def attribute(owner, name, how):
    """Changes an attribute once the object has been made."""
    def made(was, self, *arguments):
        was(self, *arguments)
        setattr(self, name, how(self, getattr(self, name)))
    return Changed(owner, "__init__", made)


def not_reduced(was, rows, t, k, i, why):
    return was(rows, t, k, i, why)[:1]


def not_reduced_by_readers(was, rows, t, k, i, why):
    return was(rows, t, k, i, why)[:1] if why == b"o" else was(rows, t, k, i, why)


def not_reduced_again(was, rows, t, k, i, why):
    return was(rows, t, k, i, why)[:1] if why != b"o" else was(rows, t, k, i, why)


def with_smaller_k(was, rows, t, k, i, why):
    return was(rows, t, max(k - 1, 0) if k < t else k, i, why)


def not_in_place(was, rows, t, k, i, why):
    node = rows.graph.nodes[k]
    with mock.patch.object(node, "in_place", None):
        return was(rows, t, k, i, why)


def as_if_overlapped(was, rows, t, k, i, why):
    with mock.patch.object(rows.certificate, "paging_time", "overlapped"):
        return was(rows, t, k, i, why)


def with_less(amount):
    def less(was, *arguments):
        free, items = was(*arguments)
        return free - amount(*arguments), items
    return less


def in_place_bytes(rows, t, k, *_):
    node = rows.graph.nodes[t]
    return node.bytes if k == t and node.in_place is not None else 0


def workspace_of_any(rows, t, k, *_):
    return rows.graph.nodes[k].workspace if k < t else 0


COLUMNS, ROWS = poet_check.Columns, poet_check.Rows


def absent_anywhere(was, self, b, i):
    before = max((a for a in self.moments if a < b), default=None)
    poet_check.need(before is not None, "row", "no moment before")
    self.node(before, i)
    return poet_check.Row(-1).add(-1, self.columns.R(before, i), self.columns.I(before, i), self.columns.I(b, i))


MISTAKES = {
    "windows that are greater by 1": Changed(COLUMNS, "window", lambda was, self, t, i: was(self, t, i) + 1),
    "windows of the next stage": Changed(COLUMNS, "window", lambda was, self, t, i: was(self, t + 1, i)),
    "no window of idle recomputations": Changed(COLUMNS, "idle_window", lambda was, self, t, j: self.limit),
    "an idle window a stage later": Changed(COLUMNS, "idle_window", lambda was, self, t, j: was(self, t + 1, j)),
    "a limit that is smaller by 1": attribute(COLUMNS, "limit", lambda self, limit: limit - 1),
    "costs that are rounded up": Changed(poet_check, "units", lambda was, value, shift: -was(-value, shift)),
    "the input taken over is constant": Changed(
        COLUMNS, "constant", lambda was, self, b, i: i == b or i in self.graph.nodes[b].inputs),
    "S only up to the node before the last": Changed(
        COLUMNS, "S", lambda was, self, b, i: was(self, b, i) if i != b - 1 else None),
    "recomputations end a stage early": attribute(
        poet_check.Graph, "until", lambda self, until: [u - 1 for u in until]),
    "parameters are written a stage early": attribute(
        poet_check.Graph, "until", lambda self, until: [u - bool(node.reads) for u, node in zip(until, self.nodes)]),
    "the last reader is the first one": attribute(
        poet_check.Graph, "last", lambda self, last: [min(readers, default=-1) for readers in self.readers]),
    "page-ins arrive a stage later": Changed(
        COLUMNS, "I", lambda was, self, b, i: was(self, b, i) if self.following[b] > i + 3 else None),
    "copies exist a stage later": Changed(
        COLUMNS, "P", lambda was, self, b, i: was(self, b, i) if i + 4 < self.stages else None),
    "page-outs are a stage later": Changed(
        COLUMNS, "O", lambda was, self, b, i: was(self, b, i) if i + 1 < self.following[b] else None),
    "a page-in is paid for twice": Changed(COLUMNS, "paged_after", lambda was, self, b, i: (
        was(self, b, i) and 2 * self.page_in[i] + self.page_out[i] < self.limit)),
    "Z is R": Changed(COLUMNS, "Z", lambda was, self, b, i: self.R(b, i)),
    "Y is I": Changed(COLUMNS, "Y", lambda was, self, b, i: self.I(b, i)),
    "first without I": without("first", "S[b,i] + R[b,i] >= 1"),
    "first without R": without("first", "S[b,i] + I[b,i] >= 1"),
    "first without S": without("first", "R[b,i] + I[b,i] >= 1"),
    "ever without Y": without("ever", "S[b,i] + Z[b,i] >= 1"),
    "ever without Z": without("ever", "S[b,i] + Y[b,i] >= 1"),
    "ever of this interval": without("ever", "S[b,i] + R[b,i] + I[b,i] >= 1"),
    "hand without I": without("hand", "S[b,i] + R[b,i] - S[next,i] >= 0"),
    "hand without R": without("hand", "S[b,i] + I[b,i] - S[next,i] >= 0"),
    "hand backwards": without("hand", "S[next,i] - S[b,i] >= 0"),
    "input without I": without("input", "S[b,i] + R[b,i] - R[b,j] >= 0"),
    "input without R": without("input", "S[b,i] + I[b,i] - R[b,j] >= 0"),
    "inputs of this interval": without("inputs", "S[b,i] + R[b,i] + Y[b,i] - Z[b,j] >= 0"),
    "inputs without Y": without("inputs", "S[b,i] + Z[b,i] - Z[b,j] >= 0"),
    "a copy for each presence": without("copy", "P[0,i] - S[b,i] >= 0"),
    "sumR of this interval": without("sumR", "R[b,i] - Z[b,i] >= 0"),
    "sumI of this interval": without("sumI", "I[b,i] - Y[b,i] >= 0"),
    "written without R": without("written", "S[b,i] - O[b,i] >= 0"),
    "absent in long intervals": Changed(ROWS, "absent", absent_anywhere),
    "absent for the stage after": Changed(
        ROWS, "absent", lambda was, self, b, i: was(self, b, i).add(-1, self.columns.I(b + 1, i))
        if b + 1 in self.following else was(self, b, i)),
    "first for the next stage too": Changed(
        ROWS, "read_in", lambda was, self, b, i, last: was(self, b, i, last + 1)),
    "first for the moment itself": Changed(
        ROWS, "read_in", lambda was, self, b, i, last: was(self, b - 1, i, last)),
    "any node reads any other": Changed(ROWS, "reads", lambda was, self, j, i, most: None),
    "values are not reduced": Changed(ROWS, "held", not_reduced),
    "o is not reduced by readers": Changed(ROWS, "held", not_reduced_by_readers),
    "h is not reduced by recomputations": Changed(ROWS, "held", not_reduced_again),
    "the instant is a node early": Changed(ROWS, "held", with_smaller_k),
    "nothing is computed in place": Changed(ROWS, "held", not_in_place),
    "all transfers overlap": Changed(ROWS, "held", as_if_overlapped),
    "a byte less is free": Changed(ROWS, "instant", with_less(lambda *_: 1)),
    "the input taken over is counted": Changed(ROWS, "instant", with_less(in_place_bytes)),
    "the workspace of what need not be computed": Changed(ROWS, "instant", with_less(workspace_of_any)),
    "a set that fits is forbidden": Changed(
        poet_check, "exceeds", lambda was, items, free, most, spend: was(items, free, most + 1, spend)),
    "page-outs of the first moment are lost": Changed(
        ROWS, "written_out", lambda was, self, i, moments: was(self, i, moments[1:])),
    "page-outs of the last moment are lost": Changed(
        ROWS, "written_out", lambda was, self, i, moments: was(self, i, moments[:-1])),
    "transfers count": Changed(ROWS, "seconds", lambda was, self, shift, *_: was(self, shift, True, True)),
}


class MistakesAreFound(unittest.TestCase):
    def test_each_mistake(self):
        for name, mistake in MISTAKES.items():
            with self.subTest(name), mistake:
                self.assertTrue(any(next(disagreements(Case(seed)), None) for seed in [*RARE, *range(4 * CASES)]))


if __name__ == "__main__":
    unittest.main()
