"""The Debian package python3-poet-solve: what is in it, and that it works from there."""
import os
import shutil
import subprocess
import sys
import unittest

from support import PACKAGE, SOURCE, TestCase


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True,
                          env={**os.environ, **environment}).stdout


@unittest.skipIf(shutil.which("dpkg-deb") is None, "no dpkg-deb (Debian: dpkg)")
class DebianPackage(TestCase):
    def setUp(self):
        super().setUp()
        self.package = run(SOURCE / "scripts" / "package-python", self.folder / "out").strip()

    def test_it_has_the_modules_and_nothing_else(self):
        fields = run("dpkg-deb", "--field", self.package)
        for field in ("Package: python3-poet-solve", "Architecture: all", "Section: python"):
            self.assertIn(field + "\n", fields)
        self.assertRegex(fields, r"\nDepends: python3 \(>= 3\.9\), python3-numpy, poet-solve \(>= [\d.]+\)\n")
        self.assertRegex(fields, r"\nMaintainer: .+ <.+>\n")
        files = [line.split(maxsplit=5) for line in run("dpkg-deb", "--contents", self.package).splitlines()]
        self.assertTrue(all(owner == "root/root" for _, owner, *_ in files))
        names = {name for mode, _, _, _, _, name in files if not mode.startswith("d")}
        modules = "./usr/lib/python3/dist-packages/"
        expected = {modules + str(path.relative_to(PACKAGE))
                    for path in [*(PACKAGE / "poet").rglob("*.py"), PACKAGE / "poet_check.py"]}
        documents = {"./usr/share/doc/python3-poet-solve/" + name
                     for name in ("copyright", "changelog.gz", "python.md")}
        self.assertEqual({name for name in names if not name.endswith(".egg-info")},
                         expected | documents | {modules + "poet/py.typed"})
        run("dpkg-deb", "--control", self.package, self.folder / "control")
        for script in ("postinst", "prerm"):
            run("sh", "-n", self.folder / "control" / script)

    def test_it_works_from_there(self):
        run("dpkg-deb", "--extract", self.package, self.folder)
        modules = self.folder / "usr" / "lib" / "python3" / "dist-packages"
        code = """
import importlib.metadata, poet, poet_check
print(poet.__file__, poet.solve("linear", "m4", 4000, 1.5, print_graph_info=False).feasible)
print(importlib.metadata.version("poet-solve") == poet.__version__)
print(poet_check.__file__)
"""
        out = run(sys.executable, "-B", "-c", code, PYTHONPATH=str(modules))
        self.assertEqual(out, f"{modules}/poet/__init__.py True\nTrue\n{modules}/poet_check.py\n")


if __name__ == "__main__":
    unittest.main()
