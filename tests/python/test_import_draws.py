"""Small ONNX networks, drawn from the schemas of operators: what an import computes is what the file computes, or the
import is refused.

The schemas say which attributes, extents and opsets an operator takes; nothing here follows from what the import does
with them. POET_CASES is the number of networks, POET_SEED the number of the first.
"""
import collections
import os
import tempfile
import unittest
from dataclasses import replace
from unittest import mock

import poet
from support import TestCase, needs_numpy, numpy
from test_check_of_onnx import reads_onnx

if numpy is not None:
    from drawn_kinds import KINDS, drawn
    from drawn_network import Draw
    from poet import _onnx_check
    from poet._onnx_reference import Unsupported

CASES, FIRST = int(os.environ.get("POET_CASES", "200")), int(os.environ.get("POET_SEED", "0"))
#: Kinds that are never imported.
REFUSED = ()
LEAST_IMPORTED = 0.4
FLAT = 1e-9  # a derivative that is 0 but for rounding in double numbers
LEAST_TRAINED = 0.9  # of the imports: there are derivatives to compare
#: What these operators read is learned, if it is stored beside the graph.
LEARNED = ("Conv", "ConvTranspose", "Gemm", "MatMul", "PRelu", "BatchNormalization", "InstanceNormalization")


def remembered(imported):
    """An import that takes each file once: a comparison asks for some of them again."""
    known = {}

    def found(path, words=(), numbers=True):
        with open(path, "rb") as file:
            key = file.read(), tuple(words)
        if key not in known:
            known[key] = imported(path, words, True)
        return known[key]
    return found


def judged(path, imported=None):
    """What a comparison along one direction finds, or why the import is refused. Other errors go on. A direction that
    does not change the loss, such as the same number added to all scores, has no derivative to compare."""
    slopes, along = [], _onnx_check.Slopes.along

    def recorded(*arguments, **settings):
        slopes.append(along(*arguments, **settings))
        return slopes[-1]
    with mock.patch.multiple(_onnx_check, MOST_GROUPS=1, imported=remembered(imported or _onnx_check.imported)), \
            mock.patch.object(_onnx_check.Slopes, "along", recorded), \
            mock.patch.object(_onnx_check.Computed, "flop", lambda model: 1), \
            mock.patch.object(tempfile, "tempdir", "/dev/shm" if os.access("/dev/shm", os.W_OK) else None):
        try:
            found = poet.check(path)
        except Unsupported:
            raise
        except poet.InputError as error:
            return str(error)
    return replace(found, rows=()) if slopes and abs(slopes[0]) < FLAT else found


def left_out(draw, names):
    """Weights that have a derivative and do not train. Numbers in Constant nodes may do so, and keep the rest of their
    layer from training."""
    read = {name for node in draw.nodes if node.op in LEARNED for name in node.inputs}
    # What PyTorch writes for a group norm scales by ones and adds zeros, in front of the parameters.
    fixed = {name for node in draw.nodes if node.op == "InstanceNormalization"
             for name, value in zip(node.inputs[1:], (1, 0)) if (draw.values[name] == value).all()}
    return [name for name in names if name in read - fixed and not draw.constant]


# Layers, keys that an import may leave out (None), or write another number of, and a file whose import has them.
FAULTS = (
    ("leaky_relu", {"slope": None}, lambda d: d.op("LeakyRelu", d.rows(), alpha=0.3)),
    ("elu", {"alpha": None}, lambda d: d.op("Elu", d.rows(), alpha=0.4)),
    ("batch_norm2d", {"epsilon": None}, lambda d: d.op(
        "BatchNormalization", d.images(channels=2), d.floats(2), d.floats(2), d.floats(2),
        d.number(numpy.ones(2)), epsilon=0.3)),
    ("group_norm", {"epsilon": None}, lambda d: d.op(
        "InstanceNormalization", d.images(channels=2), d.floats(2), d.floats(2), epsilon=0.3)),
    ("group_norm", {"groups": 1}, lambda d: d.op(
        "InstanceNormalization", d.images(channels=2), d.floats(2), d.floats(2))),
    ("avg_pool2d", {"count_include_pad": None}, lambda d: d.op(
        "AveragePool", d.images(), kernel_shape=[3, 3], pads=[1, 1, 1, 1])),
    ("conv2d", {"dilation": None, "padding": 1}, lambda d: d.op(
        "Conv", d.images(channels=2), d.floats(2, 2, 3, 3), kernel_shape=[3, 3], pads=[2] * 4, dilations=[2, 2])),
    ("upsample2d", {"mode": None}, lambda d: d.op(
        "Resize", d.images(), None, numpy.array([1.0, 1.0, 2.0, 2.0]), mode="linear")),
    ("softmax", {"axis": None}, lambda d: d.op("Tanh", d.op("Softmax", d.tokens(), axis=1))),
    ("permute", {"order": [0, 1, 2]}, lambda d: d.op("Transpose", d.tokens(3, 3), perm=[0, 2, 1])),
    ("slice", {"start": None}, lambda d: d.op("Slice", d.rows(5), numpy.array([2]), numpy.array([4]),
                                              numpy.array([1]))),
    ("concat", {"inputs": "reversed"}, lambda d: d.op("Concat", d.rows(3), "x", axis=1)),
)


def with_fault(op, keys):
    """An import that writes other keys for one kind of layers, and a list that counts them."""
    real, changed = _onnx_check.imported, []

    def imported(*arguments, **settings):
        document, arrays = real(*arguments, **settings)
        for layer in document["layers"]:
            for key, value in keys.items() if layer["op"] == op else ():
                stated = layer.pop(key, None)
                if value is not None:
                    layer[key] = stated[::-1] if value == "reversed" else value
                if layer.get(key) != stated:
                    changed.append(key)
        return document, arrays
    return imported, changed


@needs_numpy
class DrawnNetworks(TestCase):
    @classmethod
    def setUpClass(cls):
        if not reads_onnx():
            raise unittest.SkipTest("this poet-solve reads no ONNX files")

    def judge(self, data, imported=None):
        path = self.folder / "net.onnx"
        path.write_bytes(data)
        return judged(path, imported)

    def test_imports_compute_what_files_do(self):
        counts, wrong = collections.defaultdict(collections.Counter), []
        for case in range(FIRST, FIRST + CASES):
            kind, draw, data = drawn(case)
            try:
                found = self.judge(data)
            except (poet.PoetError, ValueError, KeyError, TypeError, IndexError, StopIteration) as error:
                wrong.append(f"case {case}, {kind}: {type(error).__name__}: {error}\n{draw.text()}")
                continue
            counts[kind]["drawn"] += 1
            if isinstance(found, str):
                continue
            counts[kind]["imported"] += 1
            counts[kind]["trained"] += bool(found.rows)
            untrained = left_out(draw, found.untrained)
            if not found or untrained:
                reason = f"{untrained} should train" if found else found.reason
                wrong.append(f"case {case}, {kind}: {reason}\n{draw.text()}")
        self.assertEqual(wrong, [], "\n" + "\n".join(wrong))
        self.check_shares(counts)

    def check_shares(self, counts):
        total = sum(counts.values(), collections.Counter())
        print(f"{total['drawn']} networks, {total['imported']} imported, {total['trained']} with derivatives")
        self.assertGreaterEqual(total["imported"], LEAST_IMPORTED * total["drawn"])
        self.assertGreaterEqual(total["trained"], LEAST_TRAINED * total["imported"])
        if CASES >= 2 * len(KINDS):
            self.assertEqual({kind for kind in KINDS if not counts[kind]["drawn"]}, set())
            self.assertEqual({kind for kind in KINDS if not counts[kind]["imported"]}, set(REFUSED))

    def test_same_pads_whose_output_is_not_the_same_to_all_are_refused(self):
        for keys in ({"kernel_shape": [1, 1], "strides": [3, 3]},
                     {"kernel_shape": [3, 3], "strides": [2, 2], "output_padding": [1, 0]}):
            draw = Draw(1, 14)
            draw.open, draw.constant = False, 0.0
            output = draw.op("ConvTranspose", draw.data(1, 3, 3), draw.floats(1, 1, *keys["kernel_shape"]),
                             auto_pad="SAME_UPPER", **keys)
            self.assertIn("found auto_pad SAME_UPPER", self.judge(draw.file(output)))

    def test_attributes_that_an_import_drops_are_found(self):
        for op, keys, build in FAULTS:
            with self.subTest(op, keys=keys):
                draw = Draw(1, 13)
                draw.open, draw.constant = False, 0.0
                data = draw.file(build(draw))
                self.assertTrue(self.judge(data), draw.text())
                faulty, changed = with_fault(op, keys)
                # A search for the first layer would take most of the time.
                with mock.patch.object(_onnx_check.Network, "first_layer", lambda *_: None):
                    found = self.judge(data, faulty)
                self.assertNotIsInstance(found, str)
                self.assertFalse(found, draw.text())
                self.assertGreaterEqual(set(changed), set(keys))

    def test_weights_that_an_import_no_longer_shares_are_found(self):
        draw, real = Draw(1, 13), _onnx_check.imported
        draw.open, draw.constant = False, 0.0
        rows, weight, bias = draw.rows(3), draw.floats(3, 3), draw.floats(3)
        data = draw.file(draw.op("Gemm", draw.op("Tanh", draw.op("Gemm", rows, weight, bias)), weight, bias))

        def imported(*arguments, **settings):
            document, arrays = real(*arguments, **settings)
            layer, = (each for each in document["layers"] if "weights" in each)
            owner = layer.pop("weights")
            copies = {f"{layer['name']}.{part}": arrays[f"{owner}.{part}"] for part in ("weight", "bias")}
            return document, {**arrays, **copies}
        self.assertTrue(self.judge(data), draw.text())
        self.assertRegex(self.judge(data, imported).reason, "number of parameters made of ")


if __name__ == "__main__":
    unittest.main()
