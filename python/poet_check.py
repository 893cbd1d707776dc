#!/usr/bin/env python3
"""poet-check CERTIFICATE [DOCUMENT]: checks a proof that no schedule of a problem has less than some energy.

docs/certificate-format.md has the format, and why each row holds. This file is a second reading of it: it has no code
in common with poet-solve, needs Python 3.9 alone, and computes in whole numbers. DOCUMENT is a schedule file, or a
document without a schedule: the certificate has to be about its nodes, its order and its limits, or looser ones.

Exit status: 0: the claim is proven; 1: it is not; 2: a file cannot be read, or the command line is wrong.
"""
import argparse
import bisect
import hashlib
import itertools
import json
import math
import re
import sys
from fractions import Fraction

FORMAT = b"poet-certificate 1"
MAX_BYTES = 1 << 28  # of a file
MAX_DIGITS = 1000  # of a number
MAX_SHIFT = 1100  # the smallest double is 2^-1074
MAX_POWER = 60  # of two, in the prices of leaves
MAX_SET = 10000  # sums of a row `ram` are below
MAX_EFFORT = 4 * 10**9  # steps; about ten minutes
KEEP = 400  # steps that a number counts for that is kept: this bounds the memory
NODE = 6  # numbers that a node counts for beside its inputs and names
EDGE = 4  # steps that a look at a reader or an input counts for
COLUMN = 8  # steps that a question for a column counts for
ONE = 1  # the column that is constant
PAGING_TIMES = {b"free": "free", b"blocking": "blocking", b"overlapped": "overlapped"}
TRUTH = {b"true": True, b"false": False}


class Refusal(Exception):
    """Why the claim is not proven: one of the reasons of the format, and the line."""

    def __init__(self, reason, text, line=None):
        super().__init__(text)
        self.reason, self.line = reason, line


def need(condition, reason, text, line=None):
    if not condition:
        raise Refusal(reason, text, line)


def shown(text):
    """Bytes of a file for people."""
    return ascii(bytes(text[:60]))[1:] + ("..." if len(text) > 60 else "")


def whole(text, least=0):
    """A whole number, of at least `least` if there is such a limit."""
    need(len(text) <= MAX_DIGITS and re.fullmatch(rb"0|-?[1-9][0-9]*", text), "format",
         f"found {shown(text)}, expected a whole number")
    need(least is None or int(text) >= least, "format", f"found {shown(text)}, expected at least {least}")
    return int(text)


def written(value):
    """A double as in digests: the fewest digits that read back as the same double."""
    text = repr(float(value))
    return text[:-2] if text.endswith(".0") else text


def double(text):
    """A double, exactly."""
    need(len(text) <= 40 and re.fullmatch(rb"-?[0-9][0-9.]*(e[+-][0-9]+)?", text) and text.count(b".") <= 1, "format",
         f"found {shown(text)}, expected a number")
    value = float(text)
    need(written(value).encode() == text, "format", f"found {shown(text)}, expected a double with its fewest digits")
    return Fraction(value)


def word(text, table):
    need(text in table, "format", f"found {shown(text)}, expected one of {b', '.join(table).decode()}")
    return table[text]


class Reader:
    """The lines of a file. They are bytes, as names of parameters may contain any, line feeds too."""

    def __init__(self, data):
        self.data, self.start, self.place = data, 0, 0

    def line(self, reason="format"):
        self.start = self.place
        end = self.data.find(b"\n", self.start)
        need(end >= 0, reason, "the file ends early")
        self.place = end + 1
        return self.data[self.start:end]

    def number(self):
        return self.data.count(b"\n", 0, self.start) + 1

    def optional(self, key):
        """The rest of the next line if it begins with a key, or None."""
        return self.line()[len(key):] if self.data.startswith(key, self.place) else None

    def value(self, key):
        line = self.line()
        need(line.startswith(key), "format", f"found {shown(line)}, expected '{key.decode().strip()}'")
        return line[len(key):]

    def flag(self, line):
        return self.optional(line + b"\n") is not None

    def number_of(self, key, default):
        """The number of a line that is there only if it is not the default."""
        text = self.optional(key)
        need(text is None or whole(text) != default, "format", "a line with its default is left out")
        return default if text is None else whole(text)

    def names(self, key):
        """Names of parameters. Their lengths are stated."""
        found = []
        while self.data.startswith(key, self.place):
            self.start = self.place
            colon = self.data.find(b":", self.place, self.place + 100)
            need(colon >= 0, "format", "expected the length of a name")
            end = colon + 1 + whole(self.data[self.place + len(key):colon])
            need(self.data[end:end + 1] == b"\n", "format", "the name of parameters has another length")
            found.append(self.data[colon + 1:end])
            self.place = end + 1
        return found


class Node:
    """A node as the text of a digest has it; `head` and `tail` are what does not depend on the order of the nodes."""

    def __init__(self, reader, timed):
        fields = reader.line().split(b" ")
        need(len(fields) == 7, "format", "expected the seven fields of a node")
        self.bytes = whole(fields[0])
        self.runtime, self.energy, self.page_in, self.page_out = map(double, fields[1:5])
        word(fields[5], TRUTH)
        self.inputs = [whole(i) for i in fields[6].split(b",")] if fields[6] else []
        self.head = b" ".join(fields[:6])
        self.in_place = reader.number_of(b" in_place=", None)
        tail = reader.place
        self.workspace = reader.number_of(b" workspace_bytes=", 0)
        self.recompute = not reader.flag(b" recompute=false")
        self.page = not reader.flag(b" page=false")
        self.storage = reader.number_of(b" storage_bytes=", self.bytes)
        self.reads, self.writes = reader.names(b" reads="), reader.names(b" writes=")
        self.page_in_seconds = double(reader.value(b" page_in_seconds=")) if timed else Fraction(0)
        self.page_out_seconds = double(reader.value(b" page_out_seconds=")) if timed else Fraction(0)
        self.tail = reader.data[tail:reader.place]
        need(not reader.data.startswith(b" ", reader.place), "format", "after it is a line that no node has there")

    def text(self, inputs, in_place):
        over = b"" if in_place is None else b" in_place=%d\n" % in_place
        return b"%b %b\n%b%b" % (self.head, b",".join(b"%d" % i for i in inputs), over, self.tail)


class Graph:
    """Nodes: the `readers` of each, the `last` one of them, and the last stage `until` which it may be computed."""

    def __init__(self, reader, count, timed):
        start = reader.place
        self.nodes, self.readers, writer, self.effort = [], [], {}, 0
        for k in range(count):
            node = Node(reader, timed)
            self.effort += KEEP * (NODE + len(node.inputs) + len(node.reads) + len(node.writes))
            need(self.effort <= MAX_EFFORT, "node", "the nodes take too much memory")
            self.check(k, node, writer)
            self.nodes.append(node)
            self.readers.append([])
            for i in node.inputs:
                self.readers[i].append(k)
            for name in node.writes:
                writer.setdefault(name, k)
        self.text = reader.data[start:reader.place]
        self.last = [max(readers, default=-1) for readers in self.readers]
        ends = [[writer.get(name, count - 1) for name in node.reads] for node in self.nodes]
        self.until = [min(ends[k], default=count - 1) if node.recompute else k for k, node in enumerate(self.nodes)]

    def check(self, k, node, writer):
        need(node.inputs == sorted(set(node.inputs)), "format", "inputs do not ascend")
        need(all(i < k for i in node.inputs), "node", f"node {k} has an input that does not come earlier")
        need(min(node.runtime, node.energy, node.page_in, node.page_out, node.page_in_seconds,
                 node.page_out_seconds) >= 0, "node", f"node {k} has a cost below 0")
        need(node.storage >= node.bytes, "node", f"node {k} has a copy that is smaller than itself")
        need(node.in_place is None or node.in_place in node.inputs and self.nodes[node.in_place].bytes == node.bytes,
             "node", f"node {k} takes over what is not an input of the same size")
        need(not (node.writes and node.recompute), "node", f"node {k} writes parameters, and may be computed again")
        need(not any(name in writer for name in node.reads), "node", f"node {k} reads what an earlier node writes")

    def digest(self):
        return hashlib.sha256(self.text).hexdigest()

    def put_back(self, order, choices, timed):
        """The graph in the order of the model."""
        count = len(self.nodes)
        need(sorted(order) == list(range(count)), "format", "'order' does not name each node once")
        last = [max((order[j] for j in readers), default=-1) for readers in self.readers]
        text = [b""] * count
        for p, node in enumerate(self.nodes):
            over = None if node.in_place is None else order[node.in_place]
            if p in choices:
                free = [i for i in choices[p] if self.last[i] == p] or choices[p]
                need(node.in_place == free[0], "node", f"node {p} does not take over what the order says")
                over = ([order[i] for i in choices[p] if last[i] == order[p]] or [order[choices[p][0]]])[0]
            text[order[p]] = node.text(sorted(order[i] for i in node.inputs), over)
        try:
            return Graph(Reader(b"".join(text)), count, timed)
        except Refusal as refusal:
            raise Refusal(refusal.reason, f"put back by 'order': {refusal}") from None


class Certificate:
    """What a certificate claims: its lines before the rows."""

    def __init__(self, reader):
        need(reader.line() == FORMAT, "format", f"expected '{FORMAT.decode()}'")
        claim = reader.value(b"claim ")
        self.claim = None if claim == b"infeasible" else double(claim)
        need(self.claim is None or self.claim >= 0, "format", "an energy below 0")
        self.graph_sha256 = reader.value(b"graph_sha256 ").decode("ascii", "replace")
        self.order_sha256 = reader.value(b"order_sha256 ").decode("ascii", "replace")
        digests = reader.number()
        self.ram = whole(reader.value(b"ram_budget_bytes "))
        self.runtime = double(reader.value(b"runtime_budget_seconds "))
        need(self.runtime >= 0, "format", "a time below 0")
        self.paging = word(reader.value(b"paging "), TRUTH)
        self.remat = word(reader.value(b"remat "), TRUTH)
        self.paging_time = word(reader.value(b"paging_time "), PAGING_TIMES)
        self.write_budget = reader.number_of(b"write_budget_bytes ", None)
        order = reader.optional(b"order ")
        self.order = None if order is None else [whole(i) for i in order.split(b" ")]
        self.graph = Graph(reader, whole(reader.value(b"nodes ")), self.paging_time != "free")
        need(self.graph.digest() == self.order_sha256, "digest",
             f"'order_sha256' is not the digest of the nodes, which is {self.graph.digest()}", digests)
        self.choices = {}
        while self.order is not None and reader.data.startswith(b"in_place_choices ", reader.place):
            self.choose(*map(whole, reader.value(b"in_place_choices ").split(b" ")))
        given = self.graph
        if self.order is not None:
            given = self.graph.put_back(self.order, self.choices, self.paging_time != "free")
        need(given.digest() == self.graph_sha256, "digest",
             f"'graph_sha256' is not the digest of the graph, which is {given.digest()}", digests - 1)
        self.shift = whole(reader.value(b"shift "), -MAX_SHIFT)
        need(self.shift <= MAX_SHIFT, "format", f"a shift above {MAX_SHIFT}")
        self.writes = word(reader.value(b"writes "), TRUTH)
        self.moments = [whole(b) for b in reader.value(b"moments ").split(b" ")]
        need(all(a < b for a, b in zip(self.moments, self.moments[1:])), "moments", "moments do not ascend")
        need(self.moments[-1] < len(self.graph.nodes), "moments", "a moment is no stage")

    def choose(self, k, *inputs):
        need(next(reversed(self.choices), -1) < k < len(self.graph.nodes), "format", "their nodes do not ascend")
        node = self.graph.nodes[k]
        need(inputs and len(set(inputs)) == len(inputs), "format", "expected inputs, each once")
        given = set(node.inputs)
        need(all(i in given and self.graph.nodes[i].bytes == node.bytes for i in inputs), "node",
             f"node {k} takes over what is not an input of the same size")
        self.choices[k] = inputs


def units(value, shift):
    """In units of 2^-shift, rounded down."""
    return math.floor(value * Fraction(2) ** shift)


class Columns:
    """Which columns exist. A column is its name as a tuple; a method returns None for one that does not exist."""

    def __init__(self, certificate):
        self.certificate, self.graph = certificate, certificate.graph
        nodes, shift = self.graph.nodes, certificate.shift
        self.stages, self.moments = len(nodes), certificate.moments
        self.following = dict(zip(self.moments, self.moments[1:] + [self.stages - 1]))
        self.constants = {b: {b, *nodes[b].inputs} - {nodes[b].in_place} for b in self.moments}
        self.edges = list(itertools.accumulate(map(len, self.graph.readers), initial=0))
        self.compute = [units(node.energy, shift) for node in nodes]
        self.page_in = [units(node.page_in, shift) for node in nodes]
        self.page_out = [units(node.page_out, shift) for node in nodes]
        if certificate.claim is None:  # above every finite sum below: a series never computes a node twice
            total = sum(self.compute) + sum(self.page_in) + sum(self.page_out) + 1
            self.limit = total * (self.stages + 4)
        else:
            self.limit = -units(-certificate.claim, shift) - sum(self.compute)
        self.idle = certificate.writes and certificate.paging and certificate.paging_time != "overlapped"
        self.effort, self.windows, self.chains = self.graph.effort, {}, {}

    def spend(self, steps, reason="row"):
        """Counts work, so that no file takes for ever, or more memory than there is."""
        self.effort += steps
        need(self.effort <= MAX_EFFORT, reason, "this takes too much work")

    def window(self, t, i):
        """D_t(i): the least energy from a presence of i in stage t or later to a first computation, up to the limit."""
        if self.graph.last[i] >= t:
            return 0
        if t not in self.windows:
            for s in range(self.stages - (self.stages - t) % 2 if self.idle else t, t - 1, -2):
                if s not in self.windows:
                    self.fill(s)
        return self.windows[t].get(i, self.limit)

    def fill(self, t):
        found = self.windows[t] = {}
        self.spend(t + EDGE * self.edges[t])
        for i in range(t - 1, -1, -1) if self.certificate.remat else ():
            if self.graph.last[i] < t:
                least = min((self.compute[j] + self.after(t, j) for j in self.graph.readers[i]
                             if self.graph.until[j] >= t), default=self.limit)
                if least < self.limit:
                    found[i] = least
        self.spend(KEEP * len(found))

    def after(self, t, j):
        """min(D_t(j), G_t(j)): the least energy after a useful recomputation of j in stage t or later."""
        return min(self.window(t, j), self.idle_window(t, j))

    def idle_window(self, t, j):
        """G_t(j): the same after an idle recomputation, which frees an input that is being written out."""
        if not self.idle or t + 2 > self.stages - 1:
            return self.limit
        self.spend(EDGE * len(self.graph.nodes[j].inputs))
        return min((self.page_in[i] + self.page_out[i] + self.window(t + 2, i) for i in self.graph.nodes[j].inputs
                    if self.graph.nodes[i].page), default=self.limit)

    def pageable(self, i):
        return self.certificate.paging and self.graph.nodes[i].page

    def constant(self, b, i):
        return i in self.constants[b]

    def S(self, b, i):
        """i is in RAM at moment b by a presence that is useful after it."""
        if self.constant(b, i):
            return ONE
        return ("S", b, i) if i < b and self.window(b + 1, i) < self.limit else None

    def R(self, b, i):
        """A useful recomputation of i is in interval b."""
        exists = (i <= b < self.following[b] and self.certificate.remat and self.graph.until[i] > b
                  and self.compute[i] + self.after(b + 1, i) < self.limit)
        return ("R", b, i) if exists else None

    def paged_after(self, b, i):
        """Whether a page-out, a page-in and what follows a useful presence after moment b cost less than the limit."""
        return self.page_in[i] + self.page_out[i] + (self.window(b + 1, i) if i <= b else 0) < self.limit

    def I(self, b, i):  # noqa: E743
        """A useful presence of i begins in interval b by a page-in, and S[b,i] is 0."""
        exists = (i <= b < self.following[b] and self.pageable(i) and not self.constant(b, i)
                  and self.following[b] >= i + 3 and self.paged_after(b, i))
        return ("I", b, i) if exists else None

    def P(self, _, i):
        """A useful presence of i begins by a page-in, anywhere; i is then written out."""
        exists = self.pageable(i) and i + 4 <= self.stages and self.page_in[i] + self.page_out[i] < self.limit
        return ("P", 0, i) if exists else None

    def O(self, b, i):  # noqa: E743
        """P[i] is 1 and the first page-out of i is in one of the stages b+1 to next(b)."""
        exists = (self.certificate.writes and self.P(0, i) and b < self.following[b] and i < self.following[b]
                  and self.paged_after(b, i))
        return ("O", b, i) if exists else None

    def Z(self, b, i):
        """R is 1 in interval b or a later one."""
        return self.chain("Z", self.R, i).get(b)

    def Y(self, b, i):
        """I is 1 in interval b or a later one."""
        return self.chain("Y", self.I, i).get(b)

    def chain(self, kind, single, i):
        """The columns for this interval or a later one: the column of its intervals, of the next interval, or its
        own."""
        if (kind, i) not in self.chains:
            found, later = {}, None
            for b in reversed(self.moments[bisect.bisect_left(self.moments, i):]):
                here = single(b, i)
                found[b] = later = (kind, b, i) if here and later else here or later
            self.spend(KEEP * len(found))
            self.chains[kind, i] = found
        return self.chains[kind, i]

    def cost(self, column):
        table = {"R": self.compute, "I": self.page_in, "P": self.page_out}.get(column[0])
        return table[column[2]] if table else 0

    def named(self, text):
        """The column of a branch."""
        fields = text.split(b" ")
        need(len(fields) == 3 and fields[0] in (b"S", b"R", b"I", b"P", b"Z", b"Y", b"O"), "format",
             f"found {shown(text)}, expected a column")
        b, i = map(whole, fields[1:])
        there = i < self.stages and (b == 0 if fields[0] == b"P" else b in self.following)
        column = getattr(self, fields[0].decode())(b, i) if there else None
        need(column and column is not ONE, "branch", f"there is no column {shown(text)}")
        return column


class Row:
    """The sum of `terms` is at least `least`."""

    def __init__(self, least=0):
        self.terms, self.least = {}, least

    def add(self, factor, *columns):
        for column in columns:
            if column is ONE:
                self.least -= factor
            elif column:
                self.terms[column] = self.terms.get(column, 0) + factor
        return self


def exceeds(items, free, most, spend):
    """Whether a set of items (bytes, value) that fits into free bytes has a sum of values above `most`.

    A dynamic program over sums, from the least bytes per value on. A sum is given up once even the free bytes that it
    leaves, filled at the rate of the next item, do not lead above `most`. Values above `most` are all alike.
    """
    items = [(size, min(value, most + 1)) for size, value in items]
    least = {0: 0} if free >= 0 else {}
    for size, value in sorted(items, key=lambda item: item[0] * MAX_SET**2 // item[1]):  # exact: no value is > MAX_SET
        spend(2 * len(least), "set")
        following = {}
        for total, used in least.items():
            if (free - used) * value >= (most + 1 - total) * size:
                for s, u in ((total, used), (total + value, used + size)):
                    if u <= free and u < following.get(s, free + 1):
                        following[s] = u
        least = following
        if max(least, default=0) > most:
            return True
    return False


class Rows:
    """The rows. A row is refused if it need not hold for a valid schedule."""

    PLAIN = {  # b is a moment, i < b a node, j < b a node that reads i
        "first": "S[b,i] + R[b,i] + I[b,i] >= 1",  # it was there at moment b, or arrives in time
        "ever": "S[b,i] + Z[b,i] + Y[b,i] >= 1",
        "hand": "S[b,i] + R[b,i] + I[b,i] - S[next,i] >= 0",
        "input": "S[b,i] + R[b,i] + I[b,i] - R[b,j] >= 0",
        "inputs": "S[b,i] + Z[b,i] + Y[b,i] - Z[b,j] >= 0",
        "copy": "P[0,i] - I[b,i] >= 0",  # what is paged in has been written out
        "copies": "P[0,i] - Y[b,i] >= 0",
        "sumR": "R[b,i] + Z[next,i] - Z[b,i] >= 0",  # in this interval, or in a later one
        "sumI": "I[b,i] + Y[next,i] - Y[b,i] >= 0",
        "written": "S[b,i] + R[b,i] - O[b,i] >= 0",  # what is written out was in RAM when the stage started
    }
    NUMBERS = {**{kind: 3 if "j" in text else 2 for kind, text in PLAIN.items()}, "path": 2, "ram": 3, "bytes": 2,
               "runtime": 1, "transfers": 1, "absent": 2, "storage": 0, "write": 1, "order": 2}
    LISTS = {"path": 2, "ram": 0, "bytes": 0}  # fields at least, after the numbers

    def __init__(self, columns):
        self.columns, self.certificate, self.graph = columns, columns.certificate, columns.graph
        self.moments, self.following = columns.moments, columns.following

    def parse(self, line):
        kind, *fields = line.split(b" ")
        kind = kind.decode("ascii", "replace")
        need(kind in self.NUMBERS, "format", f"found {shown(line)}, expected a row")
        count = self.NUMBERS[kind]
        need(len(fields) >= count + self.LISTS[kind] if kind in self.LISTS else len(fields) == count, "format",
             f"'{kind}' with {len(fields)} fields")
        numbers = [whole(field, None) for field in fields[:count]]
        row = self.plain(kind, *numbers) if kind in self.PLAIN else getattr(self, kind)(*numbers, *fields[count:])
        self.columns.spend(KEEP * (1 + len(row.terms)))
        return row

    def moment(self, b):
        need(b in self.following, "row", f"{b} is no moment")

    def node(self, b, i):
        self.moment(b)
        need(0 <= i < b, "row", f"{i} is no node before moment {b}")

    def later(self, b):
        need(b != self.moments[-1], "row", f"there is no moment after {b}")
        return self.following[b]

    def reads(self, j, i, most):
        need(0 <= j <= most, "row", f"{j} is no node up to {most}")
        self.columns.spend(len(self.graph.nodes[j].inputs))
        need(i in self.graph.nodes[j].inputs, "row", f"{j} does not read {i}")

    def read_in(self, b, i, last):
        self.columns.spend(EDGE * len(self.graph.readers[i]))
        need(any(b < u <= last for u in self.graph.readers[i]), "row", f"no node from {b + 1} to {last} reads {i}")

    def plain(self, kind, b, i, j=None):
        """A row of the table, under the condition of its kind."""
        self.node(b, i)
        if j is not None:
            self.reads(j, i, b - 1)
        if kind in ("first", "ever"):
            self.read_in(b, i, self.following[b] if kind == "first" else self.graph.last[i])
        need(kind != "written" or self.certificate.writes, "row", "'written' needs 'writes true'")
        row = Row(int(self.PLAIN[kind][-1]))
        for sign, name, moment, node in re.findall(r"(-?) ?([A-Z])\[(\w+),(\w)\]", self.PLAIN[kind]):
            if (kind, name) != ("written", "R") or self.following[b] > b + 1:  # else it comes too late for the page-out
                column = getattr(self.columns, name)(self.later(b) if moment == "next" else b, j if node == "j" else i)
                row.add(-1 if sign else 1, column)
        return row

    def absent(self, b, i):
        """Stage b has i when it starts, kept or paged in by stage b-1, or computes it, or pages it in: one of these."""
        need(b - 1 in self.following and self.following.get(b) == b + 1, "row",
             f"{b - 1} and {b} are not one stage each")
        self.node(b - 1, i)
        columns = self.columns
        kept = () if columns.constant(b - 1, i) else (columns.S(b - 1, i),)
        return Row(-1).add(-1, *kept, columns.R(b - 1, i), columns.I(b - 1, i), columns.I(b, i))

    def path(self, a, b, use, *steps):
        """The first step is in RAM usefully in the intervals a to b. It was there at moment a, or has been paged in, or
        recomputed, which the next step allows; what recomputes the last one is counted."""
        self.moment(a)
        self.moment(b)
        need(a <= b, "row", "a path needs moments a <= b")
        parsed = [(whole(step.removeprefix(b"P")), step[:1] == b"P") for step in steps]
        nodes = [i for i, _ in parsed]
        need(nodes[0] <= a, "row", f"a path from {nodes[0]}, which comes after moment {a}")
        for j, i in zip(nodes, nodes[1:]):
            self.reads(j, i, a)
        between = self.moments[bisect.bisect_left(self.moments, a):bisect.bisect_right(self.moments, b)]
        self.columns.spend(COLUMN * len(between) * (1 + len(nodes)))
        row = Row()
        for i, anywhere in parsed:
            row.add(1, self.columns.S(a, i))
            row.add(1, *([self.columns.P(0, i)] if anywhere else [self.columns.I(v, i) for v in between]))
        row.add(1, *(self.columns.R(v, nodes[-1]) for v in between))
        if use == b"1":
            self.read_in(b, nodes[0], self.following[b])
            return row.add(-1, ONE)
        if use == b"S":
            return row.add(-1, self.columns.S(self.later(b), nodes[0]))
        need(use[:1] == b"R", "format", f"found {shown(use)}, expected 1, S or R and a node")
        self.reads(whole(use[1:]), nodes[0], b)
        return row.add(-1, self.columns.R(b, whole(use[1:])))

    def held(self, t, k, i, why):
        """Columns, the first less the others of which is 1 only if i is in RAM when stage t is at node k."""
        need(i < t, "row", f"{i} is no node before moment {t}")
        columns, node = self.columns, self.graph.nodes[k]
        again = [columns.R(t - 1, i)] if i > k else []
        if why == b"h":  # in RAM at moment t
            need(k < t or not columns.constant(t, i), "row", f"{i} is counted anyway at moment {t}")
            return [columns.S(t, i)] + again
        if why == b"o":  # first written out in stage t, and not freed by what reads it
            need(self.certificate.writes and t - 1 in self.following, "row", "'o' needs 'writes true' and a moment")
            need(k < t or i not in node.inputs, "row", f"{i} is counted anyway at moment {t}")
            self.columns.spend(EDGE * len(self.graph.readers[i]))
            free = [j for j in self.graph.readers[i] if j < k or j == k < t and node.in_place == i]
            overlapped = self.certificate.paging_time == "overlapped"
            return [columns.O(t - 1, i)] + ([] if overlapped else [columns.R(t - 1, j) for j in free])
        j = whole(why)  # stage t computes j, at node k or later
        need(k <= j < t, "row", f"{j} is not from {k} to {t - 1}")
        if not i == j == k:
            self.reads(j, i, j)
            need(j != k or node.in_place != i, "row", f"{k} may take over {i}")
        return [columns.R(t - 1, j)] + again

    def instant(self, t, k, items):
        """The free bytes when stage t is at node k, and items (node, value, columns)."""
        self.moment(t)
        need(0 <= k <= t, "row", f"{k} is no node up to {t}")
        need(k == t or t - 1 in self.following, "row", f"{t - 1} is no moment")
        free = self.certificate.ram
        if k == t:
            nodes = self.graph.nodes
            constants = self.columns.constants[t]
            self.columns.spend(EDGE * len(constants))
            free -= nodes[t].workspace + sum(nodes[i].bytes for i in constants)
        found, named = [], set()
        for item in items:
            fields = item.split(b":")
            need(len(fields) in (2, 3), "format", f"found {shown(item)}, expected an item")
            i = whole(fields[0])
            need(i not in named, "row", f"{i} is named twice")
            named.add(i)
            found.append((i, [whole(value, 1) for value in fields[1:-1]], self.held(t, k, i, fields[-1])))
        return free, found

    def bytes(self, t, k, *items):
        """The tensors that are in RAM when stage t is at node k fit into the free bytes."""
        free, found = self.instant(t, k, items)
        row = Row(-free)
        for i, value, (holds, *unless) in found:
            need(not value, "format", "an item of 'bytes' has no value")
            size = self.graph.nodes[i].bytes
            row.add(-size, holds).add(size, *unless)
        return row

    def ram(self, t, k, most, *items):
        """No set of tensors that fits into the free bytes has values above `most`."""
        need(0 <= most < MAX_SET, "row", f"values are counted up to {MAX_SET - 1}")
        free, found = self.instant(t, k, items)
        row = Row(-most)
        for _, value, (holds, *unless) in found:
            need(value, "format", "an item of 'ram' needs a value")
            row.add(-value[0], holds).add(value[0], *unless)
        sizes = [(self.graph.nodes[i].bytes, value[0]) for i, value, _ in found]
        need(not exceeds(sizes, free, most, self.columns.spend), "set", f"a set above {most} fits into {free} B")
        return row

    def seconds(self, shift, computations, transfers):
        """Rule 6, with computations, or transfers, or both."""
        need(-MAX_SHIFT <= shift <= MAX_SHIFT, "row", f"seconds in units of 2^{-shift}")
        nodes, columns = self.graph.nodes, self.columns
        rounding = Fraction(len(nodes)**2, 2**51)
        budget = self.certificate.runtime * (1 + Fraction(1, 10**9)) * (1 + rounding)
        row = Row(-units(budget, shift))
        columns.spend(2 * COLUMN * len(nodes) * len(self.moments))
        for i, node in enumerate(nodes):
            compute, page_in, page_out = (units(seconds, shift) for seconds in (
                node.runtime, node.page_in_seconds, node.page_out_seconds))
            if computations:
                row.least += compute
                row.add(-compute, *(columns.R(b, i) for b in self.moments))
            if transfers:
                row.add(-page_out, columns.P(0, i)).add(-page_in, *(columns.I(b, i) for b in self.moments))
        return row

    def runtime(self, shift):
        """All computations, and with `blocking` all transfers, take no longer than the budget."""
        return self.seconds(shift, True, self.certificate.paging_time == "blocking")

    def transfers(self, shift):
        """With `overlapped`, all transfers take no longer than the budget."""
        need(self.certificate.paging_time == "overlapped", "row", "'transfers' is for times that overlap")
        return self.seconds(shift, False, True)

    def storage(self):
        """Copies have no more bytes than may be written: rule 9."""
        need(self.certificate.write_budget is not None, "row", "there is no write budget")
        row = Row(-self.certificate.write_budget)
        for i, node in enumerate(self.graph.nodes):
            row.add(-node.storage, self.columns.P(0, i))
        return row

    def written_out(self, i, moments):
        """The sum of O[b,i] over moments b: the first page-out of i is in their intervals."""
        need(self.certificate.writes and i >= self.moments[0], "row", f"no row is about the page-out of {i}")
        self.columns.spend(COLUMN * len(moments))
        return Row().add(1, *(self.columns.O(b, i) for b in moments))

    def write(self, i):
        """Sum of O[b,i] >= P[i]: the first page-out is in some interval."""
        need(i < len(self.graph.nodes), "row", f"{i} is no node")
        return self.written_out(i, self.moments).add(-1, self.columns.P(0, i))

    def order(self, b, i):
        """Sum of O[a,i] over a <= next(b)-3 >= I[b,i]: the copy is there when the stage of the page-in starts."""
        self.node(b, i)
        before = self.moments[:bisect.bisect_right(self.moments, self.following[b] - 3)]
        return self.written_out(i, before).add(-1, self.columns.I(b, i))


class Tree:
    """Branches and leaves in preorder. The path to the present place is a list, so that no depth is too great."""

    def __init__(self, reader, columns, rows):
        self.columns, self.certificate, self.rows = columns, columns.certificate, rows
        self.path, self.leaves = [], 0  # of the path: its row here, and the upper side's row if this is the lower one
        while not self.leaves or self.path:
            line = reader.line("tree")
            need(line != b"end", "tree", "the tree ends early")
            if line[:2] == b"B ":
                self.path.append(self.branch(line[2:]))
                continue
            kind, *fields = line.split(b" ")
            claim = kind == b"L"
            need(kind in (b"L", b"F") and len(fields) % 2 == claim, "format",
                 f"found {shown(line)}, expected a branch or a leaf")
            power = whole(fields.pop(0), -MAX_POWER) if claim else 0
            need(power <= MAX_POWER, "format", f"a power of two above {MAX_POWER}")
            self.leaf(claim, power, zip(fields[::2], fields[1::2]))
            self.leaves += 1
            while self.path and self.path[-1][1] is None:
                self.path.pop()
            if self.path:
                self.path[-1] = self.path[-1][1], None

    def branch(self, text):
        """The rows of the lower side, at most k, and of the upper side, at least k+1."""
        most, *names = text.split(b";")
        lower, upper = Row(-whole(most, None)), Row(whole(most, None) + 1)
        need(names, "format", "expected columns")
        for name in names:
            column = self.columns.named(name)
            need(column not in upper.terms, "branch", f"{shown(name)} is there twice")
            lower.add(-1, column)
            upper.add(1, column)
        self.columns.spend(KEEP * len(names), "branch")
        return lower, upper

    def row(self, name):
        branch = name[:1] == b"b"
        table, number = (self.path, whole(name[1:])) if branch else (self.rows, whole(name))
        need(number < len(table), "price", f"there is no row {shown(name)}")
        return table[number][0] if branch else table[number]

    def leaf(self, claim, power, prices):
        """Whether the priced sum of rows leaves no point, or none below the claim. Prices are times 2^power: if that is
        below 1, costs and the limit are multiplied instead."""
        scale, least, sums = 2**max(-power, 0) if claim else 0, 0, {}
        need(not claim or self.certificate.claim is not None, "leaf", "a leaf L with the claim 'infeasible'")
        for name, price in prices:
            price, row = whole(price, None), self.row(name)
            need(price > 0, "price", f"a price of {price}")
            price <<= max(power, 0)
            self.columns.spend(1 + len(row.terms), "leaf")
            least += price * row.least
            for column, factor in row.terms.items():
                sums[column] = sums.get(column, 0) + price * factor
        proven = least + sum(min(0, scale * self.columns.cost(column) - total) for column, total in sums.items())
        if claim:
            need(proven >= scale * self.columns.limit, "leaf", "its prices prove less than the claim")
        else:
            need(proven > 0, "leaf", "its prices do not prove that nothing is here")


class Proof:
    """A checked certificate."""

    def __init__(self, data):
        reader = Reader(data)
        try:
            self.certificate = certificate = Certificate(reader)
            columns = Columns(certificate)
            rows = Rows(columns)
            count = whole(reader.value(b"rows "))
            self.rows = []
            for _ in range(count):
                self.rows.append(rows.parse(reader.line()))
            need(reader.line() == b"tree", "format", "expected 'tree'")
            self.leaves = Tree(reader, columns, self.rows).leaves
            need(reader.line("tree") == b"end", "tree", "something follows the tree")
            end = reader.place
            reader.start = end
            need(end == len(data), "tree", "something follows the end")
        except Refusal as refusal:
            refusal.line = refusal.line or reader.number()
            raise

    def __str__(self):
        certificate = self.certificate
        claim = "exists" if certificate.claim is None else f"needs less than {written(certificate.claim)} J"
        without = ("" if certificate.paging else ", no paging") + ("" if certificate.remat else ", no recomputation")
        text = (f"proven: no schedule of these {len(certificate.graph.nodes)} nodes in {certificate.ram} B of RAM and "
                f"{written(certificate.runtime)} s{without} {claim} ({len(self.rows)} rows, {self.leaves} leaves)")
        return text + ("" if certificate.order is None else "\norder: chosen, not proven best")


def digest_text(nodes, timed):
    """The text of a digest from the `nodes` of a document."""
    lines = []
    for node in nodes:
        costs = [written(node[key]) for key in ("runtime_seconds", "energy_joules", "page_in_energy_joules",
                                                "page_out_energy_joules")]
        inputs = ",".join(str(int(i)) for i in sorted(set(node["inputs"])))
        lines.append(" ".join([str(int(node["bytes"])), *costs, "true" if node["backward"] else "false", inputs]))
        if node.get("in_place") is not None:
            lines.append(f" in_place={int(node['in_place'])}")
        if node.get("workspace_bytes", 0):
            lines.append(f" workspace_bytes={int(node['workspace_bytes'])}")
        lines += [f" {key}=false" for key in ("recompute", "page") if not node.get(key, True)]
        if node.get("storage_bytes", node["bytes"]) != node["bytes"]:
            lines.append(f" storage_bytes={int(node['storage_bytes'])}")
        lines += [f" {key}={len(name.encode())}:{name}" for key in ("reads", "writes")
                  for name in node.get(f"{key}_parameters", ())]
        if timed:
            lines += [f" {key}={written(node.get(key, 0))}" for key in ("page_in_seconds", "page_out_seconds")]
    return "".join(line + "\n" for line in lines).encode()


def limited(text):
    """A whole number of a document."""
    if len(text) > MAX_DIGITS:
        raise ValueError("a number is too long")
    return int(text)


def least(*numbers):
    return min((number for number in numbers if number is not None), default=math.inf)


def compare(certificate, document):
    """Whether the certificate is about a document. Returns its energy, or None."""
    def same(condition, text):
        need(condition, "document", text)

    same(document["format"] == "poet-schedule", "it is no schedule file")
    model, request, nodes = document["model"], document["request"], document.get("nodes")
    paging_time = request.get("paging_time", "free")
    same(paging_time == certificate.paging_time, "the time of transfers counts for something else")
    same(model.get("order") == certificate.order, "its nodes are in another order")
    if nodes is not None:
        text = digest_text(nodes, paging_time != "free")
        same(hashlib.sha256(text).hexdigest() == certificate.order_sha256, "its nodes are others")
        choices = {k: tuple(node["in_place_choices"]) for k, node in enumerate(nodes) if node.get("in_place_choices")}
        same(choices == certificate.choices, "its nodes have other choices of 'in_place'")
    else:
        same(document["graph_sha256"] == certificate.graph_sha256, "its graph is another one")
        same(model.get("order_sha256", certificate.order_sha256) == certificate.order_sha256, "its nodes are others")
        same(document["status"] != "infeasible" or request.get("order") != "search", "it is about all orders")
    same(request["ram_budget_bytes"] <= certificate.ram, "it has a larger RAM budget")
    same(request["runtime_budget_seconds"] <= certificate.runtime, "it has a larger runtime budget")
    same(certificate.paging or not request["paging"], "it may page")
    same(certificate.remat or not request["remat"], "it may recompute")
    same(least(request.get("storage_budget_bytes"), request.get("page_out_budget_bytes")) <=
         least(certificate.write_budget), "it may write more to secondary storage")
    same(nodes is not None or certificate.claim is None, "it has no schedule, so no energy to compare with the claim")
    return None if nodes is None else Fraction(float(document["summary"]["energy_joules"]))


def about(certificate, data):
    """How far a document is above the bound, for people."""
    try:
        energy = compare(certificate, json.loads(data, parse_int=limited))
        if energy is None:
            return "document: the same problem, without a schedule"
        claim = certificate.claim
        need(claim is not None, "contradiction", "the document has a schedule where none is said to exist")
        need(energy * (1 + Fraction(1, 10**9)) >= claim, "contradiction", f"the document has a schedule of "
             f"{written(energy)} J, and none below {written(claim)} J is said to exist")
        above = max(energy - claim, 0)
        percent = f"{float(100 * above / claim):.3g} %" if claim else f"{written(above)} J"
        return f"document: {written(energy)} J, at most {percent} above the bound"
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, OverflowError, RecursionError) as error:
        text = f"it is no whole schedule file: {type(error).__name__}: {ascii(str(error)[:60])}"
        raise Refusal("document", text) from None


def read(path):
    with open(path, "rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise OSError(f"more than {MAX_BYTES} B: '{path}'")
    return data


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="poet-check", description="Checks a certificate of poet-solve: a proof that no schedule has less energy.",
        epilog="Exit status: 0: it is proven; 1: it is not; 2: a file cannot be read, or the command line is wrong.")
    parser.add_argument("certificate", metavar="CERTIFICATE", help="what 'poet-solve certify' writes")
    parser.add_argument("document", metavar="DOCUMENT", nargs="?",
                        help="a schedule file, or a document without a schedule, that it has to be about")
    parser.add_argument("--version", action="version", version=FORMAT.decode(), help="print the format and its version")
    try:
        options = parser.parse_args(arguments)
        certificate = read(options.certificate)
        document = None if options.document is None else read(options.document)
        proof = Proof(certificate)
        lines = [str(proof)] + ([] if document is None else [about(proof.certificate, document)])
    except SystemExit as end:
        return end.code
    except (OSError, ValueError) as error:
        print(f"poet-check: {error}", file=sys.stderr)
        return 2
    except Refusal as refusal:
        place = f"line {refusal.line}: " if refusal.line else ""
        print(f"refused: {refusal.reason}: {place}{refusal}", file=sys.stderr)
        return 1
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
