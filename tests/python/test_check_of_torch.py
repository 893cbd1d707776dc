"""`poet.check` of modules: right imports agree, and faults that are planted between module and model are found."""
import contextlib
import importlib.util
import io
import os
import sys
import unittest
from unittest import mock

import poet
from support import TestCase

if importlib.util.find_spec("torch") is not None:
    import torch
    from torch import nn
    from torch.nn import functional

    class Net(nn.Module):
        """A dense layer, what a function does, and a dense layer."""

        def __init__(self, between, inner=8, outer=8):
            super().__init__()
            self.first, self.last, self.between = nn.Linear(8, inner), nn.Linear(outer, 5), between

        def forward(self, x):
            return self.last(self.between(self.first(x)))

    class Language(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.out = nn.Embedding(11, 8), nn.Linear(8, 11)

        def forward(self, x):
            return self.out(self.table(x))

    class Segments(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 5, 3, padding=1)

        def forward(self, x):
            return self.conv(x)

    class FixedBatch(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(8, 5)

        def forward(self, x):
            return self.fc(x.view(4, 8))

    class Branches(FixedBatch):
        def forward(self, x):
            return self.fc(x * 2 if x.sum() > 0 else x)

    class Random(nn.Module):
        def __init__(self, rate=0.3, ends_in=None):
            super().__init__()
            self.first, self.drop, self.norm = nn.Linear(8, 8), nn.Dropout(rate), nn.BatchNorm1d(8)
            self.last, self.ends_in = nn.Linear(8, 5), ends_in

        def forward(self, x):
            x = functional.dropout(torch.relu(self.norm(self.first(x))), 0.25, self.training)
            x = self.last(self.drop(x))
            return x if self.ends_in is None else self.ends_in(x, -1)


@unittest.skipIf(importlib.util.find_spec("torch") is None, "no torch (Debian: python3-torch)")
class Modules(TestCase):
    def setUp(self):
        super().setUp()
        torch.manual_seed(0)

    @contextlib.contextmanager
    def traced_as(self, other):
        """An import of another module."""
        import poet.torch
        real = poet.torch.trace

        def traced(_, *inputs, **settings):
            return real(other, *inputs, **settings)
        with mock.patch("poet.torch._check.trace", traced), mock.patch("poet.torch._document.trace", traced):
            yield

    def twin(self, net, other):
        """The other one with the parameters of the first."""
        other.load_state_dict(net.state_dict(), strict=False)
        return other

    def test_imports_that_are_right_agree(self):
        x = torch.randn(4, 8)
        for name, net, given, y, settings in (
                ("language model", Language(), torch.randint(0, 11, (2, 6)), torch.randint(0, 11, (2, 6)),
                 {"loss": "cross_entropy"}),
                ("segmentation", Segments(), torch.randn(2, 3, 4, 6), torch.randint(0, 5, (2, 4, 6)),
                 {"loss": "cross_entropy"}),
                ("fixed batch", FixedBatch(), x, torch.randint(0, 5, (4,)), {}),
                ("by ONNX", Branches(), x.abs(), torch.randint(0, 5, (4,)), {}),
                ("random layers", Random(), x, None, {}),
                ("softmax", Random(ends_in=torch.softmax), x, None, {}),
                ("log-softmax", Random(ends_in=torch.log_softmax), x, None, {}),
                ("weights of a function", nn.Linear(8, 5), x, None, {})):
            with self.subTest(name):
                before = {key: tensor.clone() for key, tensor in net.state_dict().items()}
                try:
                    found = poet.check(net, given, y, ram="100%", **settings)
                except poet.InputError as error:
                    if "built without ONNX" in str(error):
                        continue
                    raise
                self.assertTrue(found, str(found))
                self.assertEqual(len(found.rows), len(list(net.parameters())))
                self.assertLess(max(row.noise for row in (*found.rows, *found.outputs)), 1e-4)
                self.assertEqual([row.name for row in found.outputs][:2],
                                 ["output in evaluation", "output in training"])
                self.assertTrue(all(torch.equal(before[key], tensor) for key, tensor in net.state_dict().items()))
                self.assertTrue(net.training)

    def test_the_loss_is_that_of_pytorch(self):
        net, x, y = Segments(), torch.randn(2, 3, 4, 6), torch.randint(0, 5, (2, 4, 6))
        found = poet.check(net, x, y, loss="cross_entropy", ram="100%")
        self.assertAlmostEqual(found.loss, float(functional.cross_entropy(net(x), y)), 5)

    def test_a_network_in_evaluation_mode_is_compared_as_one_that_trains(self):
        found = poet.check(Random().eval(), torch.randn(4, 8), ram="100%")
        self.assertTrue(found, str(found))
        self.assertEqual([row.name for row in found.outputs][1:], ["output in training", "rates of random layers"])

    def test_faults_are_found(self):
        x = torch.randn(4, 8)
        for name, between, planted, where in (
                ("slope", lambda t: functional.leaky_relu(t, 0.1), lambda t: functional.leaky_relu(t, 0.2), "last"),
                ("alias", lambda t: functional.relu(t) * 2, lambda t: functional.relu(t) + t, "last"),
                ("dropped call", lambda t: (t + 1.5).relu(), lambda t: t.relu(), "last"),
                ("mask", lambda t: t.masked_fill(torch.arange(8) > 3, 0.5), lambda t: t + 0.5, "last"),
                ("axis", lambda t: torch.softmax(t.view(-1, 2, 4), 1).flatten(1),
                 lambda t: torch.softmax(t.view(-1, 2, 4), 2).flatten(1), "last")):
            with self.subTest(name):
                net = Net(between)
                with self.traced_as(self.twin(net, Net(planted))):
                    found = poet.check(net, x, ram="100%")
                self.assertFalse(found, str(found))
                self.assertEqual(found.first, where)
                self.assertIn(f"the first layer that differs: {where}", str(found))

    def test_faults_of_one_mode_are_found(self):
        net = Random()
        other = self.twin(net, Random())
        other.norm.eval()
        with self.traced_as(other):
            found = poet.check(net, torch.randn(4, 8), ram="100%")
        self.assertEqual([row.agrees(1e-4) for row in found.outputs], [True, False])
        self.assertEqual(found.first, "norm")
        with self.traced_as(self.twin(net, Random(0.6))):
            found = poet.check(net, torch.randn(4, 8), ram="100%")
        self.assertEqual([row.name for row in found.outputs if not row.agrees(1e-4)], ["rates of random layers"])
        self.assertTrue(all(row.agrees(1e-4) for row in found.rows))

    def test_what_trains_is_compared(self):
        net, other = Net(torch.tanh), Net(torch.tanh)
        self.twin(net, other)
        for frozen in (other.first, net.first):
            for parameter in frozen.parameters():
                parameter.requires_grad_(False)
            with self.traced_as(other):
                found = poet.check(net, torch.randn(4, 8), ram="100%")
            for parameter in frozen.parameters():
                parameter.requires_grad_(True)
            self.assertFalse(found)
            self.assertEqual([row.name for row in found.rows if not row.agrees(1e-4)], ["first.weight", "first.bias"])

    def test_keywords_of_an_attention_are_compared(self):
        class Look(nn.Module):
            def __init__(self, swapped=False):
                super().__init__()
                self.look, self.other = nn.MultiheadAttention(8, 2, batch_first=True), nn.Linear(8, 8)
                self.swapped = swapped

            def forward(self, x):
                a, b = (self.other(x), x) if self.swapped else (x, self.other(x))
                return self.look(a, b, b)[0]
        net = Look()
        self.assertTrue(poet.check(net, torch.randn(2, 5, 8), loss="mse"))
        with self.traced_as(self.twin(net, Look(swapped=True))):
            found = poet.check(net, torch.randn(2, 5, 8), loss="mse")
        self.assertFalse(found)

    def test_an_import_is_compared_unless_it_is_told_not_to(self):
        net = Net(lambda t: functional.leaky_relu(t, 0.1))
        x = torch.zeros(1, 8)
        plain = poet.Model.from_torch(net, x, check=False).document
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(poet.Model.from_torch(net, x).document, plain)
        self.assertEqual(err.getvalue(), "")
        other = self.twin(net, Net(lambda t: functional.leaky_relu(t, 0.2)))
        with self.traced_as(other):
            with self.assertRaisesRegex(poet.Differs, "another network: .*the first layer that differs is last"):
                poet.Model.from_torch(net, x)
            poet.Model.from_torch(net, x, check=False)
        with mock.patch("poet.torch._check.UNASKED_FLOP", 10), contextlib.redirect_stderr(io.StringIO()) as err:
            poet.Model.from_torch(net, x)
        self.assertRegex(err.getvalue(), r"^poet: Net was not compared .*: its step takes [\d.e+]+ FLOPs\n$")

    def test_the_command_compares_as_well(self):
        from poet.torch.__main__ import main
        (self.folder / "net_of_check.py").write_text("import torch\ndef net():\n    return torch.nn.Sequential("
                                                     "torch.nn.Linear(8, 3), torch.nn.Dropout(0.2))\n")
        self.addCleanup(os.chdir, os.getcwd())
        self.addCleanup(sys.path.__setitem__, slice(None), list(sys.path))
        self.addCleanup(sys.modules.pop, "net_of_check", None)
        os.chdir(self.folder)
        texts = {}
        for words in ([], ["--no-check"]):
            with mock.patch("poet.torch.__main__.check_unasked", wraps=importlib.import_module(
                    "poet.torch._check").check_unasked) as compare, mock.patch.object(
                    sys, "argv", ["poet.torch", "net_of_check:net", "--input", "1,8", *words]), \
                    contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
                self.assertEqual((main(), err.getvalue()), (0, ""))
            self.assertEqual(compare.call_count, 0 if words else 1)
            texts[tuple(words)] = out.getvalue()
        self.assertEqual(*texts.values())


if __name__ == "__main__":
    unittest.main()
