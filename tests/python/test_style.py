"""Types and style of the package: mypy --strict and flake8 find nothing."""
import ast
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import poet
from support import PACKAGE, SOURCE, TestCase

TESTS = SOURCE / "tests" / "python"


def findings(*command, **environment):
    """What a checker prints, and its exit status."""
    run = subprocess.run(command, capture_output=True, text=True, cwd=SOURCE, env={**os.environ, **environment})
    return run.returncode, run.stdout + run.stderr


def imported_by(path):
    """The modules that a file names in imports of any kind: those inside functions, for types only, and by a text."""
    package = ".".join(path.parent.relative_to(PACKAGE).parts)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            found.add(f"{package}.{node.module}" if node.level else node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "import_module":
            found.update(each.value for each in node.args if isinstance(each, ast.Constant))
    return found


@unittest.skipIf(shutil.which("mypy") is None, "no mypy (Debian: mypy)")
class Types(TestCase):
    @classmethod
    def setUpClass(cls):
        cache = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cache.cleanup)
        cls.cache = cache.name

    def check(self, *files):
        return findings("mypy", "--config-file", str(PACKAGE / "pyproject.toml"), "--strict", "--cache-dir",
                        self.cache, *map(str, files), MYPYPATH=str(PACKAGE))

    def test_package_is_strict(self):
        status, text = self.check(PACKAGE / "poet")
        self.assertEqual(status, 0, text)

    def test_a_users_program_is_checked(self):
        status, text = self.check(TESTS / "typed_user.py")
        self.assertEqual(status, 0, text)
        wrong = self.folder / "wrong.py"
        wrong.write_text("import poet\nx: str = poet.optimize('linear', 'm4', ram=1, runtime=1.5).energy\n"
                         "poet.optimize('linear', 'm4', rum=1)\n")
        status, text = self.check(wrong)
        self.assertEqual(status, 1)
        self.assertIn("wrong.py:2", text)
        self.assertIn("wrong.py:3", text)

    def test_package_says_that_it_is_typed(self):
        self.assertTrue((PACKAGE / "poet" / "py.typed").is_file())


class Style(TestCase):
    @unittest.skipIf(shutil.which("flake8") is None, "no flake8 (Debian: flake8)")
    def test_flake8_finds_nothing(self):
        status, text = findings("flake8", "--config", str(PACKAGE / ".flake8"), str(PACKAGE), str(TESTS),
                                str(SOURCE / "tests" / "bench"))
        self.assertEqual((status, text), (0, ""))

    def test_everything_public_is_described(self):
        for name in poet.__all__:
            thing = getattr(poet, name)
            self.assertTrue(thing.__doc__, name)
            if isinstance(thing, type):
                for key, value in vars(thing).items():
                    if not key.startswith("_") and (callable(value) or isinstance(value, property)):
                        self.assertTrue(value.__doc__, f"{name}.{key}")

    def test_files_are_one_idea_each(self):
        for path in sorted((PACKAGE / "poet").glob("*.py")):
            self.assertLess(len(path.read_text().splitlines()), 400, path.name)

    def test_modules_use_those_above_them_in_the_table(self):
        page = (SOURCE / "docs" / "architecture.md").read_text(encoding="utf-8")
        table = page.split("## The Python package")[1].split("\n## ")[0]
        rows = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in table.splitlines() if line.startswith("| `")]
        listed = [name for row in rows for name in row]
        there = {path.stem for path in (PACKAGE / "poet").glob("*.py")} - {"__init__"}
        self.assertEqual(sorted(listed), sorted(there))
        for place, row in enumerate(rows):
            above = {name for earlier in rows[:place + 1] for name in earlier}
            for name in row:
                text = (PACKAGE / "poet" / f"{name}.py").read_text(encoding="utf-8")
                self.assertLessEqual(set(re.findall(r"from \.(\w+) import", text)), above, name)

    def test_no_modules_import_each_other_in_a_circle(self):
        names = {path: ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
                 for path in (PACKAGE / "poet").rglob("*.py")}
        imports = {name: imported_by(path) & set(names.values()) for path, name in names.items()}
        self.assertIn("poet._compared", imports["poet.torch._check"])
        self.assertIn("poet.torch._document", imports["poet._model"])
        while True:  # takes away the modules that import none of those left
            lowest = {name for name, used in imports.items() if not used & set(imports)}
            if not lowest:
                break
            imports = {name: used for name, used in imports.items() if name not in lowest}
        self.assertEqual(imports, {})

    def test_python_3_9_reads_it(self):
        for path in [*sorted((PACKAGE / "poet").rglob("*.py")), PACKAGE / "poet_check.py"]:
            ast.parse(path.read_text(), str(path), feature_version=(3, 9))

    def test_version_is_that_of_the_project(self):
        project = re.search(r"project\(poet VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())
        self.assertEqual(poet.__version__, project[1])


if __name__ == "__main__":
    unittest.main()
