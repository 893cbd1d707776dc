"""Numbers, arguments, aliases and parameters of modules, carried as autograd has them or refused by name."""
import copy
import importlib.util
import json
import os
import subprocess
import tempfile
import unittest

import poet
from support import TestCase, needs_numpy

HAS_TORCH = importlib.util.find_spec("torch") is not None

if HAS_TORCH:
    import torch
    from torch import nn
    from torch.nn import functional as F

    import poet.torch
    from poet.torch._layers import choose_trainable
    from poet.torch._state import arrays_of, entries

    class Net(nn.Module):
        """A module of parts, and of what is computed with them."""

        def __init__(self, compute, **parts):
            super().__init__()
            self.compute = compute
            for name, part in parts.items():
                setattr(self, name, part)

        def forward(self, x):
            return self.compute(self, x)

    def dense(**more):
        return {"a": nn.Linear(8, 8), "b": nn.Linear(8, 8), **more}

    def tied(net, part="weight"):
        setattr(net.b, part, getattr(net.a, part))
        return net

    def frozen(net, *names):
        for name in names:
            net.get_parameter(name).requires_grad_(False)
        return net


@needs_numpy
@unittest.skipUnless(HAS_TORCH, "no torch (Debian: python3-torch)")
class Kinds(TestCase):
    def setUp(self):
        super().setUp()
        torch.manual_seed(3)
        self.x = torch.randn(2, 8)

    def expect_as_autograd(self, net, x, y=None, loss=None):
        """The loss and the gradient of each parameter that trains; `loss` if it is not a mean of squares."""
        name = "mse" if loss is None else "cross_entropy"
        if y is None:
            y = torch.randn_like(net(x.clone()))
        arrays = {}
        document = poet.torch.trace(net, x, via="fx", loss=name, parameters=arrays, notes=[])
        batch = len(x) if document["inputs"]["input"]["shape"][0] == "N" else 1
        schedule = poet.optimize(poet.Model(document), "m4", ram="100%", runtime=2, effort="fast", batch_size=batch,
                                 progress=False)
        run = schedule.run(parameters=arrays, inputs={"input": x.numpy()}, targets=y.numpy())
        net.zero_grad()
        value = (loss or F.mse_loss)(net(x.clone()), y)
        value.backward()
        wanted = arrays_of({key: each.grad for key, each in net.named_parameters()}, entries(net))
        found = run.arrays["gradients"]
        self.assertEqual(set(found), set(wanted))
        self.assertTrue(abs(run.losses[0] - value.item()) <= 1e-5 * abs(value.item()), (run.losses[0], value.item()))
        largest = max(abs(each).max() for each in wanted.values())
        for key, each in wanted.items():
            self.assertLessEqual(abs(found[key].reshape(-1) - each.reshape(-1)).max(), 1e-5 * largest, key)
        return document

    def expect_kept(self, document, trained, frozen):
        """RAM for the numbers that train alone, their gradients and Adam's moments; the others are in flash."""
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/model.json"
            with open(path, "w", encoding="utf-8") as file:
                json.dump({**document, "update": "accumulate", "optimizer": "adam"}, file)
            told = subprocess.run([os.environ["POET_SOLVE"], "info", path, "--platform", "stm32h743", "--json"],
                                  capture_output=True, check=True)
        memory = json.loads(told.stdout)["memory"]
        self.assertEqual([memory[f"{kind}_bytes"] for kind in ("parameters", "gradients", "optimizer", "flash")],
                         [4 * trained, 4 * trained, 8 * trained, 4 * frozen])

    def expect_refused(self, net, x, message, via="fx"):
        with self.assertRaisesRegex(poet.torch.Refused, message):
            poet.torch.trace(net, x, via=via, notes=[])

    def test_readers_of_a_tensor_see_what_was_done_in_place(self):
        def module(net, x):
            h = net.a(x)
            return net.r(h) + h

        def function(net, x):
            h = net.a(x)
            return F.relu(h, True) * 2 + h

        def operators(net, x):
            h = k = net.a(x)
            h *= 2
            return net.b(torch.sigmoid(h + k))

        def dropped(net, x):
            x.mul_(0.5)
            h = net.a(x)
            h.add_(0.3)
            F.leaky_relu(h, 0.2, inplace=True)
            return net.b(h) + x

        def views(net, x):
            h = net.a(x)
            whole, part = h.view(x.size(0), 4, 2), h[:, :4]
            h.sigmoid_()
            return net.b(whole.flatten(1)) + torch.cat([part, part], 1)

        def below(net, x):
            h = net.a(x)
            h.view(x.size(0), 4, 2).tanh_()
            return net.b(h)

        for compute in (module, function, operators, dropped, views, below):
            with self.subTest(compute.__name__):
                self.expect_as_autograd(Net(compute, **dense(r=nn.ReLU(inplace=True))), self.x)

        def a_part(net, x):
            h = net.a(x)
            h[:, :4].tanh_()
            return net.b(h)
        self.expect_refused(Net(a_part, **dense()), self.x,
                            r"b \(Linear\): it reads a, of which tanh_ has changed a part")

        def kept(net, x):
            net.number.mul_(0.9)
            return net.a(x) * net.number
        net = Net(kept, **dense())
        net.register_buffer("number", torch.ones(8))
        self.expect_refused(net, self.x, "it changes number in place")

    def test_a_dropout_makes_another_tensor_in_training(self):
        def compute(net, x):
            h = net.a(x)
            return net.r(net.d(h)) + h
        layers = poet.torch.trace(Net(compute, a=nn.Linear(8, 8), d=nn.Dropout(0.3), r=nn.ReLU(True)), self.x,
                                  via="fx")["layers"]
        self.assertEqual([each["inputs"] for each in layers if each["op"] == "add"], [["r", "a"]])
        layers = poet.torch.trace(Net(compute, a=nn.Linear(8, 8), d=nn.Dropout(0.3, True), r=nn.ReLU(True)), self.x,
                                  via="fx")["layers"]
        self.assertEqual([each["inputs"] for each in layers if each["op"] == "add"], [["r", "r"]])

    def test_arguments_have_their_names(self):
        rows = torch.randn(2, 5, 8)

        def compute(net, x):
            return net.look(value=net.b(x), key=net.a(x), query=x, need_weights=False)[0]
        self.expect_as_autograd(Net(compute, **dense(look=nn.MultiheadAttention(8, 2, batch_first=True))), rows)
        later = torch.ones(5, 5).triu(1)
        for mask, is_exact in ((later.bool(), True), (later.masked_fill(later > 0, float("-inf")), True),
                               (later.tril(2).bool(), False), (later, False)):
            def masked(net, x):
                return net.look(x, net.a(x), net.b(x), attn_mask=net.mask)[0]
            net = Net(masked, **dense(look=nn.MultiheadAttention(8, 2, batch_first=True)))
            net.register_buffer("mask", mask)
            if is_exact:
                self.expect_as_autograd(net, rows)
            else:
                layers = poet.torch.trace(net, rows, via="fx", notes=[])["layers"]
                self.assertEqual([each["differs"] for each in layers if each["op"] == "attention"],
                                 ["it has a mask, the layer has none"])
        self.expect_as_autograd(Net(lambda net, x: net.a(x).add(other=x, alpha=0.3), **dense()), self.x)
        self.expect_refused(Net(lambda net, x: net.up(x, output_size=(13, 13)), up=nn.ConvTranspose2d(3, 4, 2, 2)),
                            torch.randn(1, 3, 6, 6), r"its argument output_size is \(13, 13\); expected None")
        self.expect_refused(Net(lambda net, x: F.softmax(net.a(x), 1, dtype=torch.float64), **dense()), self.x,
                            "torch.float64, which no layer states")

    def test_masks_and_comparisons_are_exact_or_refused(self):
        def attention(net, x):
            h = net.a(x)
            scores = (h @ h.transpose(1, 2)).masked_fill(net.mask[:5, :5] == 0, float("-inf"))
            return scores.softmax(-1) @ h

        def filled(net, x):
            return net.b(net.a(x).masked_fill_(net.mask[0] < 1, 0.5))

        def chosen(net, x):
            h = net.a(x)
            return torch.where(net.mask[2] > 0, h, net.b(h))

        for compute, x in ((attention, torch.randn(2, 5, 8)), (filled, self.x), (chosen, self.x)):
            with self.subTest(compute.__name__):
                net = Net(compute, **dense())
                net.register_buffer("mask", torch.tril(torch.ones(8, 8)))
                self.expect_as_autograd(net, x)
        self.expect_refused(Net(lambda net, x: net.b(x) * (net.a(x) == x), **dense()), self.x, r"eq \(eq\): no layer")
        self.expect_refused(Net(lambda net, x: net.a(x).masked_fill(x > 0, 0), **dense()), self.x,
                            r"masked_fill \(masked_fill\): its mask depends on an input")
        net = Net(lambda net, x: net.a(x).masked_fill(net.mask, float("-inf")).tanh(), **dense())
        net.register_buffer("mask", torch.eye(8)[0].bool())
        self.expect_refused(net, self.x, "it makes infinite numbers")

    def test_numbers_are_carried_or_named(self):
        image = torch.randn(2, 3, 6, 6)

        def after(compute):
            if isinstance(compute, nn.Module):
                return nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), compute)
            return Net(lambda net, x: compute(net.c(x)), c=nn.Conv2d(3, 4, 3, padding=1))
        for compute in (lambda h: F.avg_pool2d(h, (2, 3), divisor_override=4), nn.AvgPool2d(2, divisor_override=3),
                        lambda h: F.avg_pool2d(h, 3, 2, 1, False, False), nn.ELU(0.7), nn.Softplus(2, 3),
                        lambda h: F.leaky_relu(h, 0.3), lambda h: F.interpolate(h, scale_factor=2, mode="bilinear"),
                        nn.GroupNorm(2, 4, eps=0.1), nn.Upsample(scale_factor=3, mode="nearest-exact"),
                        nn.ZeroPad2d((0, 1, -1, 2)), lambda h: F.pad(h, (1, 0, 0, 2), value=0.5)):
            with self.subTest(compute):
                self.expect_as_autograd(after(compute), image)
        for module, message in ((nn.MaxPool2d(2, return_indices=True), "its return_indices is True; expected False"),
                                (nn.Upsample(scale_factor=2.4), "its scale_factor is 2.4"),
                                (nn.utils.weight_norm(nn.Conv2d(4, 4, 1)), "is computed of parameters beforehand"),
                                (nn.Conv2d(4, 4, 3, padding=1, padding_mode="reflect"), "padding_mode is 'reflect'")):
            with self.subTest(module):
                self.expect_refused(nn.Sequential(nn.Conv2d(3, 4, 3), module), torch.randn(1, 3, 4, 4), message)
        notes = []
        for module in (nn.Embedding(5, 8, scale_grad_by_freq=True), nn.BatchNorm1d(8, track_running_stats=False)):
            x = torch.zeros(2, 8) if isinstance(module, nn.BatchNorm1d) else torch.zeros(2, dtype=torch.int64)
            layers = poet.torch.trace(nn.Sequential(module, nn.Linear(8, 2)), x, via="fx", notes=notes)["layers"]
            self.assertIn("differs", layers[0])

    def test_shared_parameters_have_one_gradient(self):
        def one_after_another(net, x):
            return net.b(torch.tanh(net.a(x)))

        def transposed(net, x):
            return F.linear(torch.tanh(net.a(x)), net.a.weight.t(), net.bias)

        images = {"a": nn.Conv2d(3, 3, 3, padding=1), "b": nn.Conv2d(3, 3, 3, padding=1)}
        words = {"a": nn.Embedding(7, 8), "b": nn.Linear(8, 7)}
        twice = Net(lambda net, x: net.a(x) * net.scale + net.shift, **dense(scale=nn.Parameter(torch.randn(8))))
        twice.shift = twice.scale
        for net, x in ((tied(Net(one_after_another, **dense())), self.x),
                       (tied(Net(one_after_another, **dense()), "bias"), self.x),
                       (tied(Net(one_after_another, **images)), torch.randn(2, 3, 5, 5)),
                       (Net(transposed, a=nn.Linear(8, 8), bias=nn.Parameter(torch.randn(8))), self.x),
                       (Net(transposed, a=nn.Linear(8, 5), bias=nn.Parameter(torch.randn(8))), self.x),
                       (tied(Net(lambda net, x: net.b(net.a(x)), **words)), torch.randint(0, 7, (2, 4))),
                       (Net(lambda net, x: net.a(torch.tanh(net.a(x))), a=nn.Linear(8, 8)), self.x), (twice, self.x)):
            with self.subTest([type(each).__name__ for each in net.children()]):
                self.expect_as_autograd(net, x)
        net = tied(Net(one_after_another, a=nn.LayerNorm(8), b=nn.LayerNorm(8)))
        self.expect_refused(net, self.x, "a.weight is a parameter of the layers a and b, which use it in different",
                            None)

    def test_classes_are_where_the_softmax_has_them(self):
        signals, images = torch.randn(2, 3, 6), torch.randn(2, 3, 6, 5)
        rows = {"c": nn.Conv2d(3, 4, 1)}
        for net, x, y in ((Net(lambda net, x: net.c(x).log_softmax(1), c=nn.Conv1d(3, 4, 1)), signals, (2, 6)),
                          (Net(lambda net, x: net.c(x).log_softmax(1), **rows), images, (2, 6, 5))):
            self.expect_as_autograd(net, x, torch.randint(0, 4, y), F.nll_loss)
        self.expect_as_autograd(Net(lambda net, x: net.c(x).permute(0, 2, 3, 1).log_softmax(-1), **rows), images,
                                torch.randint(0, 4, (2, 6, 5)), lambda a, y: F.nll_loss(a.flatten(0, 2), y.flatten()))

    def test_only_what_trains_in_pytorch_trains(self):
        def compute(net, x):
            return net.b(torch.tanh(net.a(x)))

        self.expect_as_autograd(frozen(Net(compute, **dense()), "a.weight", "b.weight"), self.x)
        self.expect_as_autograd(frozen(Net(compute, **dense()), "a.bias"), self.x)
        none = Net(compute, **dense()).requires_grad_(False)
        with self.assertRaisesRegex(ValueError, "nothing trains in this model: set requires_grad, or use backward='n"):
            poet.torch.trace(none, self.x)
        self.assertEqual(poet.torch.trace(none, self.x, backward="none")["backward"], "none")

        def unlearned(net, x):
            h = net.a(x)
            with torch.no_grad():
                k = net.b(h)
            return h + k

        def backbone(net, x):
            with torch.no_grad():
                h = net.a(x)
            return net.b(h)
        self.expect_refused(Net(unlearned, **dense()), self.x, r"^b: it is computed in torch.no_grad\(\)", None)
        self.expect_as_autograd(frozen(Net(backbone, **dense()), "a.weight", "a.bias"), self.x)
        self.expect_refused(Net(lambda net, x: net.b(net.a(x).detach()), **dense()), self.x, "^detach: it stops",
                            None)

    def test_biases_alone_and_weights_alone_train_as_by_autograd(self):
        def images(net, x):
            return net.fc(net.up(net.group(net.deep(torch.tanh(net.norm(torch.tanh(net.conv(x))))))).flatten(1))

        def steps(net, x):
            return net.fc(net.gru(net.lstm(x)[0])[0])
        for net, x in ((Net(images, conv=nn.Conv2d(3, 4, 3, padding=1), norm=nn.BatchNorm2d(4),
                            deep=nn.Conv2d(4, 4, 3, groups=4), group=nn.GroupNorm(2, 4),
                            up=nn.ConvTranspose2d(4, 2, 2, 2), fc=nn.Linear(72, 3)), torch.randn(2, 3, 5, 5)),
                       (nn.Sequential(nn.TransformerEncoderLayer(8, 2, 12, 0.0, "gelu", batch_first=True),
                                      nn.LayerNorm(8), nn.Linear(8, 3)), torch.randn(2, 4, 8)),
                       (Net(steps, lstm=nn.LSTM(4, 5, batch_first=True), gru=nn.GRU(5, 6, batch_first=True),
                            fc=nn.Linear(6, 3)), torch.randn(2, 3, 4))):
            whole = poet.torch.trace(net, x, via="fx", loss="mse", notes=[])
            for part, others in (("bias", "weight"), ("weight", "bias")):
                with self.subTest((type(net[0] if isinstance(net, nn.Sequential) else net.fc), part)):
                    some = frozen(copy.deepcopy(net), *(key for key, _ in net.named_parameters() if others in key))
                    document = self.expect_as_autograd(some, x)
                    lists = [layer["trainable"] for layer in document["layers"] if "trainable" in layer]
                    self.assertTrue(lists and all(part in name for each in lists for name in each), lists)
                    by_pattern = copy.deepcopy(whole)
                    choose_trainable(by_pattern["layers"], f"*.{part}*")
                    self.assertEqual(by_pattern["layers"], document["layers"])
                    self.expect_kept(document, *(sum(each.numel() for each in some.parameters()
                                                     if each.requires_grad == flag) for flag in (True, False)))

    def test_shapes_are_numbers_if_the_module_asks(self):
        def asks(net, x):
            h = net.a(x)
            h = h + x if h.shape == x.shape else h
            return sum(h[:, i:i + 2] for i in range(0, x.size(1), 2)).view(len(x), -1, h.shape[-1] // 8)
        document = self.expect_as_autograd(Net(asks, a=nn.Linear(8, 8)), self.x)
        self.assertEqual(document["inputs"]["input"]["shape"], ["N", 8])

        def speech(net, x):
            x = net.pool(F.relu(net.norm(net.conv(x))))
            x = F.avg_pool1d(x, x.shape[-1]).permute(0, 2, 1)
            return F.log_softmax(net.fc(x), dim=2)
        net = Net(speech, conv=nn.Conv1d(1, 4, 8, 4), norm=nn.BatchNorm1d(4), pool=nn.MaxPool1d(4), fc=nn.Linear(4, 5))
        self.expect_as_autograd(net, torch.randn(3, 1, 100), torch.randint(0, 5, (3, 1)),
                                lambda rows, y: F.nll_loss(rows.flatten(0, 1), y.flatten()))


if __name__ == "__main__":
    unittest.main()
