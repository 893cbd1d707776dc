"""poet_check.py: certificates that it accepts, and each reason for which it refuses one."""
import ast
import contextlib
import hashlib
import io
import json
import subprocess
import sys
import time
from unittest import mock

import poet_check
from support import PACKAGE, SOURCE, TestCase

# Node 1 reads 0, node 2 reads 1, node 3 reads 0 and 2. While node 2 is computed, 1 and 2 fill the 8 bytes.
NODES = ["4 1 1 9 9 false ", "4 1 1 9 9 false 0", "4 1 1 9 9 false 1", "0 1 1 9 9 true 0,2"]
ROWS = ["first 2 0", "bytes 2 2 0:h"]
TREE = ["B 0;S 2 0", "L 0 0 1 b0 1", "F 1 1 b0 4"]


def digest(nodes):
    return hashlib.sha256("".join(node + "\n" for node in nodes).encode()).hexdigest()


def certificate(nodes=NODES, rows=ROWS, tree=TREE, choices=(), graph=None, **keys):
    """The text of a certificate; keys change its lines, a key that is None takes one away."""
    lines = {"claim": "5", "graph_sha256": digest(graph or nodes), "order_sha256": digest(nodes), "ram_budget_bytes": 8,
             "runtime_budget_seconds": 9, "paging": "true", "remat": "true", "paging_time": "free",
             "write_budget_bytes": None, "order": None, "nodes": sum(node[0] != " " for node in nodes),
             "shift": 0, "writes": "false", "moments": "1 2", "rows": len(rows)}
    assert keys.keys() <= lines.keys(), keys
    lines.update(keys)
    text = "poet-certificate 1\n"
    for key, value in lines.items():
        text += "" if value is None else f"{key} {value}\n"
        text += "".join(f"{node}\n" for node in nodes) if key == "nodes" else ""
        text += "".join(f"{choice}\n" for choice in choices) if key == "nodes" else ""
    return text + "".join(f"{line}\n" for line in [*rows, "tree", *tree, "end"])


def document(**keys):
    """A schedule file about NODES."""
    nodes = [{"bytes": 4, "runtime_seconds": 1.0, "energy_joules": 1.0, "page_in_energy_joules": 9.0,
              "page_out_energy_joules": 9.0, "inputs": inputs, "backward": False}
             for inputs in ([], [0], [1], [2, 0, 2])]
    nodes[3].update(bytes=0, backward=True)
    request = {"ram_budget_bytes": 8, "runtime_budget_seconds": 9.0, "paging": True, "remat": True}
    request.update({key: keys.pop(key) for key in list(keys) if key not in ("nodes", "model", "summary", "status")})
    whole = {"format": "poet-schedule", "version": 2, "status": "feasible", "model": {"name": "m"}, "request": request,
             "summary": {"energy_joules": 6.0}, "nodes": nodes}
    return {**whole, **keys}


class Case(TestCase):
    def check(self, text, about=None):
        """Exit status, and what is printed."""
        path, other = self.folder / "certificate", self.folder / "document"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if about is not None:
            other.write_bytes(about if isinstance(about, bytes) else json.dumps(about).encode())
        return self.run_main(str(path), *([str(other)] if about is not None else []))

    def run_main(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = poet_check.main(list(arguments))
        return status, out.getvalue() + err.getvalue()

    def accepts(self, text, about=None):
        status, said = self.check(text, about)
        self.assertEqual(status, 0, said)
        return said

    def refuses(self, reason, text, about=None, line=None):
        status, said = self.check(text, about)
        self.assertEqual(status, 1, said)
        place = "" if reason in ("document", "contradiction") else f"line {line or ''}"
        self.assertTrue(said.startswith(f"refused: {reason}: {place}"), f"expected {reason}, found {said}")
        self.assertEqual(said.count("\n"), 1)


class Accepted(Case):
    def test_a_bound(self):
        self.assertEqual(self.accepts(certificate()), "proven: no schedule of these 4 nodes in 8 B of RAM and 9 s "
                                                      "needs less than 5 J (2 rows, 2 leaves)\n")

    def test_no_less_than_the_claim(self):
        # A claim of 5.5 needs a recomputation of more than 1 J: the window of R is open, and its price is 1.
        self.refuses("leaf", certificate(claim="5.5", shift=1))
        self.refuses("leaf", certificate(claim="6"))
        self.accepts(certificate(claim="4", rows=[], tree=["L 0"]))

    def test_infeasible(self):
        said = self.accepts(certificate(claim="infeasible", ram_budget_bytes=7, rows=["bytes 2 2"], tree=["F 0 1"]))
        self.assertEqual(said, "proven: no schedule of these 4 nodes in 7 B of RAM and 9 s exists (1 rows, 1 leaves)\n")
        self.refuses("leaf", certificate(claim="infeasible", rows=["bytes 2 2"], tree=["F 0 1"]))
        self.refuses("leaf", certificate(claim="infeasible", ram_budget_bytes=7, rows=["bytes 2 2"], tree=["L 0 0 1"]))
        # 3 s are not enough for four nodes, and what cannot be kept cannot be there.
        self.accepts(certificate(claim="infeasible", runtime_budget_seconds=3, rows=["runtime 0"], tree=["F 0 1"]))
        said = self.accepts(certificate(claim="infeasible", paging="false", remat="false", tree=["F 0 4 1 1"]))
        self.assertIn("in 8 B of RAM and 9 s, no paging, no recomputation exists", said)

    def test_rows_of_sets_and_paths(self):
        self.accepts(certificate(rows=["first 2 0", "ram 2 2 0 0:1:h"], tree=["L 0 0 1 1 1"]))
        self.accepts(certificate(rows=["path 2 2 1 0", "ram 2 2 6 0:7:h"], tree=["L 0 0 7 1 1"]))
        self.accepts(certificate(rows=["path 1 2 1 P0", "bytes 2 2 0:h", "hand 1 0"], tree=["L 0"], claim="4"))

    def test_storage(self):
        # Node 0 does not fit beside node 2, and neither a recomputation nor a copy is allowed.
        nodes = [f"8 1 1 0 0 false {inputs}" for inputs in ("", "0", "", "", "0,3")]
        nodes[1:1] = [" storage_bytes=16"]
        keys = {"rows": ["storage", "copy 2 0", "first 2 0", "ram 2 2 0 0:1:h"], "tree": ["F 0 1 1 16 2 16 3 16"],
                "ram_budget_bytes": 15, "moments": "2", "claim": "6"}
        self.accepts(certificate(nodes, **keys, write_budget_bytes=15))
        self.refuses("leaf", certificate(nodes, **keys, write_budget_bytes=16))
        self.refuses("row", certificate(nodes, **keys))

    def test_deep_trees(self):
        upper = [f"F 1 1 b{depth} 4" for depth in range(2999, -1, -1)]
        self.accepts(certificate(tree=["B 0;S 2 0"] * 3000 + ["L 0 0 1 b0 1"] + upper))

    def test_bounded_time(self):
        nodes = ["4 1 1 1 1 false "] + [f"4 1 1 1 1 false {k - 1}" for k in range(1, 300)]
        rows = [f"bytes {t} {t} {t - 2}:h" for t in range(2, 300)] * 4
        start = time.process_time()
        self.refuses("leaf", certificate(nodes, rows, ["L 0 0 1"], claim="310", moments=" ".join(map(str, range(300)))))
        self.assertLess(time.process_time() - start, 3)


class Orders(Case):
    # Node 1 is read by 3 as well, so that 2 takes over 0. The model lists 1 before 0.
    NODES = ["8 1 1 9 9 false ", "8 2 2 9 9 false ", "8 1 1 9 9 false 0,1", " in_place=0", "0 1 1 9 9 false 1,2"]
    GIVEN = ["8 2 2 9 9 false ", "8 1 1 9 9 false ", "8 1 1 9 9 false 0,1", " in_place=1", "0 1 1 9 9 false 0,2"]
    KEYS = {"rows": [], "tree": ["L 0"], "ram_budget_bytes": 99, "moments": "2", "claim": "5"}

    def text(self, choices=("in_place_choices 2 1 0",), order="1 0 2 3", given=GIVEN):
        whole = certificate(self.NODES, choices=choices, graph=given, **self.KEYS)
        return whole.replace("nodes 4\n", f"order {order}\nnodes 4\n")

    def test_order_put_back(self):
        self.assertIn("\norder: chosen, not proven best\n", self.accepts(self.text()))

    def test_wrong_orders(self):
        self.refuses("digest", self.text(given=self.NODES))
        self.refuses("digest", self.text(order="0 1 2 3"))
        self.refuses("format", self.text(order="1 0 2 2"))
        self.refuses("format", self.text(order="1 0 2"))
        self.refuses("node", self.text(order="3 0 1 2"))
        self.refuses("node", self.text(choices=["in_place_choices 2 1"]))
        self.refuses("node", self.text(choices=["in_place_choices 3 0"]))
        self.refuses("format", self.text(choices=["in_place_choices 2"]))
        self.refuses("format", self.text(choices=["in_place_choices 2 1 0"] * 2))
        self.refuses("digest", self.text().replace("order 1 0 2 3\n", ""))
        plain = certificate(choices=["in_place_choices 2 1"], rows=[], tree=["L 0"], claim="4")
        self.refuses("format", plain)


class Digests(Case):
    TEXT = ("128 0.001 1e-05 1e+16 123.45 false \n storage_bytes=256\n"
            "128 2 1 0 0 true 0\n in_place=0\n workspace_bytes=64\n page=false\n reads=3:a\nb\n reads=2:\u00fc\n"
            "0 0 0 0 0 true 0,1\n recompute=false\n writes=3:a\nb\n")
    TIMES = " page_in_seconds=0.5\n page_out_seconds=0\n"

    def header(self, text, **keys):
        sha = hashlib.sha256(text.encode()).hexdigest()
        whole = certificate(["0 0 0 0 0 false "], [], ["L 0"], claim="0", moments="0", **keys)
        first = digest(["0 0 0 0 0 false "])
        return whole.replace(first, sha).replace("nodes 1\n0 0 0 0 0 false \n", f"nodes 3\n{text}")

    def test_vectors(self):
        self.assertEqual(hashlib.sha256(self.TEXT.encode()).hexdigest(),
                         "f8b47e11ee4372bac8a24070147e60f7529e6feceeefa2ce7476a62922dfefca")
        self.accepts(self.header(self.TEXT))
        timed = self.TEXT.replace(" storage_bytes=256\n", " storage_bytes=256\n" + self.TIMES).replace(
            "\u00fc\n", "\u00fc\n" + self.TIMES) + self.TIMES
        self.accepts(self.header(timed, paging_time="blocking"))
        self.refuses("format", self.header(timed))
        self.refuses("format", self.header(self.TEXT, paging_time="overlapped"))

    def test_documents_have_the_same_text(self):
        node = {"runtime_seconds": 0.001, "energy_joules": 1e-5, "page_in_energy_joules": 1e16,
                "page_out_energy_joules": 123.45}
        none = dict.fromkeys(node, 0.0)
        nodes = [{**node, "bytes": 128, "backward": False, "inputs": [], "storage_bytes": 256, "recompute": True},
                 {**none, "runtime_seconds": 2, "energy_joules": 1.0, "bytes": 128, "backward": True, "inputs": [0, 0],
                  "in_place": 0, "workspace_bytes": 64, "page": False, "reads_parameters": ["a\nb", "\u00fc"]},
                 {**none, "bytes": 0, "backward": True, "inputs": [1, 0], "recompute": False,
                  "writes_parameters": ["a\nb"]}]
        self.assertEqual(poet_check.digest_text(nodes, False), self.TEXT.encode())
        self.assertIn("page_in_seconds=0\n", poet_check.digest_text(nodes, True).decode())

    def test_numbers(self):
        for value, text in ((123.45, "123.45"), (0.001, "0.001"), (2.0, "2"), (1.2345e-5, "1.2345e-05"),
                            (1e16, "1e+16"), (1e15, "1000000000000000"), (5e-324, "5e-324"),
                            (0.1 + 0.2, "0.30000000000000004")):
            self.assertEqual(poet_check.written(value), text)
            self.assertEqual(float(poet_check.double(text.encode())), value)
        for text in ("1.0", "01", "+1", ".5", "1e5", "1E+16", "nan", "inf", "1e+999", "--1", "",
                     "0.1000000000000000055"):
            with self.assertRaises(poet_check.Refusal, msg=text):
                poet_check.double(text.encode())


class Refused(Case):
    def test_format(self):
        good = certificate()
        for old, new, line in (("poet-certificate 1", "poet-certificate 2", 1), ("claim 5", "claim 5.0", 2),
                               ("claim 5", "claim -5", 2), ("claim 5", "claim  5", 2), ("paging true", "paging yes", 7),
                               ("paging_time free", "paging_time none", 9), ("remat true\n", "", 8),
                               ("4 1 1 9 9 false 0\n", "4 1 1 9 9 false 0\n workspace=3\n", 12),
                               ("shift 0", "shift 1101", 15), ("shift 0", "shift -1101", 15),
                               ("L 0 0 1", "L 61 0 1", 23),
                               ("L 0 0 1", "L -61 0 1", 23), ("writes false", "writes no", 16),
                               ("rows 2", "rows 3", 21), ("rows 2", "rows 1", 20), ("first 2 0", "first 2", 19),
                               ("first 2 0", "last 2 0", 19), ("first 2 0", "first 2 x", 19), ("0:h", "0:h:h:h", 20),
                               ("0:h", "0:1:h", 20), ("L 0 0 1", "L 0 0", 23), ("B 0;S 2 0", "B 0", 22),
                               ("B 0;S 2 0", "B 0;Q 2 0", 22), ("B 0;S 2 0", "B 0;S 2", 22)):
            self.assertIn(old, good)
            self.refuses("format", good.replace(old, new, 1), line=line)
        for text in (" workspace_bytes=0", " storage_bytes=4", " page=false\n recompute=false"):
            self.refuses("format", certificate(NODES[:1] + [text] + NODES[1:]))

    def test_wrong_numbers_of_fields(self):
        open_ended = {"path": 4, "ram": 3, "bytes": 2}  # the fewest fields
        self.assertEqual(len(poet_check.Rows.NUMBERS), 19)
        for kind, right in poet_check.Rows.NUMBERS.items():
            for count in range(open_ended.get(kind, right + 3)):
                if kind in open_ended or count != right:
                    self.refuses("format", certificate(rows=[" ".join([kind, *["1"] * count]), ROWS[1]]), line=19)

    def test_node(self):
        for k, node in ((1, "4 1 1 9 9 false 1"), (1, "4 1 1 9 9 false 3"), (1, "4 1 -1 9 9 false 0"),
                        (1, "4 -1 1 9 9 false 0"), (1, "4 1 1 9 9 false 0\n storage_bytes=3"),
                        (1, "4 1 1 9 9 false \n in_place=0"), (1, "3 1 1 9 9 false 0\n in_place=0"),
                        (1, "4 1 1 9 9 false 0\n writes=1:w"),
                        (1, "4 1 1 9 9 false 0\n recompute=false\n writes=1:w\n4 1 1 9 9 false 1\n reads=1:w")):
            self.refuses("node", certificate(NODES[:k] + [node] + NODES[k + 1:]))

    def test_digest(self):
        self.refuses("digest", certificate(graph_sha256="0" * 64), line=3)
        self.refuses("digest", certificate(order_sha256="0" * 64), line=4)
        self.refuses("digest", certificate().replace("4 1 1 9 9 false 1", "4 1 2 9 9 false 1"), line=4)

    def test_moments(self):
        for moments in ("2 1", "1 1", "1 4", "4"):
            self.refuses("moments", certificate(moments=moments), line=17)
        for moments in ("", "x", "-1 2"):
            self.refuses("format", certificate(moments=moments), line=17)

    def test_row(self):
        for row in ("first 0 0", "first 1 1", "first 2 2", "first 1 0", "first 2 1", "first 2 9", "first 2 -1",
                    "ever 2 1",
                    "hand 2 0", "input 2 0 2", "input 2 1 0", "inputs 2 0 9", "copy 3 0", "sumR 2 0", "sumI 2 0",
                    "path 2 1 1 0", "path 1 2 1 2", "path 1 2 1 1 9", "path 2 2 1 1", "path 2 2 S 0", "path 2 2 R2 0",
                    "path 2 2 1 0 1", "bytes 2 3 0:h", "bytes 1 0 0:h", "bytes 3 3 0:h", "bytes 2 2 1:h",
                    "bytes 2 2 2:h", "bytes 2 2 0:h 0:h", "bytes 2 2 0:0", "bytes 2 1 0:0",
                    "bytes 2 0 1:0",
                    "bytes 2 2 0:o", "ram 2 2 10000 0:1:h", "ram 2 2 -1 0:1:h", "runtime 1101", "transfers 0",
                    "storage",
                    "write 1", "written 2 0", "order 2 0"):
            self.refuses("row", certificate(rows=[row, "bytes 2 2 0:h"]), line=19)
        for row in ("write 0", "write 4", "bytes 2 2 1:o", "bytes 1 1 0:o"):
            self.refuses("row", certificate(rows=[row, "bytes 2 2 0:h"], writes="true"), line=19)

    def test_set(self):
        self.refuses("set", certificate(rows=["ram 2 1 0 0:1:h 1:1:h"]), line=19)
        self.refuses("set", certificate(rows=["ram 2 1 5 0:3:h 1:3:h"]), line=19)
        self.accepts(certificate(rows=["ram 2 1 6 0:3:h 1:3:h", *ROWS], tree=["L 0 1 1 2 1"]))

    def test_branch(self):
        for branch in ("S 2 1", "S 2 2", "S 3 0", "S 1 9", "R 2 0", "P 0 0", "P 1 0", "O 2 0", "S 2 0;S 2 0"):
            self.refuses("branch", certificate(tree=["B 0;" + branch, *TREE[1:]]), line=22)

    def test_price(self):
        for leaf in ("L 0 0 0", "L 0 0 -1", "L 0 2 1", "L 0 b1 1", "F b0 1 b1 1"):
            self.refuses("price", certificate(tree=[TREE[0], leaf, TREE[2]]), line=23)
        for leaf in ("L 0 0 1.5", "L 0 b 1", "L 0 -1 1", "L 0 0 x"):
            self.refuses("format", certificate(tree=[TREE[0], leaf, TREE[2]]), line=23)

    def test_leaf(self):
        self.refuses("leaf", certificate(tree=["L 0"]), line=22)
        self.refuses("leaf", certificate(tree=[TREE[0], TREE[1], "F b0 1"]), line=24)
        self.refuses("leaf", certificate(tree=[TREE[0], "L 0 0 1", TREE[2]]), line=23)
        self.refuses("leaf", certificate(tree=[TREE[0], TREE[2], TREE[1]]), line=23)
        self.refuses("leaf", certificate(tree=[TREE[0], "L -1 0 1 b0 1", TREE[2]]), line=23)
        self.accepts(certificate(tree=[TREE[0], "L -1 0 2 b0 2", TREE[2]]))
        self.accepts(certificate(tree=[TREE[0], "L 60 0 1 b0 1", TREE[2]]))

    def test_tree(self):
        self.refuses("tree", certificate(tree=[]), line=22)
        self.refuses("tree", certificate(tree=TREE[:2]), line=24)
        self.refuses("tree", certificate(tree=TREE + TREE[1:2]), line=25)
        self.refuses("tree", certificate() + "\n", line=26)

    def test_too_much_work(self):
        with mock.patch.object(poet_check, "MAX_EFFORT", 14000):
            self.refuses("row", certificate(rows=["runtime 0"] * 20))
        with mock.patch.object(poet_check, "MAX_EFFORT", 20000):
            self.refuses("leaf", certificate(tree=["L 0" + " 0 1" * 20000]))

    def test_edges_readers_and_nodes_are_work(self):
        node = "0 0 1 0 0 false "
        dense = [node + ",".join(map(str, range(j))) for j in range(100)] + [node] * 100
        windows = [f"hand {b} 0" for b in range(100, 199)]
        wide = [node] * 2 + [node + "0"] * 1000
        read = [node] * 1000 + [node + ",".join(map(str, range(1000)))]
        for most, reason, nodes, rows, moments in (
                (3_200_000, "row", dense, windows, range(100, 200)),
                (3_400_000, "row", wide, ["first 1 0"] * 200, [1]),
                (3_200_000, "row", read, ["bytes 1000 1000"] * 200, [1000]),
                (2_000_000, "node", [node] * 1000, [], [1])):
            text = certificate(nodes, rows, ["L 0"], claim="9999", moments=" ".join(map(str, moments)))
            with mock.patch.object(poet_check, "MAX_EFFORT", most):
                self.refuses(reason, text)
            with mock.patch.object(poet_check, "MAX_EFFORT", 5 * most):
                self.refuses("leaf", text)


class Documents(Case):
    def test_above_the_bound(self):
        said = self.accepts(certificate(), document())
        self.assertTrue(said.endswith("\ndocument: 6 J, at most 20 % above the bound\n"), said)
        self.accepts(certificate(), document(ram_budget_bytes=5, runtime_budget_seconds=8.5, paging=False, remat=False,
                                             storage_budget_bytes=3))
        self.accepts(certificate(), document(summary={"energy_joules": 5 * (1 - 5e-10)}))

    def test_contradiction(self):
        self.refuses("contradiction", certificate(), document(summary={"energy_joules": 4.9}))
        text = certificate(claim="infeasible", runtime_budget_seconds=3, rows=["runtime 0"], tree=["F 0 1"])
        self.refuses("contradiction", text, document(runtime_budget_seconds=3))

    def test_other_documents(self):
        for keys in ({"ram_budget_bytes": 9}, {"runtime_budget_seconds": 9.5}, {"paging_time": "blocking"},
                     {"nodes": []}, {"model": {"order": [0, 1, 2, 3]}}, {"summary": {}}, {"nodes": 3}, {"model": None},
                     {"summary": {"energy_joules": 10**400}}, {"ram_budget_bytes": None}):
            self.refuses("document", certificate(), document(**keys))
        budget = certificate(write_budget_bytes=8)
        self.accepts(budget, document(storage_budget_bytes=99, page_out_budget_bytes=8))
        self.refuses("document", budget, document())
        self.refuses("document", budget, document(page_out_budget_bytes=9))
        rest = {"rows": [], "tree": ["L 0"], "claim": "4"}
        self.refuses("document", certificate(paging="false", **rest), document())
        self.refuses("document", certificate(remat="false", **rest), document())
        for data in (b"", b"{", b"[]", b"\xff", b"[" * 100000, b"3", b'{"format": NaN}', b"1" * 5000):
            self.refuses("document", certificate(), data)

    def test_without_a_schedule(self):
        text = certificate(claim="infeasible", runtime_budget_seconds=3, rows=["runtime 0"], tree=["F 0 1"])
        whole = document(runtime_budget_seconds=3, status="infeasible", graph_sha256=0)
        del whole["nodes"], whole["summary"], whole["request"]["graph_sha256"]
        whole["graph_sha256"] = digest(NODES)
        self.assertIn("without a schedule", self.accepts(text, whole))
        self.refuses("document", certificate(), whole)
        self.refuses("document", text, {**whole, "graph_sha256": "0"})
        self.refuses("document", text, {**whole, "request": {**whole["request"], "order": "search"}})


class BadInput(Case):
    def test_no_text(self):
        for data in (b"", b"\n", b"\0" * 100, bytes(range(256)) * 9, "poet-certificate 1\n\u00fc\n".encode("utf-16"),
                     b"poet-certificate 1\r\nclaim 5\r\n"):
            self.refuses("format", data)

    def test_cut_anywhere(self):
        whole = certificate().encode()
        for end in range(len(whole)):
            with self.assertRaises(poet_check.Refusal) as refusal:
                poet_check.Proof(whole[:end])
            self.assertIn(refusal.exception.reason, ("format", "tree"))
        for line in range(whole.count(b"\n")):  # and with a line less
            lines = whole.split(b"\n")
            with self.assertRaises(poet_check.Refusal):
                poet_check.Proof(b"\n".join(lines[:line] + lines[line + 1:]))

    def test_changed_anywhere(self):
        whole = certificate().encode()
        for place in range(len(whole)):
            for byte in b"9 \n:x-":
                with contextlib.suppress(poet_check.Refusal):
                    poet_check.Proof(whole[:place] + bytes([byte]) + whole[place + 1:])

    def test_huge_numbers(self):
        good, huge = certificate(), "9" * 5000
        for key in ("ram_budget_bytes 8", "runtime_budget_seconds 9", "nodes 4", "shift 0",
                    "moments 1 2", "rows 2", "first 2 0", "0:h", "B 0", "L 0 0 1", "claim 5"):
            self.refuses("format", good.replace(key, key + huge))
        big = "9" * 900
        for key in ("nodes 4", "rows 2", "first 2 0", "B 0;S 2 0", "L 0 0"):
            with self.assertRaises(poet_check.Refusal):
                poet_check.Proof(good.replace(key, key + big).encode())
        self.accepts(certificate(ram_budget_bytes=big, rows=[], tree=["L 0"], claim="4"))
        self.accepts(certificate(tree=["B 0;S 2 0", TREE[1], f"F 1 {big} b0 4{'0' * 900}"]))
        self.accepts(certificate(["4 1e+308 0 5e-324 1e+308 false "], ["runtime 1100"], ["L 0"], claim="0", shift=1100,
                                 moments="0"))

    def test_names_of_any_length(self):
        for name in ("5000000000:w", "99:w", "0:w", ":w", "w", "-1:w", "1w"):
            self.refuses("format", certificate(NODES[:1] + [" reads=" + name] + NODES[1:]))


class CommandLine(Case):
    def test_help_and_version(self):
        self.assertIn("usage: poet-check", self.run_main("--help")[1])
        self.assertEqual(self.run_main("--version"), (0, "poet-certificate 1\n"))

    def test_what_cannot_be_read(self):
        good = self.folder / "good"
        good.write_text(certificate())
        for arguments in ([], ["--none"], [str(self.folder)], [str(self.folder / "no")],
                          [str(good), str(self.folder / "no")],
                          ["a", "b", "c"], ["a\0b"]):
            self.assertEqual(self.run_main(*arguments)[0], 2)

    def test_one_file_without_the_package(self):
        good = self.folder / "good"
        good.write_text(certificate())
        run = subprocess.run([sys.executable, "-I", "-B", str(PACKAGE / "poet_check.py"), str(good)],
                             capture_output=True, text=True, cwd=self.folder)
        self.assertEqual((run.returncode, run.stderr), (0, ""))

    def test_only_the_standard_library_has_a_part_in_it(self):
        tree = ast.walk(ast.parse((PACKAGE / "poet_check.py").read_text()))
        found = []
        for node in tree:
            if isinstance(node, ast.Import):
                found += [name.name for name in node.names]
            elif isinstance(node, ast.ImportFrom):
                found.append("." * node.level + (node.module or ""))
        self.assertIn("fractions", found)
        self.assertLessEqual({name.split(".")[0] for name in found}, set(sys.stdlib_module_names))
        self.assertTrue({"importlib", "subprocess", "ctypes", "runpy"}.isdisjoint(found))

    def test_it_runs_from_a_checkout(self):
        good, other = self.folder / "good", self.folder / "other"
        good.write_text(certificate())
        other.write_text(json.dumps(document()))
        for arguments, status, said in (([good, other], 0, "proven: "), ([other], 1, ""), ([], 2, "")):
            run = subprocess.run([SOURCE / "scripts" / "poet-check", *arguments], capture_output=True, text=True,
                                 cwd=self.folder)
            self.assertEqual(run.returncode, status, run.stderr)
            self.assertTrue(run.stdout.startswith(said), run.stdout)


if __name__ == "__main__":
    import unittest
    unittest.main()
