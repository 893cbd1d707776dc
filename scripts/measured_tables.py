"""Runs the methods of docs/baselines.md on measured training steps of torchvision's networks, and writes the page's tables
and figure "Is exact worth it?".

usage: measured_tables.py --program POET_SOLVE --page PAGE --figure FILE.svg --rows FILE.jsonl [--logs DIR] [--share X]
                          [--time-limit-s S] [--networks NETWORK...]

Logs that are in DIR as NETWORK.jsonl are taken from there, others are measured first, which needs Debian's python3-torch
and python3-torchvision. Every schedule within the budgets is given to `verify`. What the networks come to goes into FILE.jsonl
in the place of what it had of them; tables and figure are made of all that it has then, so that a few networks may be run
at a time, and none to make tables and figure again.
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
ROUNDING = 1e-9


def measure(program, network, log):
    """Writes the log of a step whole or not at all. One thread: an OpenBLAS would take more, whose time nobody counts."""
    subprocess.run(["/usr/bin/python3", "-m", "poet.torch", f"torchvision.models:{network}", "--input", SHAPE, "--measure",
                    "--log", str(log)], check=True, stdout=subprocess.DEVNULL,
                   env={"PYTHONPATH": str(PYTHON), "POET_SOLVE": program, "PATH": "/usr/bin:/bin",
                        "OPENBLAS_NUM_THREADS": "1"})


def peak_of(program, model):
    """What the nodes of a model need in their order if each is computed once, in bytes."""
    run = subprocess.run([program, "info", "--quiet", "--json", "--no-paging", str(model)], stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)["baseline_peak_ram_bytes"]


def model_of(program, log, updates, folder):
    model = folder / updates / f"{log.stem}.json"
    model.parent.mkdir(exist_ok=True)
    subprocess.run([program, "import", str(log), "--trace", "--watts", WATTS, "--updates", updates, "--output", str(model)],
                   check=True)
    return model


def run_network(options, network, folder):
    """What a network comes to: a line about its step, and the rows of all methods."""
    log = options.logs / f"{network}.jsonl"
    if not log.exists():
        measure(options.program, network, log)
    recorded, early = (model_of(options.program, log, updates, folder) for updates in ("as-recorded", "early"))
    recorded_peak = peak_of(options.program, recorded)
    disk, schedules = folder / "disk.json", folder / f"{network}.schedules"
    disk.write_text(json.dumps(DISK), encoding="utf-8")
    run = subprocess.run(
        [options.program, "baselines", "--model", str(early), "--platform", str(disk),
         "--ram-budget", str(int(options.share * recorded_peak)), "--runtime-budget", "2", "--paging-time", "blocking",
         "--methods", ",".join(METHODS), "--schedules", str(schedules), "--time-limit-s", str(options.time_limit_s)],
        stdout=subprocess.PIPE, check=True, encoding="utf-8")
    files = [str(path) for path in sorted(schedules.iterdir())]
    if files:
        subprocess.run([options.program, "verify", "--quiet", *files], check=True)
    print(f"{network}: {len(files)} schedules verified", file=sys.stderr)
    rows = [json.loads(line) | {"schedule_file": None} for line in run.stdout.splitlines()]
    recorder = json.loads(log.read_text(encoding="utf-8").splitlines()[0]).get("recorder")
    return {"network": network, "recorded_peak_ram_bytes": recorded_peak, "share": options.share,
            "time_limit_seconds": options.time_limit_s, "verified": len(files), "recorder": recorder}, rows


def faults(head, rows):
    """What cannot be true of a network's rows, in words."""
    found = {row["method"]: row for row in rows}
    if sorted(found) != sorted(METHODS) or len(rows) != len(METHODS):
        return ["not one row of each method"]
    least = found["poet"]["lower_bound_joules"] or 0
    wrong = []
    for method, row in found.items():
        if row["status"] == "failed":
            wrong.append(f"{method} has failed: {row['reason']}")
        if row["ram_budget_bytes"] != int(head["share"] * head["recorded_peak_ram_bytes"]):
            wrong.append(f"{method} has another RAM budget")
        if row["status"] != "feasible":
            continue
        if row["peak_ram_bytes"] > row["ram_budget_bytes"] or row["runtime_ratio"] > row["runtime_budget_ratio"]:
            wrong.append(f"{method} is above a budget")
        # A bound is about one order, and `poet-ordered` has its own.
        for name, proven in (("its", row["lower_bound_joules"]), ("the", least if method != "poet-ordered" else 0)):
            if row["energy_joules"] < proven * (1 - ROUNDING):
                wrong.append(f"{method} needs {row['energy_joules']} J, below {name} bound of {proven} J")
        if method != "poet-ordered" and found["poet"]["proven"] and found["poet"]["energy_joules"] is None:
            wrong.append(f"{method} has a schedule where none exists")
    if head["verified"] != sum(row["status"] == "feasible" for row in rows):
        wrong.append("not every schedule was verified")
    return wrong


def read_rows(path):
    """By network, the line about its step and its rows."""
    found = {}
    for line in map(json.loads, path.read_text(encoding="utf-8").splitlines() if path.exists() else ()):
        if "network" in line:
            rows = []
            found[line["network"]] = line, rows
        else:
            rows.append(line)
    return {network: found[network] for network in (*NETWORKS, *found) if network in found}


def write_rows(path, found):
    lines = [json.dumps(line) + "\n" for head, rows in found.values() for line in (head, *rows)]
    path.write_text("".join(lines), encoding="utf-8")


def draw(program, found, figure):
    with tempfile.TemporaryDirectory() as folder:
        lines = pathlib.Path(folder) / "rows.jsonl"
        lines.write_text("".join(json.dumps(row) + "\n" for _, rows in found.values() for row in rows), encoding="utf-8")
        subprocess.run([program, "plot", str(lines), "--output", str(figure)], check=True)


def megabytes(count):
    return f"{count / 1e6:.2f} MB"


def tables(found):
    """The tables of the page, by their marks."""
    peaks = [[f"`{network}`", megabytes(head["recorded_peak_ram_bytes"]), megabytes(rows[0]["baseline_peak_ram_bytes"]),
              f"{rows[0]['ram_budget_bytes']:,}"] for network, (head, rows) in found.items()]
    worth = []
    for network, (head, rows) in found.items():
        # RAM as shares of the recorded peak, as the budget is.
        peak = {"baseline_peak_ram_bytes": head["recorded_peak_ram_bytes"]}
        cells = {row["method"]: outcome(row | peak) for row in rows}
        worth.append([f"`{network}`", *(cells[method] for method in METHODS), bound(rows)])
    return {"worth-peaks": markdown(["network", "peak as recorded", "with early updates", "RAM budget in bytes"], peaks),
            "worth": markdown(["network", *(f"`{method}`" for method in METHODS), "bound"], worth)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--figure", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=pathlib.Path, required=True)
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path("build/measured"))
    parser.add_argument("--share", type=float, default=0.6, help="of the recorded peak, for the RAM budget")
    parser.add_argument("--time-limit-s", type=float, default=20)
    parser.add_argument("--networks", nargs="*", default=NETWORKS)
    options = parser.parse_args()
    options.logs.mkdir(parents=True, exist_ok=True)
    found = read_rows(options.rows)
    with tempfile.TemporaryDirectory() as folder:
        for network in options.networks:
            found[network] = run_network(options, network, pathlib.Path(folder))
            write_rows(options.rows, found)
    found = read_rows(options.rows)
    wrong = [f"{network}: {fault}" for network, (head, rows) in found.items() for fault in faults(head, rows)]
    if wrong:
        raise SystemExit("\n".join(wrong))
    draw(options.program, found, options.figure)
    for mark, table in tables(found).items():
        write_table(options.page, mark, table)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(1) from error
