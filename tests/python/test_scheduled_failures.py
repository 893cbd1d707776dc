"""Scheduled steps with page files, and steps that fail: what is left of them."""
import copy
import os
import signal
import subprocess
import sys
import unittest
from unittest import mock

from support import PACKAGE, SOURCE
from torch_cases import HAS_TORCH, TorchCase, forget, plain

if HAS_TORCH:
    import torch
    import torch_networks as networks
    from poet.torch._graph import Disk

CHILD = """
import resource, sys, torch
import torch_networks as networks
from unittest import mock
from poet.torch._graph import Disk
from torch_cases import plain
net, x, y, loss = networks.make("digits")
def news(text):
    if text == "tries a step":
        {before}
with mock.patch("poet.torch._scheduled.disk_in", lambda folder: Disk(1e-9, 1e-15, 1e-15)):
    other = plain(net, x, ram="70%", paging=sys.argv[1], progress=news)
print("ready", other.plan.proof["page_out_count"], flush=True)
while True:
    loss(other(x), y).backward()
"""


class Failures(TorchCase):
    def paged(self, net, x, **keys):
        """A schedule that pages, since pages are said to cost nothing."""
        with mock.patch("poet.torch._scheduled.disk_in", lambda folder: Disk(1e-9, 1e-15, 1e-15)):
            other = plain(net, x, **{"ram": "70%", "paging": str(self.folder), **keys})
        self.assertGreater(other.plan.proof["page_out_count"], 0)
        return other

    def child(self, before):
        search = os.pathsep.join([str(PACKAGE), str(SOURCE / "tests" / "python")])
        return subprocess.Popen([sys.executable, "-B", "-c", CHILD.format(before=before), str(self.folder)], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, "PYTHONPATH": search, "OMP_NUM_THREADS": "1"})

    def test_page_files_have_eagers_bits_and_no_names(self):
        for name in ("digits", "gpt"):
            net, x, y, loss = networks.make(name)
            other = self.paged(copy.deepcopy(net), x)
            self.assertEqual(list(self.folder.iterdir()), [])
            for _ in range(2):
                self.assertSameStep(net, other, x, y, loss)
            left = []
            for each in (net, other):  # two steps under way have files of their own
                forget(each)
                torch.manual_seed(2)
                for value in [loss(each(x), y), loss(each(x.flip(0)), y)]:
                    value.backward()
                left.append([p.grad for p in each.parameters()])
            self.assertSameBits(*left)

    def test_page_files_of_bfloat16(self):
        torch.manual_seed(1)
        net = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(8))).bfloat16()
        x = torch.randn(256, 64).bfloat16()
        other = self.paged(copy.deepcopy(net), x, ram="80%")
        self.assertSameStep(net, other, x, None, lambda out, y: out.float().sum())

    def test_a_measured_disk_may_be_used(self):
        net, x, y, loss = networks.make("digits")
        other = plain(copy.deepcopy(net), x, ram="70%", paging=str(self.folder))
        self.assertSameStep(net, other, x, y, loss)

    def test_a_lost_page_file_leaves_buffers_and_random_state(self):
        net, x, y, loss = networks.make("digits")
        other = self.paged(net, x)
        state = [each.clone() for each in net.state_dict().values()]
        mean = net[1].running_mean.clone()
        random = torch.get_rng_state()
        value = loss(other(x), y)
        self.assertFalse(torch.equal(net[1].running_mean, mean))
        open_files = [int(each) for each in os.listdir("/proc/self/fd")
                      if str(self.folder) in os.path.realpath(f"/proc/self/fd/{each}")]
        self.assertTrue(open_files)
        for file in open_files:
            os.ftruncate(file, 0)
        with self.assertRaisesRegex(OSError, "the page file ends at byte"):
            value.backward()
        self.assertSameBits(list(net.state_dict().values()), state)
        self.assertSameBits(torch.get_rng_state(), random)

    def test_a_full_disk_is_said_before_the_step(self):
        child = self.child("resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))")
        _, text = child.communicate(timeout=120)
        self.assertEqual(child.returncode, 1)
        self.assertIn("paging=", text)
        self.assertIn("File too large", text)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_kill_while_paging_leaves_no_file(self):
        child = self.child("pass")
        self.addCleanup(child.stderr.close)
        self.addCleanup(child.stdout.close)
        self.assertRegex(child.stdout.readline(), "ready [1-9]")
        child.send_signal(signal.SIGKILL)
        self.assertEqual(child.wait(60), -signal.SIGKILL)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_step_that_fails_amid_updates_counts_them_and_waits_for_parameters(self):
        class Third(torch.optim.SGD):
            calls = 0

            def step(self, closure=None):
                Third.calls += 1
                if Third.calls == 3:
                    raise MemoryError("no room")
                return super().step(closure)

        net, x, y, loss = networks.make("digits")
        optimizer = Third(net.parameters(), 0.1)
        with mock.patch("poet.torch._updates.Updates.costs", lambda self, names: {
                name: {"seconds": 1e-6, "bytes": 0, "state": 0} for name in names}):
            other = plain(net, x, ram="100%", optimizer=optimizer)
        state = {key: value.clone() for key, value in net.state_dict().items()}
        said = "2 of 14 parameters were updated before a step failed; load parameters"
        with self.assertRaisesRegex(RuntimeError, said):
            loss(other(x), y).backward()
        with self.assertRaisesRegex(RuntimeError, said):
            other(x)
        other.load_state_dict(state)
        loss(other(x), y).backward()
        self.assertEqual(Third.calls, 3 + len(other.trained))

    def test_an_interrupted_forward_pass_leaves_buffers_and_random_state(self):
        net, x, y, loss = networks.make("digits")
        other = plain(net, x, ram="100%")
        state = [each.clone() for each in net.state_dict().values()]
        random = torch.get_rng_state()
        run = other.run

        def interrupted(*arguments):
            next(run(*arguments))
            raise KeyboardInterrupt
            yield

        with mock.patch.dict(other.__dict__, {"run": interrupted}), self.assertRaises(KeyboardInterrupt):
            other(x)
        self.assertSameBits(list(net.state_dict().values()), state)
        self.assertSameBits(torch.get_rng_state(), random)


if __name__ == "__main__":
    unittest.main()
