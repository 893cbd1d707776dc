"""`poet.check` of ONNX files: right imports agree, and faults that are planted between file and model are found.

Faults are planted where an import can make them: in the file that it reads, while the reference reads the one that was
given, and in the layers and numbers that it writes.
"""
import contextlib
import importlib
import io
import json
import os
import runpy
import sys
import unittest
from dataclasses import replace
from unittest import mock

import poet
from support import TestCase, needs_numpy, numpy

if numpy is not None:
    from onnx_files import altered, network, node


def reads_onnx():
    """Whether the program was built with libonnx."""
    try:
        poet.Model.from_onnx(os.devnull, check=False)
    except poet.InputError as error:
        return "built without ONNX" not in str(error)
    return True


def numbers(*shape, seed=0):
    return numpy.random.default_rng(seed).standard_normal(shape).astype("f4") / 2


def changed(op, **attributes):
    """A file whose nodes of an op have other attributes."""
    return lambda data: altered(data, lambda each: replace(each, attributes={
        **each.attributes, **(attributes if each.op == op else {})}))


def rewired(old, new):
    """A file whose nodes read one tensor in the place of another one."""
    return lambda data: altered(data, lambda each: replace(
        each, inputs=tuple(new if name == old else name for name in each.inputs)))


def in_layers(op, **keys):
    """An import whose layers of an op have other keys."""
    def mutate(document, arrays):
        found = [layer for layer in document["layers"] if layer["op"] == op]
        for layer in found:
            layer.update(keys)
        return len(found)
    return mutate


def in_numbers(ending, factor):
    """An import whose arrays of some names are other numbers."""
    def mutate(document, arrays):
        found = [name for name in arrays if name.endswith(ending)]
        arrays.update({name: factor * arrays[name] for name in found})
        return len(found)
    return mutate


def dense(*between, weights=None, output="h", **keys):
    """Two dense layers with nodes between them, which read `g` and make `h`."""
    nodes = [node("Gemm", "x w1 b1", "g", transB=1), *between, node("Gemm", f"{output} w2 b2", "y", transB=1)]
    return network(nodes, {"w1": numbers(6, 4), "b1": numbers(6), "w2": numbers(3, 6, seed=1), "b2": numbers(3),
                           **(weights or {})}, {"x": (None, 4)}, ("y", (None, 3)), **keys)


def images(*between, channels=4, weights=None, batch=None, extent=None, **keys):
    """A convolution, and nodes that read `g` and make `y`. libonnx wants to be told the extents of some of them."""
    nodes = [node("Conv", "x w b", "g", kernel_shape=[3, 3], pads=[1, 1, 1, 1]), *between]
    return network(nodes, {"w": numbers(channels, 2, 3, 3), "b": numbers(channels), **(weights or {})},
                   {"x": (batch, 2, 6, 6)}, ("y", (batch, channels, extent, extent)), **keys)


def attention(mask=None):
    """Two heads of width 2, and maybe a mask that is added to their scores."""
    nodes, weights = [], {f"w{part}": numbers(4, 4, seed=i) for i, part in enumerate("qkvo")}
    for part in "qkv":
        nodes += [node("MatMul", f"x w{part}", part), node("Reshape", f"{part} split", f"{part}1"),
                  node("Transpose", f"{part}1", f"{part}2", perm=[0, 2, 3, 1] if part == "k" else [0, 2, 1, 3])]
    nodes += [node("MatMul", "q2 k2", "s"), node("Mul", "s scale", "d" if mask is None else "c")]
    if mask is not None:
        nodes, weights["mask"] = [*nodes, node("Add", "c mask", "d")], mask
    nodes += [node("Softmax", "d", "p", axis=-1),
              node("MatMul", "p v2", "a"), node("Transpose", "a", "a1", perm=[0, 2, 1, 3]),
              node("Reshape", "a1 join", "a2"), node("MatMul", "a2 wo", "y")]
    return network(nodes, {**weights, "scale": numpy.float32(2 ** -0.5), "split": numpy.array([0, 5, 2, 2]),
                           "join": numpy.array([0, 5, 4])}, {"x": (None, 5, 4)}, ("y", (None, 5, 4)))


def classes(axis):
    """Scores of five classes in the second extent, or of as many in the last."""
    return network([node("MatMul", "x w", "h"), node("Softmax", "h", "y", axis=axis)], {"w": numbers(5, 5)},
                   {"x": (2, 5, 5)}, ("y", (2, 5, 5)))


@needs_numpy
class OnnxFiles(TestCase):
    @classmethod
    def setUpClass(cls):
        if not reads_onnx():
            raise unittest.SkipTest("this poet-solve reads no ONNX files")

    def write(self, data):
        path = self.folder / "net.onnx"
        path.write_bytes(data)
        return path

    @contextlib.contextmanager
    def planted(self, plant, in_file):
        """An import with a fault."""
        from poet import _onnx_check
        real, count = _onnx_check.imported, 0

        def faulty(path, words=(), numbers=True):
            nonlocal count
            if in_file:
                with open(path, "rb") as file:
                    other = self.folder / "other.onnx"
                    other.write_bytes(plant(file.read()))
                return real(str(other), words, numbers)
            document, arrays = real(path, words, numbers)
            count += plant(document, arrays)
            return document, arrays
        with mock.patch.object(_onnx_check, "imported", faulty):
            yield
        self.assertTrue(in_file or count > 0)

    def test_imports_that_are_right_agree(self):
        ones, zeros = numpy.ones(6, "f4"), numpy.zeros(6, "f4")
        norm = {"s": numpy.ones(4, "f4"), "o": numpy.zeros(4, "f4"), "mean": numbers(4), "var": numbers(4) ** 2 + 1}
        table = numbers(9, 4)
        for name, data, settings in (
                ("dense", dense(node("Relu", "g", "h")), {}),
                ("mse", dense(node("Constant", "", "two", value=numpy.array(2, "f4")), node("Mul", "g two", "h")),
                 {"loss": "mse"}),
                ("layer norm", dense(node("LayerNormalization", "g s o", "h"), weights={"s": ones, "o": zeros},
                                     opset=17), {}),
                ("batch norm", images(node("BatchNormalization", "g s o mean var", "y"), weights=norm),
                 {"loss": "mse"}),
                ("slopes", images(node("PRelu", "g slopes", "y"), weights={"slopes": numbers(4, 1, 1)}), {}),
                ("classes of a view", network([node("MatMul", "x w", "h"), node("LogSoftmax", "h", "y", axis=1)],
                                              {"w": numbers(5, 5)}, {"x": (2, 5, 5)}, ("y", (2, 5, 5)), opset=11), {}),
                ("pool", images(node("MaxPool", "g", "y", kernel_shape=[2, 2], strides=[2, 2])), {}),
                ("attention", attention(), {}),
                ("tokens", network([node("Gather", "t i", "h"), node("MatMul", "h w", "y")],
                                   {"t": table, "w": numbers(4, 9)}, {"i": tensor_of_indices((None, 7))},
                                   ("y", (None, 7, 9))), {"loss": "cross_entropy"}),
                ("softmax", network([node("MatMul", "x w", "h"), node("Softmax", "h", "y", axis=-1)],
                                    {"w": numbers(4, 3)}, {"x": (None, 4)}, ("y", (None, 3))), {}),
                ("weights of no numbers", network([node("Gemm", "x fc.weight fc.bias", "y", transB=1)], {},
                                                  {"x": (None, 4), "fc.weight": (3, 4), "fc.bias": (3,)},
                                                  ("y", (None, 3))), {})):
            with self.subTest(name):
                found = poet.check(self.write(data), **settings)
                self.assertTrue(found, str(found))
                self.assertGreater(len(found.rows), 0)
                self.assertEqual((found.first, found.skipped), (None, ()))
                self.assertLess(max(row.error for row in (*found.rows, *found.outputs)), 1e-5)
                self.assertLess(max(row.noise for row in (*found.rows, *found.outputs)), 1e-5)

    def test_faults_of_the_file_are_found(self):
        halves = numpy.array([1, 1, 2, 2], "f4")
        for name, data, plant, first in (
                ("slope", dense(node("LeakyRelu", "g", "h", alpha=0.1)), changed("LeakyRelu", alpha=0.2),
                 "LeakyRelu 'h'"),
                ("epsilon", dense(node("LayerNormalization", "g s o", "h", epsilon=0.1),
                                  weights={"s": numbers(6), "o": numbers(6)}, opset=17),
                 changed("LayerNormalization", epsilon=1e-5), "LayerNormalization 'h'"),
                ("two biases", network(
                    [node("Gemm", "x w b", "h", transB=1), node("Gemm", "h w c", "y", transB=1)],
                    {"w": numbers(4, 4), "b": numbers(4), "c": numbers(4, seed=1)}, {"x": (None, 4)}, ("y", (None, 4))),
                 rewired("c", "b"), "Gemm 'y'"),
                ("axis of the loss", classes(1), changed("Softmax", axis=-1), "Softmax 'y'"),
                ("rounding", images(node("Resize", "g _ sizes", "y", mode="nearest",
                                         coordinate_transformation_mode="asymmetric", nearest_mode="floor"),
                                    weights={"sizes": halves}, batch=2, extent=12),
                 changed("Resize", mode="linear", coordinate_transformation_mode="half_pixel"), "Resize 'y'"),
                ("padding", images(node("AveragePool", "g", "y", kernel_shape=[3, 3], pads=[1, 1, 1, 1],
                                        count_include_pad=1)), changed("AveragePool", count_include_pad=0),
                 "AveragePool 'y'")):
            with self.subTest(name), self.planted(plant, in_file=True):
                found = poet.check(self.write(data))
                self.assertFalse(found, str(found))
                self.assertEqual(found.first, first)
                self.assertIn(first, str(found))

    def test_faults_of_the_layers_are_found(self):
        norm = {"s": numbers(4) ** 2 + 1, "o": numbers(4), "mean": numbers(4), "var": numbers(4) ** 2 + 1}
        batch_norm = images(node("BatchNormalization", "g s o mean var", "y", epsilon=0.2), weights=norm)
        random = dense(node("Dropout", "g rate on", "h"), weights={"rate": numpy.float32(0.3),
                                                                   "on": numpy.array(True)}, opset=14)
        for name, data, plant, where in (
                ("mask", attention(), in_layers("attention", causal=True), "output in evaluation"),
                ("scale", attention(), in_numbers("q.weight", 2), "output in evaluation"),
                ("epsilon", batch_norm, in_layers("batch_norm2d", epsilon=1e-5), "output in"),
                ("statistics", batch_norm, in_layers("batch_norm2d", frozen=True), "output in training"),
                ("bias", dense(node("Relu", "g", "h")), in_numbers(".bias", 0), "output in evaluation"),
                ("rate", random, in_layers("dropout", rate=0.1), "rates of random layers")):
            with self.subTest(name), self.planted(plant, in_file=False):
                found = poet.check(self.write(data), loss="mse")
                self.assertFalse(found, str(found))
                self.assertIn(where, found.reason)

    def test_gradients_are_compared(self):
        """A fault that no output shows."""
        from poet._compared import Computed
        real = Computed.run

        def faulty(model, *arguments, **keys):
            schedule, run = real(model, *arguments, **keys)
            gradients = run.arrays.get("gradients", {})
            gradients.update({name: array.T.copy() for name, array in gradients.items() if array.shape == (4, 4)})
            return schedule, run
        data = network([node("MatMul", "x w", "h"), node("Relu", "h", "r"), node("MatMul", "r v", "y")],
                       {"w": numbers(4, 4), "v": numbers(4, 4, seed=1)}, {"x": (None, 4)}, ("y", (None, 4)))
        with mock.patch.object(Computed, "run", faulty):
            found = poet.check(self.write(data))
        self.assertFalse(found)
        self.assertEqual([row.name for row in found.rows if not row.agrees(1e-4)], ["along w", "along v"])
        self.assertTrue(all(row.agrees(1e-4) for row in found.outputs))

    def test_what_has_a_derivative_and_does_not_train_is_listed(self):
        data = dense(node("Relu", "g", "h"))
        with self.planted(lambda document, arrays: document["layers"][0].update(trainable=False) or 1, in_file=False):
            found = poet.check(self.write(data))
        self.assertTrue(found, str(found))
        self.assertEqual(found.untrained, ("w1", "b1"))
        self.assertIn("does not train: w1, b1", str(found))

    def test_a_mask_of_minus_infinities_stays_as_it_is(self):
        mask = numpy.where(numpy.tri(5) > 0, 0, -numpy.inf).astype("f4")
        with numpy.errstate(invalid="raise"):
            found = poet.check(self.write(attention(mask)))
        self.assertTrue(found, str(found))
        self.assertEqual(found.untrained, ("mask", "scale"))

    def test_a_network_in_which_nothing_trains_is_compared(self):
        constants = [node("Constant", "", "w", value=numbers(4, 4)), node("Constant", "", "b", value=numbers(4))]
        data = network([node("MatMul", "x v", "h"), *constants, node("MatMul", "h w", "m"), node("Add", "m b", "y")],
                       {"v": numbers(4, 4, seed=1)}, {"x": (None, 4)}, ("y", (None, 4)))

        def freeze(document, arrays):
            for layer in document["layers"]:
                layer["trainable"] = False
            return 1
        with self.planted(freeze, in_file=False):
            found = poet.check(self.write(data))
        self.assertTrue(found, str(found))
        self.assertIn("v", found.untrained)
        document = poet.Model.from_onnx(self.write(data)).document
        freeze(document, {})
        with self.assertRaisesRegex(poet.InputError, "nothing trains in this model: set \"trainable\" of a layer"):
            poet.optimize(poet.Model(document), "m4", "100%", 2)
        self.assertTrue(poet.optimize(poet.Model(document), "m4", "100%", 2, backward="none"))

    def test_later_opsets_mean_what_they_say_or_are_refused_by_name(self):
        twos = {"s": numpy.array([1, 1, 2, 2], "f4")}
        for opset, last, weights, said in (
                (18, node("Resize", "g _ s", "y", mode="linear", antialias=1), twos, "found antialias"),
                (18, node("Resize", "g _ _ s", "y", keep_aspect_ratio_policy="not_larger", axes=[2, 3]),
                 {"s": numpy.array([12, 9])}, "a policy other than stretch"),
                (19, node("AveragePool", "g", "y", kernel_shape=[2, 2], dilations=[2, 2]), {}, "found dilations"),
                (19, node("Pad", "g s", "y", mode="wrap"), {"s": numpy.array([0, 0, 1, 1, 0, 0, 1, 1])}, "Pad"),
                (18, node("Split", "g", "y z", num_outputs=3, axis=1), {}, "found num_outputs = 3"),
                (18, node("GroupNormalization", "g s s", "y", num_groups=2), {"s": numbers(2)}, "GroupNormalization"),
                (18, node("BitwiseNot", "g", "y"), {}, "BitwiseNot"),
                (24, node("Relu", "g", "y"), {}, "found opset 24; expected at most 23")):
            with self.subTest(said), self.assertRaisesRegex(poet.InputError, said):
                poet.Model.from_onnx(self.write(images(last, weights=weights, opset=opset)))

    def test_pads_are_read_as_pytorch_writes_them(self):
        chain = [node("Concat", "few zeros", "c", axis=0), node("Reshape", "c pairs", "r"),
                 node("Slice", "r end start axis back", "s"), node("Transpose", "s", "t", perm=[1, 0]),
                 node("Reshape", "t flat", "f"), node("Cast", "f", "p", to=7), node("Pad", "g p", "y", mode="reflect")]
        lists = {"few": [2, 1, 0, 3], "zeros": [0] * 4, "pairs": [-1, 2], "end": [-1], "start": [-2 ** 63 + 1],
                 "axis": [0], "back": [-1], "flat": [-1]}
        found = poet.check(self.write(images(*chain, weights={name: numpy.array(v) for name, v in lists.items()})))
        self.assertTrue(found, str(found))

    def test_one_of_a_layer_may_train(self):
        data = dense(node("Relu", "g", "h"))
        for part, left in (("bias", "w1"), ("weight", "b1")):
            with self.planted(lambda document, arrays, part=part: document["layers"][0].update(trainable=[part]) or 1,
                              in_file=False):
                found = poet.check(self.write(data))
            self.assertTrue(found, str(found))
            self.assertEqual(found.untrained, (left,))
        fixed = network([node("Constant", "", "b", value=numbers(3)), node("Conv", "x w b", "h"),
                         node("Relu", "h", "y")], {"w": numbers(3, 2, 2)}, {"x": (None, 2, 5)}, ("y", (None, 3, 4)))
        self.assertEqual(poet.Model.from_onnx(self.write(fixed)).document["layers"][0]["trainable"], ["weight"])
        found = poet.check(self.write(fixed))
        self.assertTrue(found, str(found))
        self.assertEqual([row.name for row in found.rows], ["along w"])

    def test_many_weights_are_compared_in_groups(self):
        from poet import _onnx_check
        with mock.patch.object(_onnx_check, "MOST_GROUPS", 2):
            found = poet.check(self.write(dense(node("Relu", "g", "h"))))
        self.assertEqual([row.name for row in found.rows], ["along w1 and 1 more", "along w2 and 1 more"])
        self.assertTrue(found, str(found))

    def test_the_first_layer_is_found_by_halving(self):
        chain = [node("LeakyRelu" if i == 5 else "Tanh", f"h{i}", f"h{i + 1}") for i in range(9)]
        data = dense(node("Tanh", "g", "h0"), *chain, output="h9")
        with self.planted(changed("LeakyRelu", alpha=0.5), in_file=True):
            found = poet.check(self.write(data))
        self.assertEqual(found.first, "LeakyRelu 'h6'")

    def test_an_import_is_compared_unless_it_is_told_not_to(self):
        path = self.write(dense(node("LeakyRelu", "g", "h", alpha=0.1)))
        plain = poet.Model.from_onnx(path, check=False).document
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(poet.Model.from_onnx(path).document, plain)
        self.assertEqual(err.getvalue(), "")
        with self.planted(changed("LeakyRelu", alpha=0.2), in_file=True):
            with self.assertRaisesRegex(poet.Differs, "another network: .*the first layer .* is LeakyRelu 'h'"):
                poet.Model.from_onnx(path)
            self.assertEqual(poet.Model.from_onnx(path, check=False).document, plain)
        from poet import _compared
        with mock.patch.object(_compared, "UNASKED_FLOP", 1), contextlib.redirect_stderr(io.StringIO()) as err:
            poet.Model.from_onnx(path)
        self.assertRegex(err.getvalue(), r"poet: .*net.onnx was not compared .*: its step takes [\d.e+]+ FLOPs")

    def run_check(self, *words):
        """Status, stdout and stderr of the command."""
        with mock.patch.object(sys, "argv", ["poet.check", *map(str, words)]), self.assertRaises(SystemExit) as ended, \
                contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            runpy.run_module("poet.check", run_name="__main__")
        return ended.exception.code, out.getvalue(), err.getvalue()

    def test_the_command_says_what_it_found(self):
        path = self.write(dense(node("LeakyRelu", "g", "h", alpha=0.1)))
        status, out, _ = self.run_check(path, "--loss", "mse")
        self.assertEqual(status, 0)
        self.assertRegex(out, r"along w1 +24 .*\n(.*\n)*output in evaluation .*\n(.*\n)*loss ")
        with self.planted(changed("LeakyRelu", alpha=0.2), in_file=True):
            status, out, _ = self.run_check(path)
        self.assertEqual((status, out.splitlines()[-1]), (1, "the first layer that differs: LeakyRelu 'h'"))
        status, out, err = self.run_check(self.folder / "none.onnx")
        self.assertEqual((status, out), (2, ""))
        self.assertRegex(err, "^poet.check: error: .*none.onnx.*No such file")
        with self.assertRaisesRegex(ImportError, "is a function"):
            importlib.import_module("poet.check")
        self.assertTrue(callable(poet.check))

    def test_a_file_that_is_none_is_an_error(self):
        for data in (b"", b"\x0a\x80", json.dumps({}).encode()):
            with self.assertRaises(poet.InputError):
                poet.check(self.write(data))


def tensor_of_indices(shape):
    from poet._onnx_file import Tensor
    return Tensor(7, shape)


if __name__ == "__main__":
    unittest.main()
