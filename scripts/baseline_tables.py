"""Runs the comparisons of docs/baselines.md and writes their tables between the page's marks.

usage: baseline_tables.py --program POET_SOLVE --page PAGE [--time-limit-s S] [--only TABLE]

A table stands between <!-- TABLE --> and <!-- end -->. Every schedule that a method makes within its budgets is given
to `verify`; the exit status is 1 if one is not valid or a row has failed.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ALL_METHODS = ("keep-all", "chen-sqrt", "chen-greedy", "budget-greedy", "budget-dp", "page-all", "look-ahead",
               "capuchin-like", "dtr-like", "checkmate", "paging-only", "poet")
SUBJECTS = (("vgg16_cifar", "m4"), ("vgg16_cifar", "a72"), ("resnet18", "m4"), ("resnet18", "a72"),
            ("mobilenet_v2_035_96", "m4"), ("mobilenet_v2_035_96", "a72"))


class Runner:
    """Runs `baselines` and counts the schedules that `verify` has accepted."""

    def __init__(self, program, time_limit):
        self.program = program
        self.time_limit = time_limit
        self.verified = 0

    def rows(self, model, platform, ram, runtime, methods):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [self.program, "baselines", "--quiet", "--model", model, "--platform", platform, "--ram-budget", ram,
                 "--runtime-budget", runtime, "--methods", ",".join(methods), "--schedules", folder,
                 "--time-limit-s", str(self.time_limit)],
                stdout=subprocess.PIPE, check=True, encoding="utf-8")
            files = [str(path) for path in sorted(pathlib.Path(folder).iterdir())]
            if files:
                subprocess.run([self.program, "verify", "--quiet", *files], check=True)
        self.verified += len(files)
        print(f"{model}/{platform} {ram} {runtime}x: {len(files)} schedules verified", file=sys.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]


def percent(value):
    """`+0.012 %`, with as many digits as show that it is not zero."""
    value *= 100
    digits = 3 if abs(value) < 1 else 1
    return f"{value:+.{digits}f} %"


def outcome(row):
    """A cell: the energy above the baseline's, or why there is none."""
    if row["status"] == "not-applicable":
        return "n/a"
    if row["status"] == "feasible":
        return percent(row["energy_overhead"]) + ("" if row["proven"] is None or row["proven"] else " *")
    if row["energy_joules"] is None:
        return "none exists" if row["proven"] else "none found"
    if row["peak_ram_bytes"] > row["ram_budget_bytes"]:
        return f"needs {row['peak_ram_bytes'] / row['baseline_peak_ram_bytes']:.1%} RAM".replace("%", " %")
    return f"takes {row['runtime_ratio']:.2f}x"


def bound(rows):
    """The bound of a point as a cell."""
    poet = next(row for row in rows if row["method"] == "poet")
    if poet["lower_bound_joules"] is None:
        return ""
    return percent(poet["lower_bound_joules"] / poet["baseline_energy_joules"] - 1)


def markdown(head, lines):
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, rule, *lines])


def points(rows):
    """The rows of each pair of budgets."""
    grouped = {}
    for row in rows:
        grouped.setdefault(row["point"], []).append(row)
    return list(grouped.values())


def methods_table(runner):
    found = [{row["method"]: row for row in runner.rows(model, platform, "60%", "2", ALL_METHODS)}
             for model, platform in SUBJECTS]
    lines = [[f"`{method}`", *(outcome(rows[method]) for rows in found)] for method in ALL_METHODS]
    lines.append(["lower bound", *(bound(rows.values()) for rows in found)])
    return markdown(["method", *(f"`{model}` `{platform}`" for model, platform in SUBJECTS)], lines)


def ram_table(runner, columns, runtime, ram):
    """Methods by column, RAM budgets by row: columns are (model, platform, methods)."""
    head = ["RAM"]
    cells = []
    for model, platform, methods in columns:
        head += [f"`{platform}` `{method}`" for method in methods] + [f"`{platform}` bound"]
        found = points(runner.rows(model, platform, ",".join(f"{share}%" for share in ram), runtime, methods))
        cells.append([[outcome(row) for row in rows] + [bound(rows)] for rows in found])
    return markdown(head, [[f"{share} %", *(cell for column in cells for cell in column[n])]
                           for n, share in enumerate(ram)])


def capuchin_table(runner):
    methods = ("capuchin-like", "poet")
    return ram_table(runner, [("resnet18", "a72", methods), ("resnet18", "m4", methods)], "2",
                     (90, 80, 70, 60, 50, 40))


def ablation_table(runner):
    methods = ("checkmate", "paging-only", "poet")
    return ram_table(runner, [("resnet18_cifar", "m4", methods)], "2", (80, 60, 40, 30, 20, 15))


def runtime_table(runner):
    ratios = ("1", "1.005", "1.02", "1.05", "1.1", "1.5")
    methods = ("checkmate", "paging-only", "poet")
    found = points(runner.rows("resnet18_cifar", "m4", "25%", ",".join(ratios), methods))
    return markdown(["runtime", *(f"`{method}`" for method in methods), "bound"],
                    [[f"{ratio}x", *(outcome(row) for row in rows), bound(rows)]
                     for ratio, rows in zip(ratios, found)])


TABLES = {"methods": methods_table, "capuchin": capuchin_table, "ablation": ablation_table, "runtime": runtime_table}


def write_table(page, name, table):
    text = page.read_text(encoding="utf-8")
    mark = f"<!-- {name} -->\n"
    changed, count = re.subn(re.escape(mark) + r".*?<!-- end -->", lambda _: f"{mark}{table}\n<!-- end -->", text,
                             flags=re.DOTALL)
    if count != 1:
        raise SystemExit(f"{page}: found the mark of '{name}' {count} times, expected once")
    page.write_text(changed, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--page", type=pathlib.Path, required=True)
    parser.add_argument("--time-limit-s", type=float, default=20)
    parser.add_argument("--only", choices=TABLES)
    options = parser.parse_args()
    runner = Runner(options.program, options.time_limit_s)
    for name in [options.only] if options.only else TABLES:
        write_table(options.page, name, TABLES[name](runner))
    print(f"{runner.verified} schedules verified", file=sys.stderr)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        raise SystemExit(1) from error
