"""The examples of docs/python.md and of the READMEs run as they are."""
import os
import re
import unittest
from functools import partial
from unittest import mock

import poet
from support import SOURCE, TestCase, quiet

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def once(function):
    """The function, which is called once with the same words and numbers: the pages have a long solve in common."""
    known = {}

    def call(*words, **keys):
        if not all(isinstance(one, (str, int, float)) for one in (*words, *keys.values())):
            return function(*words, **keys)
        key = repr((words, sorted(keys.items())))
        if key not in known:
            known[key] = function(*words, **keys)
        return known[key]
    return call


def of_pytorch():
    """What examples of training loops are about; nothing without PyTorch."""
    try:
        import torch
    except ImportError:
        return {}
    net = torch.nn.Sequential(*(layer for _ in range(16) for layer in (torch.nn.Linear(8, 8), torch.nn.Tanh())))
    x, y = torch.randn(256, 8), torch.randint(8, (256,))
    return {"net": net, "x": x, "batches": [(x, y)], "cross_entropy": torch.nn.functional.cross_entropy,
            "optimizer": torch.optim.SGD(net.parameters(), 0.1)}


class Examples(TestCase):
    optimize = staticmethod(once(poet.optimize))

    def setUp(self):
        super().setUp()
        patch = mock.patch.object(poet, "optimize", self.optimize)
        for each in (patch, mock.patch.dict(os.environ, {"XDG_CACHE_HOME": str(self.folder)})):
            self.enterContext(each)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def run_examples(self, page):
        blocks = BLOCK.findall((SOURCE / page).read_text(encoding="utf-8"))
        names = of_pytorch()
        if names:
            from poet import torch
            self.enterContext(mock.patch.object(torch, "scheduled", partial(torch.scheduled, seconds=3)))
        else:
            blocks = [block for block in blocks if "poet.torch" not in block]
        for block in blocks:
            with self.subTest(page=page, block=block):
                quiet(exec, compile(block, page, "exec"), names)
        return blocks, names

    def test_page(self):
        blocks, names = self.run_examples("docs/python.md")
        self.assertGreaterEqual(len(blocks), 6)
        self.assertIn(f"print(schedule)          # {names['schedule']!r}\n", blocks[0])
        for path in ("schedule.svg", "schedule.json", "curves.svg", "step/poet_plan.c"):
            self.assertGreater((self.folder / path).stat().st_size, 1000)
        self.assertTrue(names["result"].feasible)

    def test_readmes(self):
        for page in ("README.md", "python/README.md"):
            blocks, names = self.run_examples(page)
            self.assertTrue(blocks, page)
            self.assertEqual(names["schedule"].status, "optimal")


if __name__ == "__main__":
    unittest.main()
