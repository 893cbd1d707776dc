"""`poet.torch.scheduled`: a training loop by a schedule has the bits of the loop without, within the RAM budget.

Three networks with SGD are always tried; fourteen with SGD, momentum and Adam with POET_CASES=14, for minutes.
"""
import copy
import importlib.util
import os
import unittest

from support import TestCase

HAS_TORCH = importlib.util.find_spec("torch") is not None
HAS_TORCHVISION = importlib.util.find_spec("torchvision") is not None
if HAS_TORCH:
    import torch
    import torch_networks as networks
    from poet.torch import scheduled
    from poet.torch._memory import peak_of

    OPTIMIZERS = {"SGD": lambda p: torch.optim.SGD(p, 0.05),
                  "momentum": lambda p: torch.optim.SGD(p, 0.05, momentum=0.9, weight_decay=1e-4, nesterov=True),
                  "Adam": lambda p: torch.optim.Adam(p, 1e-3)}


def plain(net, *inputs, ram="70%", **keys):
    return scheduled(net, *inputs, ram=ram, cache=False, progress=lambda text: None, **{"seconds": 5, **keys})


def trained(net, optimizer, x, y, loss, steps=3, after=lambda: None):
    """Losses, gradients of each step, state and random state after the last one."""
    torch.manual_seed(3)
    seen = []
    for step in range(steps):
        value = loss(net(x.flip(0) if step % 2 else x), y)
        value.backward()
        after()
        seen += [value.detach()] + [None if each.grad is None else each.grad.clone() for each in net.parameters()]
        optimizer.step()
        optimizer.zero_grad()
    return seen, list(net.state_dict().values()), torch.get_rng_state()


@unittest.skipUnless(HAS_TORCH, "no PyTorch (Debian: python3-torch)")
class Case(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.threads = torch.get_num_threads()
        torch.set_num_threads(1)

    @classmethod
    def tearDownClass(cls):
        torch.set_num_threads(cls.threads)

    def assertSameBits(self, found, expected, about=""):
        found, expected = (torch.utils._pytree.tree_flatten(each)[0] for each in (found, expected))
        self.assertEqual(len(found), len(expected), about)
        for place, (mine, its) in enumerate(zip(found, expected)):
            same = mine is its is None or (mine is not None and its is not None and torch.equal(mine, its))
            self.assertTrue(same, f"{about} {place}")

    def twins(self, name="digits", **keys):
        """A network, and a scheduled copy, with their data."""
        net, x, y, loss = networks.make(name)
        return net, plain(copy.deepcopy(net), x, **keys), x, y, loss


class Bits(Case):
    def compare(self, name, kind, ram="70%"):
        net, x, y, loss = networks.make(name)
        other = plain(copy.deepcopy(net), x, ram=ram)
        about = f"{name} with {kind}"
        self.assertSameBits(trained(other, OPTIMIZERS[kind](other.parameters()), x, y, loss),
                            trained(net, OPTIMIZERS[kind](net.parameters()), x, y, loss), about)
        return other

    def compare_inside(self, name, kind, ram="70%"):
        net, x, y, loss = networks.make(name)
        twin = copy.deepcopy(net)
        optimizer = OPTIMIZERS[kind](twin.parameters())
        other = plain(twin, x, ram=ram, optimizer=optimizer)
        about = f"{name} with {kind} inside"
        mine = trained(other, optimizer, x, y, loss)
        its = trained(net, OPTIMIZERS[kind](net.parameters()), x, y, loss)
        losses = len(mine[0]) // 3
        self.assertSameBits((mine[0][::losses], mine[1:]), (its[0][::losses], its[1:]), about)
        self.assertTrue(all(each.grad is None for each in other.parameters()), about)
        return other

    def test_three_networks_have_eagers_bits(self):
        for name in networks.SMALL:
            with self.subTest(name):
                other = self.compare(name, "SGD")
                self.assertGreater(other.plan.proof["recompute_count"], 0)

    def test_updates_inside_have_the_bits_of_the_separate_step(self):
        for kind in OPTIMIZERS:
            with self.subTest(kind):
                self.compare_inside("digits", kind, "80%")

    @unittest.skipUnless(int(os.environ.get("POET_CASES", "1")) >= 14, "POET_CASES=14 tries fourteen networks")
    @unittest.skipUnless(HAS_TORCHVISION, "no torchvision (Debian: python3-torchvision)")
    def test_fourteen_networks_have_eagers_bits(self):
        for name in networks.ALL:
            for kind in OPTIMIZERS:
                with self.subTest(name, optimizer=kind):
                    print(name, kind, flush=True)
                    self.compare(name, kind, "90%")
                    self.compare_inside(name, kind, "60%")


class Memory(Case):
    def test_peak_is_predicted_and_within_the_budget(self):
        for name in networks.SMALL:
            net, x, y, loss = networks.make(name)
            other = plain(net, x)

            def step():
                loss(other(x), y).backward()

            for _ in range(2):
                for each in net.parameters():
                    each.grad = None
                peak = peak_of(step)
            figures = other.plan.figures
            with self.subTest(name):
                self.assertLessEqual(peak, figures["budget_bytes"])
                self.assertAlmostEqual(peak / figures["predicted_bytes"], 1, delta=0.001)
                self.assertAlmostEqual(figures["measured_bytes"] / figures["predicted_bytes"], 1, delta=0.001)


if __name__ == "__main__":
    unittest.main()
