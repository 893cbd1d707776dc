"""Runs the methods of docs/baselines.md on measured training steps of torchvision's networks, and writes the page's table
and figure "Is exact worth it?".

usage: measured_tables.py --program POET_SOLVE --page PAGE --figure FILE.svg [--logs DIR] [--ram SHARE] [--time-limit-s S]

Logs that are in DIR as NETWORK.jsonl are taken from there, others are measured first, which needs Debian's python3-torch
and python3-torchvision. Every schedule within the budgets is given to `verify`.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from baseline_tables import bound, markdown, outcome, write_table

NETWORKS = ("alexnet", "vgg11", "squeezenet1_1", "resnet18", "resnet34", "resnet50", "mobilenet_v2", "mobilenet_v3_small",
            "shufflenet_v2_x0_5", "densenet121")
METHODS = ("chen-sqrt", "chen-greedy", "budget-greedy", "budget-dp", "dtr-like", "page-all", "look-ahead", "capuchin-like",
           "poet")
SHAPE = "4,3,128,128"
WATTS = "15"
# What is assumed of a disk, as the machine's own would measure its cache.
DISK = {"format": "poet-platform", "version": 1, "name": "disk", "flops_per_second": 1, "flops_per_joule": 1,
        "page_in": {"latency_seconds": 1e-4, "bytes_per_second": 2e9},
        "page_out": {"latency_seconds": 1e-4, "bytes_per_second": 1e9}, "memory_power_watts": 6}
PYTHON = pathlib.Path(__file__).resolve().parent.parent / "python"


def measure(program, network, log):
    """Writes the log of a step whole or not at all."""
    subprocess.run(["/usr/bin/python3", "-m", "poet.torch", f"torchvision.models:{network}", "--input", SHAPE, "--measure",
                    "--log", str(log)], check=True, stdout=subprocess.DEVNULL,
                   env={"PYTHONPATH": str(PYTHON), "POET_SOLVE": program, "PATH": "/usr/bin:/bin"})


def model_of(options, network, folder):
    log = options.logs / f"{network}.jsonl"
    if not log.exists():
        measure(options.program, network, log)
    model = folder / f"{network}.json"
    subprocess.run([options.program, "import", str(log), "--trace", "--watts", WATTS, "--output", str(model)], check=True)
    return model


def rows_of(options, folder):
    """The rows of each network by method, all schedules verified."""
    models = [model_of(options, network, folder) for network in options.networks]
    disk, schedules = folder / "disk.json", folder / "schedules"
    disk.write_text(json.dumps(DISK), encoding="utf-8")
    run = subprocess.run(
        [options.program, "baselines", "--models", ",".join(map(str, models)), "--platform", str(disk),
         "--ram-budget", options.ram, "--runtime-budget", "2", "--paging-time", "blocking", "--methods", ",".join(METHODS),
         "--schedules", str(schedules), "--time-limit-s", str(options.time_limit_s), "--plot", str(options.figure)],
        stdout=subprocess.PIPE, check=True, encoding="utf-8")
    files = [str(path) for path in sorted(schedules.iterdir())]
    subprocess.run([options.program, "verify", "--quiet", *files], check=True)
    print(f"{len(files)} schedules verified", file=sys.stderr)
    rows = {}
    for row in map(json.loads, run.stdout.splitlines()):
        rows.setdefault(row["model"], {})[row["method"]] = row
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--figure", type=pathlib.Path, required=True)
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("build/measured"))
    parser.add_argument("--ram", default="60%")
    parser.add_argument("--time-limit-s", type=float, default=20)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    options = parser.parse_args()
    options.logs.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        found = rows_of(options, pathlib.Path(folder))
    lines = [[f"`{network}`", *(outcome(rows[method]) for method in METHODS), bound(rows.values())]
             for network, rows in found.items()]
    write_table(options.page, "worth", markdown(["network", *(f"`{method}`" for method in METHODS), "bound"], lines))


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(1) from error
