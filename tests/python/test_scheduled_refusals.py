"""What cannot be scheduled is an error that names the module or the line, and a way out."""
import copy
import random
import re
import unittest

from torch_cases import HAS_TORCH, TorchCase, plain

if HAS_TORCH:
    import numpy
    import torch
    import torch_networks as networks
    from poet.torch import Unschedulable
    from torch import nn
    from torch.nn import functional
    from torch.utils.checkpoint import checkpoint

    class Inner(nn.Module):
        """A dense layer, and what a case does with its output."""

        def __init__(self, does=lambda self, y: y):
            super().__init__()
            self.dense, self.does, self.calls = nn.Linear(8, 8), does, 0
            self.register_buffer("mask", torch.ones(8))
            self.free = torch.ones(8)

        def forward(self, x):
            self.calls += 1
            return self.does(self, self.dense(x))

    def around(does):
        return nn.Sequential(nn.ReLU(), Inner(does))


LINE = r"in 1 \(.*test_scheduled_refusals.py, line \d+\) "


class Refusals(TorchCase):
    def refused(self, net, pattern, *inputs, **keys):
        """Each message has a place, and a way out behind a semicolon or a colon."""
        with self.assertRaisesRegex(Unschedulable, pattern) as caught:
            plain(net, *(inputs or (torch.ones(4, 8),)), **keys)
        self.assertRegex(str(caught.exception), r"; \w+|: move|: expected")

    def test_what_depends_on_numbers(self):
        for name, does in {
                "_local_scalar_dense": lambda self, y: y if y.sum() > 0 else -y,
                "item": lambda self, y: y * y.sum().item(),
                "index": lambda self, y: y[y > 0],
                "nonzero": lambda self, y: y * y.nonzero().shape[0],
                "masked_select": lambda self, y: y.masked_select(y > 0),
                "_unique2": lambda self, y: y + y.unique().shape[0],
                "equal": lambda self, y: y if torch.equal(y, y) else -y,
                "tolist": lambda self, y: y * y.detach().tolist()[0][0],
                "numpy": lambda self, y: y * float(y.detach().numpy().mean()),
                "float": lambda self, y: y * float(y.mean()),
                "repeat_interleave": lambda self, y: y.repeat_interleave(torch.arange(1, 5), 0)}.items():
            with self.subTest(name):
                name = "_local_scalar_dense" if name in ("item", "float") else name
                self.refused(around(does), name + " " + LINE + ".*expected")

    def test_what_differs_from_step_to_step(self):
        for name, does, pattern in (
                ("a branch of Python", lambda self, y: y.relu() if self.calls % 2 else y.tanh(),
                 "two steps differ in their operations: relu in 1, then tanh in 1"),
                ("a number of Python", lambda self, y: y * random.random(), "two steps differ .* mul in 1"),
                ("shapes", lambda self, y: y[:1 + self.calls], "two steps differ in their operations"),
                ("a mask of numpy", lambda self, y: y * torch.from_numpy(numpy.random.rand(8).astype("f4")),
                 r"a tensor of shape \[8\] in 1 comes from outside"),
                ("a tensor of Python", lambda self, y: y + torch.tensor([random.random()]),
                 r"a tensor of shape \[1\] in 1 comes from outside")):
            with self.subTest(name):
                self.refused(around(does), pattern)

    def test_what_is_no_dense_tensor_of_numbers(self):
        for name, does, pattern in (
                ("complex", lambda self, y: torch.fft.rfft(y).abs(), "complex numbers"),
                ("sparse", lambda self, y: y.to_sparse().to_dense(), "sparse tensor|expected dense|to_sparse"),
                ("another type", lambda self, y: y.view(torch.int32).float() + y, "sees memory as another type")):
            with self.subTest(name):
                self.refused(around(does), f"in 1 .*({pattern})")
        sparse = nn.Sequential(nn.Embedding(10, 4, sparse=True), nn.Flatten(), nn.Linear(8, 2))
        self.refused(sparse, "sparse=False", torch.zeros(2, 2, dtype=torch.long))

    def test_what_is_written_in_place(self):
        self.refused(around(lambda self, y: y + self.free.add_(1)), "add_ " + LINE + "writes the constant.*register_b")

        def scaled(self, y):
            with torch.no_grad():
                self.dense.bias.mul_(0.5)
            return y

        self.refused(around(scaled), r"mul_ " + LINE + "writes the parameter 1.dense.bias")
        self.refused(nn.Sequential(nn.ReLU(inplace=True), Inner()), "relu_ in 0.*writes the input")

    def test_what_a_schedule_would_not_repeat(self):
        def anew(name, value):
            return lambda self, y: (setattr(self if name == "mask" else self.dense, name, value(self)), y)[1]

        def moved(self, y):
            self.dense.weight.data = self.dense.weight.data * 0.9
            return y

        def again(self, y):
            return checkpoint(torch.tanh, self.dense(y), use_reentrant=True)

        def drawn(self, y):
            return y + torch.randn(4, 8, generator=torch.Generator())

        def quantized(self, y):
            return torch.quantize_per_tensor(y.detach(), .1, 0, torch.quint8).dequantize() + y

        for pattern, does in {
                r"1.mask is assigned anew": anew("mask", lambda self: self.mask * 0.9),
                r"1.dense.weight is assigned anew": anew("weight", lambda self: nn.Parameter(self.dense.weight * 0.9)),
                r"1.dense.weight is assigned": moved,
                r"checkpoint of .*tanh runs a part of .*use_reentrant=False": again,
                "randn " + LINE + "draws from a generator of its own": drawn,
                "quantize_per_tensor in 1 .*quantized numbers": quantized,
                "in 1 .*other memory": lambda self, y: y + copy.deepcopy(self.mask),
                "in 1 .*nested tensor": lambda self, y: y + torch.nested.nested_tensor([y[0]]).to_padded_tensor(0.),
                "a tensor on meta": lambda self, y: y.to("meta"),
                "no output depends on a parameter": lambda self, y: type("Out", (), {"y": y})()}.items():
            with self.subTest(pattern):
                net = around(does)
                before, weight = (dict(net.named_parameters()), dict(net.named_buffers())), net[1].dense.weight.clone()
                self.refused(net, pattern)
                self.assertSameBits(net[1].dense.weight, weight)
                for mine, its in zip(before, (dict(net.named_parameters()), dict(net.named_buffers()))):
                    self.assertTrue(all(mine[name] is its[name] for name in mine))

    def test_random_states_that_forward_sets(self):
        def seeded(self, y):
            torch.manual_seed(0)
            return functional.dropout(y)

        def forked(self, y):
            with torch.random.fork_rng():
                functional.dropout(y)
            return y + 1

        for op, does in {"empty_like|native_dropout": seeded, "add": forked}.items():
            self.refused(around(does), f"({op}) " + LINE + r"follows a random state .*manual_seed\(\) before the step")

    def test_what_does_not_run_on_random_numbers_runs(self):
        net = around(lambda self, y: torch.linalg.cholesky(y.t() @ y + 8 * torch.eye(8)))
        self.assertSameStep(copy.deepcopy(net), plain(net, torch.ones(4, 8), ram="100%"), torch.randn(4, 8),
                            torch.zeros(8, 8), networks.squares)

    def test_modules_of_other_kinds(self):
        for pattern, net in {
                r"the network \(DataParallel\) spreads": nn.DataParallel(Inner()),
                r"0 \(RecursiveScriptModule\) is compiled": nn.Sequential(torch.jit.script(nn.Linear(8, 8))),
                r"0 \(Scheduled\) has a plan": nn.Sequential(plain(Inner(), torch.ones(4, 8), ram="100%")),
                r"1 \(Linear\) has hooks": nn.Sequential(nn.ReLU(), nn.utils.spectral_norm(nn.Linear(8, 8))),
                "0.weight has no shape": nn.Sequential(nn.LazyLinear(4)),
                "the network is in evaluation mode": Inner().eval(),
                "no parameter of the network trains": nn.Sequential(nn.ReLU()),
                "no output depends on a parameter": around(lambda self, y: y.detach()),
                "dense.weight is on meta": Inner().to("meta")}.items():
            with self.subTest(pattern):
                self.refused(net, pattern)

    def test_hooks_of_each_kind(self):
        for add in ("register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook"):
            net = around(lambda self, y: y)
            getattr(net[1], add)(lambda *arguments: None)
            self.refused(net, r"1 \(Inner\) has hooks")

    def test_inputs_and_optimizers(self):
        self.refused(Inner(), "input 0 wants a gradient", torch.ones(4, 8, requires_grad=True))
        self.refused(Inner(), "input 0 is sparse or complex", torch.ones(4, 8).to_sparse())
        packed = nn.utils.rnn.pack_sequence([torch.ones(2, 8)])
        for each, name in ((packed, "PackedSequence"), (numpy.ones((4, 8)), "ndarray"), (iter([1]), "list_iterator")):
            self.refused(Inner(), f"input 1 is a {name}; expected tensors", torch.ones(4, 8), each)
        net = Inner()
        self.refused(net, "optimizer=LBFGS needs all", optimizer=torch.optim.LBFGS(net.parameters()))
        self.refused(net, "does not have dense.bias", optimizer=torch.optim.SGD([net.dense.weight], 0.1))
        net.dense.weight.register_hook(lambda gradient: None)
        self.refused(net, "dense.weight has a hook", optimizer=torch.optim.SGD(net.parameters(), 0.1))

    def test_the_module_is_as_it_was(self):
        net = nn.Sequential(nn.BatchNorm1d(8), nn.Dropout(), Inner(lambda self, y: y[y > 0]))
        state = copy.deepcopy(net.state_dict())
        before = torch.get_rng_state()
        self.refused(net, "index in 2")
        self.assertSameBits(net.state_dict(), state)
        self.assertSameBits(torch.get_rng_state(), before)
        self.assertFalse(any(module._forward_hooks or module._forward_pre_hooks for module in net.modules()))


class Steps(TorchCase):
    """What a scheduled module cannot do when it is called."""

    def raised(self, kind, pattern, function):
        with self.assertRaisesRegex(kind, re.compile(pattern)):
            function()

    def test_calls_that_the_plan_is_not_for(self):
        net, other, x, y, loss = self.twins(ram="100%")
        self.raised(ValueError, "found inputs .*drop_last=True", lambda: other(x[:2]))
        self.raised(ValueError, "found inputs", lambda: other(x.double()))
        self.raised(ValueError, "found inputs", lambda: other(x, x))
        self.raised(Unschedulable, "input 0 wants a gradient", lambda: other(x.clone().requires_grad_()))
        other.net[4].eval()
        self.raised(ValueError, "the mode or requires_grad of 4 changed", lambda: other(x))
        other.train()
        other.net[0].weight.requires_grad_(False)
        self.raised(ValueError, "requires_grad of 0.weight changed", lambda: other(x))
        other.net[0].weight.requires_grad_(True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            self.raised(ValueError, "autocast was switched", lambda: other(x))
        self.assertSameStep(net, other, x, y, loss)

    def test_backward_passes_that_are_not_possible(self):
        net, other, x, y, loss = self.twins(ram="100%")
        value = loss(other(x), y)
        value.backward(retain_graph=True)
        self.raised(RuntimeError, "asked for its gradients twice", value.backward)
        self.raised(RuntimeError, "no second derivatives", lambda: loss(other(x), y).backward(create_graph=True))
        for change in (lambda out: other.net[0].bias.add_(1), lambda out: out.mul_(2), lambda out: x.mul_(2)):
            out = other(x)
            with torch.no_grad():
                change(out)
            self.raised(RuntimeError, "was changed in place", functional.cross_entropy(out, y).backward)

    def test_gradients_that_an_update_inside_would_lose(self):
        net, x, y, loss = networks.make("digits")
        other = plain(net, x, ram="100%", optimizer=torch.optim.SGD(net.parameters(), 0.1))
        net[0].weight.grad = torch.ones_like(net[0].weight)
        self.raised(RuntimeError, "has a gradient of its own|parameters were updated", loss(other(x), y).backward)
        self.raised(TypeError, "optimizer of its own", lambda: copy.deepcopy(other))


if __name__ == "__main__":
    unittest.main()
