"""tutorial.py PROGRAM SOURCE: the commands of docs/tutorial.md run one after the other, as a reader types them, and a network that they train on a device's C
classifies what it has not seen. Ends with 77 if PyTorch, scikit-learn's digits, a C compiler, or one for the emulated chip is missing."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
DIGITS = pathlib.Path("/usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz")
BLOCK = re.compile(r"^```sh\n(.*?)^```\n+(?:```\n(.*?)^```)?", re.MULTILINE | re.DOTALL)
INFEASIBLE = 3
LEAST_RIGHT = 220  # of 256; one who guesses has 26


def missing():
    try:
        import torch  # noqa: F401
    except ImportError:
        return "PyTorch"
    if not DIGITS.exists():
        return str(DIGITS)
    return next((tool for tool in ("cc", "arm-none-eabi-gcc", "qemu-system-arm") if not shutil.which(tool)), None)


def run(command, folder):
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                   "PYTHONPATH": str(SOURCE / "python")}
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True)
    print(f"$ {command}{done.stdout}{done.stderr}")
    return done


def main():
    lacks = missing()
    if lacks:
        print(f"{lacks} is missing")
        return 77
    blocks = BLOCK.findall((SOURCE / "docs/tutorial.md").read_text(encoding="utf-8"))
    assert len(blocks) >= 7, len(blocks)
    infeasible, printed = 0, ""
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(SOURCE / "docs/examples", name, dirs_exist_ok=True)
        folder = pathlib.Path(name, "tutorial")
        assert blocks[0][0] == "cd docs/examples/tutorial\n", blocks[0]
        for command, shown in blocks[1:]:
            done = run(command, folder)
            printed += done.stdout
            expected = INFEASIBLE if "infeasible" in shown else 0
            infeasible += expected == INFEASIBLE
            assert done.returncode == expected, (command, done.returncode)
        right = int(re.search(r"(\d+) of 256 right", printed)[1])
        import numpy
        scores, labels = numpy.load(folder / "scores.npz")["fc"], numpy.load(folder / "y_test.npy")
        right_by_run = int((scores.argmax(1) == labels).sum())
    print(f"{right} right by C, {right_by_run} by run")
    assert infeasible == 1
    assert "gradients of step 20 have the same SHA-256 on chip and host" in printed
    assert right >= LEAST_RIGHT and right_by_run >= LEAST_RIGHT
    return 0


if __name__ == "__main__":
    sys.exit(main())
