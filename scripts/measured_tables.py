"""Runs the methods of docs/baselines.md on measured training steps of torchvision's networks, and writes the page's table
and figure "Is exact worth it?".

usage: measured_tables.py --program POET_SOLVE --page PAGE --figure FILE.svg [--logs DIR] [--share X] [--time-limit-s S]

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
           "checkmate", "poet", "poet-ordered")
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


def peak_of(program, model):
    """What the nodes of a model need in their order if each is computed once, in bytes."""
    run = subprocess.run([program, "info", "--quiet", "--json", "--no-paging", str(model)], stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)["baseline_peak_ram_bytes"]


def models_of(options, network, folder):
    """The steps of a network with updates as recorded, and as early as they may be."""
    log = options.logs / f"{network}.jsonl"
    if not log.exists():
        measure(options.program, network, log)
    models = []
    for updates in ("as-recorded", "early"):
        models.append(folder / updates / f"{network}.json")
        models[-1].parent.mkdir(exist_ok=True)
        subprocess.run([options.program, "import", str(log), "--trace", "--watts", WATTS, "--updates", updates, "--output",
                        str(models[-1])], check=True)
    return models


def rows_of(options, network, folder):
    """The network's peaks, and its rows by method. All schedules are verified, and no energy is below the bound."""
    recorded, early = models_of(options, network, folder)
    peaks = peak_of(options.program, recorded), peak_of(options.program, early)
    budget = int(options.share * peaks[0])
    disk, schedules = folder / "disk.json", folder / network
    disk.write_text(json.dumps(DISK), encoding="utf-8")
    run = subprocess.run(
        [options.program, "baselines", "--model", str(early), "--platform", str(disk), "--ram-budget", str(budget),
         "--runtime-budget", "2", "--paging-time", "blocking", "--methods", ",".join(METHODS), "--schedules", str(schedules),
         "--time-limit-s", str(options.time_limit_s)], stdout=subprocess.PIPE, check=True, encoding="utf-8")
    if files := [str(path) for path in sorted(schedules.iterdir())]:
        subprocess.run([options.program, "verify", "--quiet", *files], check=True)
    print(f"{network}: {len(files)} schedules verified", file=sys.stderr)
    rows = {row["method"]: row for row in map(json.loads, run.stdout.splitlines())}
    least = rows["poet"]["lower_bound_joules"] or 0
    for row in rows.values():
        if row["status"] == "feasible" and row["method"] != "poet-ordered" and row["energy_joules"] < least * (1 - 1e-9):
            raise SystemExit(f"{network}: {row['method']} needs {row['energy_joules']} J, below the bound of {least} J")
    return peaks, budget, rows, run.stdout


def megabytes(count):
    return f"{count / 1e6:.2f} MB"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--figure", type=pathlib.Path, required=True)
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("build/measured"))
    parser.add_argument("--share", type=float, default=0.6, help="of the recorded peak, for the RAM budget")
    parser.add_argument("--time-limit-s", type=float, default=20)
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    options = parser.parse_args()
    options.logs.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        found = {network: rows_of(options, network, folder) for network in options.networks}
        lines = folder / "rows.jsonl"
        lines.write_text("".join(text for _, _, _, text in found.values()), encoding="utf-8")
        subprocess.run([options.program, "plot", str(lines), "--output", str(options.figure)], check=True)
    write_table(options.page, "worth-peaks", markdown(
        ["network", "peak as recorded", "with early updates", "RAM budget in bytes"],
        [[f"`{network}`", megabytes(recorded), megabytes(early), str(budget)]
         for network, ((recorded, early), budget, _, _) in found.items()]))
    write_table(options.page, "worth", markdown(
        ["network", *(f"`{method}`" for method in METHODS), "bound"],
        [[f"`{network}`", *(outcome(rows[method]) for method in METHODS), bound(rows.values())]
         for network, (_, _, rows, _) in found.items()]))


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(1) from error
