#!/usr/bin/env python3
"""Imports the networks of tests/data/imports, runs them, and compares outputs and gradients with what the definitions of ONNX give.

usage: import_of_kinds.py POET_SOLVE FOLDER

Each network is of a kind that looks like a layer and is another one by its numbers, masks, shapes or sharing. NAME.npz has its inputs
(`x_`), the target (`y`), the output (`want`) and the gradient of each weight (`g_WEIGHT`). A network may be refused if no layer computes
it, with the name of the op.

Exit status 77, which CTest takes for skipped, without numpy.
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("skipped: no numpy (Debian: python3-numpy)")
    sys.exit(77)

TOLERANCE = 1e-4
REFUSED = {"ln_keepdims0": "Sqrt (node sd): no layer stands for it"}


def distance(found, wanted):
    """In units of the largest element; gradients of a matrix may be transposed."""
    if found.size != wanted.size:
        return numpy.inf
    forms = [found.reshape(wanted.shape)]
    if wanted.ndim == 2:
        forms.append(found.reshape(wanted.shape[::-1]).T)
    return min(numpy.abs(form - wanted).max() for form in forms) / numpy.abs(wanted).max()


def faults_of(network, program, folder):
    """What is not as the file says, a sentence each."""
    def run(*words):
        return subprocess.run([program, *words], capture_output=True, text=True, cwd=folder, timeout=120)

    imported = run("import", str(network), "--loss", "mse", "--output", "n.json", "--parameters-output", "n.npz")
    if network.stem in REFUSED:
        is_refused = imported.returncode == 2 and REFUSED[network.stem] in imported.stderr
        return [] if is_refused else [f"expected '{REFUSED[network.stem]}', found {imported.stderr}"]
    data = numpy.load(network.with_suffix(".npz"))
    target = data["y"] if "y" in data else numpy.zeros_like(data["x_"])
    numpy.save(folder / "x.npy", data["x_"])
    numpy.save(folder / "y.npy", target)
    solved = run("--model", "./n.json", "--platform", "m4", "--ram-budget", "100%", "--runtime-budget", "2", "--effort", "fast",
                 "--output", "s.json")
    ran = run("run", "s.json", "--model", "./n.json", "--parameters", "n.npz", "--input", "x.npy", "--target", "y.npy",
              "--outputs-output", "o.npz", "--gradients-output", "g.npz")
    for step in (imported, solved, ran):
        if step.returncode != 0:
            return [step.stderr]
    outputs, gradients = numpy.load(folder / "o.npz"), numpy.load(folder / "g.npz")
    wanted = [(outputs, name, data[name]) for name in data if name == "want"]
    wanted += [(gradients, name, data[name]) for name in data if name.startswith("g_")]
    return [f"{name}: off by {least:.1e}" for found, name, value in wanted
            if not (least := min(distance(found[each], value) for each in found)) <= TOLERANCE]


def main():
    program, networks = str(pathlib.Path(sys.argv[1]).resolve()), sorted(pathlib.Path(sys.argv[2]).resolve().glob("*.onnx"))
    failed = not networks
    for network in networks:
        with tempfile.TemporaryDirectory() as folder:
            faults = faults_of(network, program, pathlib.Path(folder))
        print(f"{network.stem}: {'; '.join(faults) or 'equal'}")
        failed = failed or bool(faults)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
