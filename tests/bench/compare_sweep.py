"""A sweep against as many separate solves: is the sweep as good, and what does it save?"""
import json
import pathlib
import subprocess
import tempfile
import time

import problem_sets
import tables

MOST_TIME = 0.5  # the sweep may take this share of the separate solves' time


def timed_sweep(solver, model, platform, ratio, points):
    """The rows of a sweep from the smallest RAM budget to the peak, and its time."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder, "curve.jsonl")
        start = time.monotonic()
        subprocess.run([solver.graphs.program, "sweep", "--quiet", "--models", model, "--platforms", platform,
                        "--runtime-budget", f"{ratio:g}", "--ram-budget", f"min..100%:{points}", "--output",
                        str(output),
                        *solver.options], check=True)
        taken = time.monotonic() - start
        return [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()], taken


def faults_of(pairs, together, apart):
    """Where the sweep is worse: a proof that only the separate solve has, an energy that rises with the budget, too
    much time."""
    faults, last = [], None
    for swept, alone in pairs:
        budget = swept["ram_budget_bytes"]
        if swept["status"] not in (alone["status"], "optimal"):
            faults.append(f"{budget}: {swept['status']} in the sweep, {alone['status']} by itself")
        if last is not None and swept["energy_joules"] is not None and swept["energy_joules"] > last:
            faults.append(f"{budget}: the energy rises to {swept['energy_joules']} J")
        last = swept["energy_joules"] if swept["energy_joules"] is not None else last
    if together > MOST_TIME * apart:
        faults.append(f"the sweep takes {together / apart:.2f} of the time of the others, expected at most {MOST_TIME}")
    return faults


def joules(row):
    return f"{'-' if row['energy_joules'] is None else format(row['energy_joules'], '.10g'):>14} J"


def compare(solver, model, platform, ratio, points, say):
    """Prints both sides of each point. False if the sweep is worse."""
    rows, together = timed_sweep(solver, model, platform, ratio, points)
    pairs, apart = [], 0.0
    for swept in rows:
        problem = problem_sets.named("chain", model, platform, swept["ram_budget_bytes"], ratio)
        alone = solver.solve(problem)
        if alone["failure"]:
            raise ValueError(f"{problem.name}: {alone['failure']}")
        seconds = tables.seconds_of(alone)
        apart += seconds
        pairs.append((swept, alone))
        say(f"{swept['ram_budget_bytes']:>12} {swept['status']:>10} {joules(swept)} "
            f"{swept['timing']['wall_seconds']:>7.2f} s   alone {joules(alone)} {seconds:>7.2f} s")
    say(f"sweep {together:.2f} s, separate solves {apart:.2f} s: a share of {together / apart:.2f}; "
        f"{sum(row['origin'] == 'solved' for row in rows)} of {len(rows)} points solved")
    faults = faults_of(pairs, together, apart)
    for fault in faults:
        say(f"WORSE: {fault}")
    return not faults
