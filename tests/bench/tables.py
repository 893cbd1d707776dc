"""Tables of solves in Markdown: one row for each problem, one for each set, and one for each synthetic graph
of a scale."""
import math

from run_problems import PROVEN

MARKS = (1, 10, 60)  # seconds
DIGITS = 1e-6  # an excess below this is none
MEBIBYTE = 2**20


def markdown(head, rows):
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(map(str, cells)) + " |" for cells in [head, rule, *rows])


def seconds_of(row):
    """Of the solve; of its process if there is no schedule, which states it."""
    return row["elapsed_seconds"] if row["wall_seconds"] is None else row["wall_seconds"]


def extra_of(row):
    """What the lack of RAM costs: energy above the baseline's."""
    return None if row["energy_joules"] is None else row["energy_joules"] - row["baseline_energy_joules"]


def best_extra(row, known):
    """Likewise, of the best schedule known before, or None."""
    best = known.get(row["problem"])
    return extra_of(best) if best else None


def excess(row, known):
    """Extra energy over the least known, this solve's included. None if there is no schedule, or the baseline fits."""
    extra, before = extra_of(row), best_extra(row, known)
    if extra is None or row["failure"]:
        return None
    best = extra if before is None or before <= 0 else min(before, extra)
    if best <= 0:
        return None
    return 0 if extra < best * (1 + DIGITS) else extra / best - 1


def is_better(row, known):
    extra, before = extra_of(row), best_extra(row, known)
    return extra is not None and before is not None and before > 0 and extra < before * (1 - DIGITS)


def is_proven(row, within=math.inf):
    return not row["failure"] and row["status"] in PROVEN and seconds_of(row) <= within


def percent(value, digits=3):
    return "-" if value is None else f"{100 * value:.{digits}g} %"


def problem_row(row, known):
    size = "-" if row["rows"] is None else f"{row['rows']} / {row['columns']} / {row['nonzeros']}"
    extra = extra_of(row)
    first = row.get("first_schedule_seconds")
    return [f"`{row['problem']}`", size, "-" if first is None else f"{first:.3f}", f"{seconds_of(row):.2f}",
            "-" if extra is None else f"{extra:.6g}", percent(row["gap"]), percent(row["gap_extra"], 2),
            percent(excess(row, known), 2), "FAILED: " + row["failure"] if row["failure"] else row["status"],
            f"{row['peak_rss_bytes'] / MEBIBYTE:.0f}"]


def problem_table(rows, known):
    return markdown(["problem", "rows / columns / nonzeros", "first s", "wall s", "extra J", "gap", "gap extra",
                     "over best", "status",
                     "MiB"], [problem_row(row, known) for row in rows])


def mean_and_worst(rows, figure):
    """`1.2 %, 7.6 %`, and the problem with the worst."""
    found = [(figure(row), row["problem"]) for row in rows if figure(row) is not None]
    if not found:
        return "-", ""
    worst, where = max(found)
    mean = sum(value for value, _ in found) / len(found)
    return f"{percent(mean, 2)}, {percent(worst, 2)}", where if worst > 0 else ""


def family_rows(rows, known):
    """A row for each set and time limit, and remarks on each."""
    table, remarks = [], []
    for name, limit in sorted({(row["set"], row["time_limit_seconds"]) for row in rows}):
        some = [row for row in rows if (row["set"], row["time_limit_seconds"]) == (name, limit)]
        good = [row for row in some if not row["failure"]]
        gap, worst_gap = mean_and_worst(good, lambda row: row["gap_extra"])
        over, worst_over = mean_and_worst(good, lambda row: excess(row, known))
        table.append([name, f"{limit:g} s", len(some), *(sum(is_proven(row, mark) for row in some) for mark in MARKS),
                      gap, over])
        without = sum(row["status"] == "unknown" for row in good)
        better = sum(is_better(row, known) for row in good)
        remarks.append("; ".join(
            [f"{name}, {limit:g} s: {without} without a schedule or a verdict", f"{len(some) - len(good)} failed",
             f"{better} better than the best known before"]
            + [f"worst gap on extra: {worst_gap}"] * bool(worst_gap)
            + [f"farthest over the best: {worst_over}"] * bool(worst_over)))
    return table, remarks


def family_table(rows, known):
    table, remarks = family_rows(rows, known)
    head = ["set", "limit", "problems", *(f"proven in {mark} s" for mark in MARKS), "gap on extra, mean and worst",
            "over best, mean and worst"]
    return "\n".join([markdown(head, table), "", *(f"- {remark}" for remark in remarks)])


def effort(rows):
    """What all solves took together, and the most that one took."""
    def total(key):
        return sum(row.get(key) or 0 for row in rows)

    def most(key):
        return max(rows, key=lambda row: row.get(key) or 0)
    slow, large = most("first_schedule_seconds"), most("peak_rss_bytes")
    return (f"{sum(map(seconds_of, rows)):.1f} s of solving: {total('heuristic_seconds'):.1f} s local search, "
            f"{total('build_seconds'):.1f} s building models, {total('milp_seconds'):.1f} s relaxations and CBC; "
            f"{total('processor_seconds'):.1f} s on a processor. Latest first schedule: "
            f"{slow.get('first_schedule_seconds') or 0:.3f} s ({slow['problem']}); most memory: "
            f"{large['peak_rss_bytes'] / MEBIBYTE:.0f} MiB ({large['problem']})")


def growth_exponent(points):
    """The b of a * size^b that fits best, or None for fewer than two sizes or a figure that is not positive."""
    if any(size <= 0 or value <= 0 for size, value in points) or len({size for size, _ in points}) < 2:
        return None
    xs, ys = [[math.log(point[i]) for point in points] for i in (0, 1)]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys)) / sum((a - x) ** 2 for a in xs)


def scale_table(rows):
    """Energies and bounds above the baseline, and how figures grow with the number of nodes."""
    def above(row, key):
        return "-" if row[key] is None else f"{100 * (row[key] / row['baseline_energy_joules'] - 1):.4f} %"
    lines, series = [], {}
    for row in rows:
        lines.append([f"`{row['problem']}`", row["node_count"] or "-", f"{row.get('first_schedule_seconds') or 0:.2f}",
                      f"{seconds_of(row):.2f}", above(row, "energy_joules"), above(row, "lower_bound_joules"),
                      f"{row['peak_rss_bytes'] / MEBIBYTE:.0f}", row["failure"] or row["status"]])
        _, family, _, share, _ = row["problem"].split()
        series.setdefault(f"{family} {share} %", []).append(row)
    remarks = []
    for name, some in series.items():
        for what, key in (("first schedule", "first_schedule_seconds"), ("nonzeros", "nonzeros"),
                          ("memory", "peak_rss_bytes")):
            slope = growth_exponent([(row["node_count"],
                                      row[key]) for row in some if row["node_count"] and row.get(key)])
            if slope is not None:
                remarks.append(f"{name}: {what} grows with the number of nodes to the power of {slope:.2f}")
    head = ["graph", "nodes", "first s", "wall s", "energy above the baseline", "bound above it", "MiB", "status"]
    return "\n".join([markdown(head, lines), "", *(f"- {remark}" for remark in remarks)])


def report(rows, known):
    """All tables that the rows have figures for."""
    scale = [row for row in rows if row["kind"] == "scale"]
    others = [row for row in rows if row["kind"] != "scale"]
    parts = [problem_table(others, known), family_table(others, known)] if others else []
    parts += [scale_table(scale)] if scale else []
    return "\n\n".join([*parts, effort(rows)])
