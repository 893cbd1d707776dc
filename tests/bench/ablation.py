"""What each feature of the solver buys: problems with all features, then without each one in turn."""
import itertools
import json
import math
import subprocess

import best_known
import tables

SHORTEST, SMALLEST = 0.01, 1e-6  # ratios of shorter times in seconds, and of smaller gaps, tell nothing
LAYOUT = "{:<34} {:>8} {:>8} {:>11} {:>11} {:>9}  {:<10} {}"
EFFECTS = "{:<16} {:>8} {:>12} {:>15} {:>11} {:>10}"


def features(program):
    """The names of all features, as the program lists them when it refuses another one."""
    run = subprocess.run([program, "-q", "--disable", "?"], capture_output=True, text=True)
    return json.loads(run.stdout)["error"].split("expected one of ")[1].split(", ")


def time_of(row):
    proves_nothing = not tables.is_proven(row) and row["time_limit_seconds"]
    return max(row["time_limit_seconds"] if proves_nothing else tables.seconds_of(row), SHORTEST)


def gap_of(row):
    """A gap within the one asked for counts as that one, a missing schedule as a gap of 1."""
    least = max(row["gap_asked"], SMALLEST)
    if tables.is_proven(row):
        return least
    return 1 if row["gap"] is None else max(row["gap"], least)


def effect(rows, feature):
    """A row of the table of effects, of the problems for which both solves ended well; None if there is none."""
    good = {(row["problem"], row["disabled"]): row for row in rows if not row["failure"]}
    pairs = [(good[name, ""], off) for (name, disabled), off in good.items()
             if disabled == feature and (name, "") in good]
    if not pairs:
        return None
    proven = [sum(map(tables.is_proven, side)) for side in zip(*pairs)]
    mean_time, mean_gap = (math.exp(sum(math.log(figure(on) / figure(off)) for on, off in pairs) / len(pairs))
                           for figure in (time_of, gap_of))
    return [feature, len(pairs), *proven, f"{mean_time:.3f}{' *'[sum(proven) < 2 * len(pairs)]}", f"{mean_gap:.3f}"]


def contradictions(rows):
    """The answers to a problem that exclude each other: they have to agree, no matter what is off."""
    def claim(row):
        who = f"without {row['disabled']}" if row["disabled"] else "with everything"
        return best_known.found_by(row) | {"energy_from": who, "bound_from": who}
    good = [row for row in rows if not row["failure"]]
    pairs = [(claim(one), claim(other)) for one, other in itertools.combinations(good, 2)
             if one["problem"] == other["problem"]]
    return [f"{one['problem']}: {fault}" for one, other in pairs if (fault := best_known.conflict(one, other))]


def report(rows):
    """Effects and contradictions."""
    names = dict.fromkeys(row["disabled"] for row in rows)
    lines = [EFFECTS.format("technique", "problems", "proven with", "proven without", "time ratio", "gap ratio")]
    lines += [EFFECTS.format(*found) for found in (effect(rows, name) for name in names if name) if found]
    lines += ["ratios: with / without, geometric means; below 1 the technique helps",
              "*: some solve proved nothing and counts as its time limit"]
    return "\n".join(lines + [f"CONTRADICTION: {fault}" for fault in contradictions(rows)])


def line_of(row):
    def number(value, digits):
        return "-" if value is None else f"{value:.{digits}g}"
    gap = None if row["gap"] is None else 100 * row["gap"]
    remark = f"without {row['disabled']} " * bool(row["disabled"]) + row["failure"]
    return LAYOUT.format(row["problem"], number(row["rows"], 9), f"{tables.seconds_of(row):.2f}",
                         number(row["energy_joules"], 7), number(tables.extra_of(row), 6), number(gap, 4),
                         "FAILED" if row["failure"] else row["status"], remark).rstrip()


def run(problems, solver, say):
    """Prints each solve and the table. Returns the exit status."""
    say(LAYOUT.format("problem", "rows", "wall s", "energy J", "extra J", "gap %", "status", "").rstrip())
    rows = []
    for problem in problems:
        for name in ["", *features(solver.graphs.program)]:
            rows.append(solver.solve(problem, *["--disable", name] * bool(name)) | {"disabled": name})
            say(line_of(rows[-1]))
            # What is settled without a model tells nothing of how models are solved.
            if not name and tables.is_proven(rows[-1]) and not rows[-1]["rows"]:
                break
    say("\n" + report(rows))
    return 1 if contradictions(rows) or any(row["failure"] for row in rows) else 0
