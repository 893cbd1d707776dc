"""What the tests of scheduled modules share."""
import copy
import importlib.util
import unittest

from support import TestCase

HAS_TORCH = importlib.util.find_spec("torch") is not None
HAS_TORCHVISION = importlib.util.find_spec("torchvision") is not None
if HAS_TORCH:
    import torch
    import torch_networks as networks
    from poet.torch import scheduled


def plain(net, *inputs, ram="70%", **keys):
    """A scheduled module, without a cache and without news."""
    quiet = {"progress": lambda text: None, "seconds": 5, "cache": False}
    return scheduled(net, *inputs, ram=ram, **{**quiet, **keys})


def forget(net):
    for each in net.parameters():
        each.grad = None


@unittest.skipUnless(HAS_TORCH, "no PyTorch (Debian: python3-torch)")
class TorchCase(TestCase):
    """One thread, and comparisons of bits."""
    plans = {}

    @classmethod
    def setUpClass(cls):
        cls.addClassCleanup(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(1)

    def assertSameBits(self, found, expected, about=""):
        found, expected = (torch.utils._pytree.tree_flatten(each)[0] for each in (found, expected))
        self.assertEqual(len(found), len(expected), about)
        for place, (mine, its) in enumerate(zip(found, expected)):
            same = mine is its is None or (mine is not None and its is not None and torch.equal(mine, its))
            self.assertTrue(same, f"{about} {place}")

    def twins(self, name="digits", **keys):
        """A network, a scheduled copy of it, and their data. Tests that ask for the same share a plan."""
        net, x, y, loss = networks.make(name)
        key = (name, *keys.items())
        other = plain(copy.deepcopy(net), x, **({"plan": self.plans[key]} if key in self.plans else keys))
        self.plans[key] = other.plan
        return net, other, x, y, loss

    def assertSameStep(self, net, other, x, y, loss):
        """One step of both, with all that it leaves."""
        left = []
        for each in (net, other):
            forget(each)
            torch.manual_seed(5)
            value = loss(each(x), y)
            value.backward()
            left.append((value.detach(), [p.grad for p in each.parameters()], list(each.buffers()),
                         torch.get_rng_state()))
        self.assertSameBits(left[1], left[0])
