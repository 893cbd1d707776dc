"""The wheel carries the program: in an empty environment, without network and without anything else, it solves."""
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import poet
from support import SOURCE, TestCase

REFERENCE_LIBRARIES = pathlib.Path("/usr/lib")
OTHER_BLAS = re.compile("openblas|atlas|blis|mkl")
MISSING = [name for name in ("build", "setuptools", "wheel", "venv", "ensurepip")
           if importlib.util.find_spec(name) is None]
MISSING += [name for name in ("patchelf", "strip") if shutil.which(name) is None]


@unittest.skipIf(MISSING, f"no {', '.join(MISSING)}; scripts/wheel installs what it needs")
class Wheel(TestCase):
    def run_there(self, *command, status=0):
        """Runs a command with an environment that knows nothing of this build."""
        run = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=self.folder,
                             env={"PATH": "/usr/bin:/bin", "HOME": str(self.folder)})
        self.assertEqual(run.returncode, status, run.stdout + run.stderr)
        return run.stdout

    def test_it_solves_in_an_empty_environment(self):
        out = subprocess.run([SOURCE / "scripts" / "wheel", "--program", os.environ["POET_SOLVE"], "--output",
                              self.folder], capture_output=True, text=True)
        self.assertEqual(out.returncode, 0, out.stderr)
        wheel = out.stdout.strip()
        glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1].replace(".", "_")
        self.assertRegex(wheel, rf"/poet_solve-[\d.]+-py3-none-manylinux_{glibc}_{os.uname().machine}\.whl$")
        there = self.folder / "environment"
        self.run_there(sys.executable, "-m", "venv", there)
        python = there / "bin" / "python"
        self.run_there(python, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel)

        code = """
from poet import solve
result = solve("linear", "m4", 4000, 1.5)
print(result.total_power_cost_cpu + result.total_power_cost_page)
import poet
print(poet.find_program())
print(poet.optimize("linear", "m4", ram="60%", runtime=2).verify())
try:
    result.solution
except ImportError as error:
    print(error.name)
"""
        *_, energy, program, valid, missing = self.run_there(python, "-c", code).splitlines()
        self.assertEqual(float(energy), poet.optimize("linear", "m4", ram=4000, runtime=1.5, paging_time="free").energy)
        self.assertTrue(program.startswith(str(there)), program)
        self.assertEqual((valid, missing), ("True", "numpy"))
        # The libraries of the wheel are used, and each has its licence.
        libraries = self.run_there("ldd", program)
        for name in ("libCbc.so", "libClp.so", "libCoinUtils.so", "libfmt.so", "liblapack.so", "libcrypto.so"):
            line = next(line for line in libraries.splitlines() if name in line)
            self.assertIn(str(there), line)
        self.assertTrue(list(there.glob("lib/python3*/site-packages/poet/bin/licenses/coinor-libcbc*")))
        # Whichever BLAS this machine prefers, it is the reference implementation, and no other comes along.
        carried = pathlib.Path(program).parent / "lib"
        for name in ("blas", "lapack"):
            reference, = REFERENCE_LIBRARIES.glob(f"*/{name}/lib{name}.so.3")
            self.assertEqual((carried / f"lib{name}.so.3").read_bytes(), reference.read_bytes())
        self.assertEqual([file.name for file in carried.iterdir() if OTHER_BLAS.search(file.name)], [])
        version = self.run_there(there / "bin" / "poet-solve", "--version")
        self.assertEqual(version, self.run_there(python, "-m", "poet", "--version"))
        self.assertTrue(version.startswith("poet-solve "))
        schedule, proof = self.folder / "linear.json", self.folder / "linear.proof"
        self.run_there(there / "bin" / "poet-solve", "--model", "linear", "--platform", "m4", "--ram-budget", "4000",
                       "--runtime-budget", "1.5", "--output", schedule, "--certify", proof)
        self.assertIn("\ndocument: ", self.run_there(there / "bin" / "poet-check", proof, schedule))
        if "libonnx.so" in libraries:
            net = SOURCE / "tests" / "fuzz" / "corpus" / "onnx" / "cnn.onnx"
            self.assertIn('"layers"', self.run_there(there / "bin" / "poet-solve", "import", net))
        self.run_there(python, "-m", "pip", "uninstall", "--quiet", "--yes", "poet-solve")
        self.run_there(python, "-c", "import poet", status=1)
        self.run_there(python, "-c", "import poet_check", status=1)
        for command in ("poet-solve", "poet-check"):
            self.assertFalse((there / "bin" / command).exists())


if __name__ == "__main__":
    unittest.main()
