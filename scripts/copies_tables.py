"""Solves models without copies for gradients, with exact ones and with copies of one byte, and writes the table and the
figure of docs/copies.md.

usage: copies_tables.py --program POET_SOLVE --page PAGE --figure FILE.svg [--time-limit-s S] [--models M...] [--rows FILE]

Extra energy is above the energy to compute every node once without copies, in all columns. Rows that are in FILE are
taken from there, and new ones are added to it. Every schedule is given to `verify`.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import panels
from baseline_tables import markdown, percent, write_table

MODELS = ("mobilenet_v2_035_96", "mcunet_vww", "resnet18_cifar", "gpt2_tiny", "vit_tiny", "unet_small")
MODES = ("off", "exact", "int8")
SHARES = (50, 35, 25, 15)
COLOURS = {"off": "#555555", "exact": "#0072b2", "int8": "#d55e00"}


def solve(options, model, mode):
    """The rows of one model in one mode, by share of RAM; each schedule is verified."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run(
            [options.program, "sweep", "--quiet", "--models", model, "--platforms", "m4", "--backward", "exact",
             "--ram-budget", ",".join(f"{share}%" for share in SHARES), "--runtime-budget", "3", "--techniques", "remat",
             "--copies", mode, "--schedules", folder, "--jobs", str(options.jobs),
             "--time-limit-s", str(options.time_limit_s)],
            stdout=subprocess.PIPE, check=False, encoding="utf-8")
        if run.returncode not in (0, 4):  # 4: some point has no schedule
            raise SystemExit(f"{model} {mode}: exit status {run.returncode}")
        files = [str(path) for path in sorted(pathlib.Path(folder).iterdir()) if '"stages"' in path.read_text("utf-8")]
        if files:
            subprocess.run([options.program, "verify", "--quiet", *files], check=True)
    print(f"{model} {mode}: {len(files)} schedules verified", file=sys.stderr)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    return [row | {"share": share, "asked_mode": mode} for row, share in zip(rows, SHARES)]


def rows_of(options):
    """The rows by model, mode and share."""
    known = options.rows.read_text("utf-8").splitlines() if options.rows.exists() else []
    rows = {(row["model"], row["asked_mode"], row["share"]): row for row in map(json.loads, known)}
    for model in options.models:
        for mode in MODES:
            if (model, mode, SHARES[0]) in rows:
                continue
            solved = solve(options, model, mode)
            rows |= {(model, mode, row["share"]): row for row in solved}
            with options.rows.open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(row) + "\n" for row in solved)
    return rows


def once(rows, model):
    """The energy to compute every node once, without copies."""
    return rows[model, "off", SHARES[0]]["baseline_energy_joules"]


def cell(rows, model, mode, share):
    row = rows[model, mode, share]
    if row["energy_joules"] is None:
        return "none exists" if row["status"] == "infeasible" else "none found"
    return percent(row["energy_joules"] / once(rows, model) - 1) + ("" if row["status"] == "optimal" else " *")


def chosen(rows, model, share):
    return len(rows[model, "int8", share].get("copies", {}).get("tensors", []))


def table(rows, models):
    lines = []
    for model in models:
        for mode in MODES:
            lines.append([f"`{model}`" if mode == "off" else "", f"`{mode}`",
                          *(cell(rows, model, mode, share) for share in SHARES)])
        lines.append(["", "copies of `int8`", *(str(chosen(rows, model, share)) for share in SHARES)])
    return markdown(["model", "`--copies`", *(f"{share} %" for share in SHARES)], lines)


def panel(rows, model):
    """One model: extra energy over RAM, a curve for each mode."""
    points = {mode: [(share, 100 * (rows[model, mode, share]["energy_joules"] / once(rows, model) - 1))
                     for share in SHARES if rows[model, mode, share]["energy_joules"] is not None] for mode in MODES}
    top = max([extra for curve in points.values() for _, extra in curve] + [1]) * 1.08

    def across(share):
        return (share - SHARES[-1]) / (SHARES[0] - SHARES[-1])

    return panels.panel(model, [(across(share), f"{share} %") for share in SHARES],
                        [(part, f"{part * top:.0f} %") for part in (0, 0.5, 1)],
                        [(COLOURS[mode], [(across(share), extra / top) for share, extra in curve], True)
                         for mode, curve in points.items()])


def figure(rows, models):
    return panels.figure([panel(rows, model) for model in models], 3, [(COLOURS[mode], mode) for mode in MODES],
                         "extra energy over RAM, in shares of keep-all without copies")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--figure", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=pathlib.Path, default=pathlib.Path("build/copies.jsonl"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--time-limit-s", type=float, default=60)
    parser.add_argument("--models", nargs="+", default=MODELS)
    options = parser.parse_args()
    rows = rows_of(options)
    write_table(options.page, "copies", table(rows, options.models))
    options.figure.write_text(figure(rows, options.models), encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(1) from error
