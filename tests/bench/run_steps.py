#!/usr/bin/env python3
"""Whether schedules compute what they must: built-in models at five budgets, with recomputation, paging and both, run
on real tensors and compared bit by bit with the unscheduled step.

usage: run_steps.py POET_SOLVE [MODEL...]    all models with an exact backward pass, if none is named
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from problem_sets import MODELS

SHARES = (10, 25, 40, 60, 80)  # per cent of the way from the working set to what plain training takes
TECHNIQUES = {"remat": ["--no-paging"], "paging": ["--no-remat"], "both": []}


def document(program, *words):
    """What a command prints as JSON, with any exit status."""
    return json.loads(subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)


def outcome(program, what, ram, techniques, schedule):
    """Of one budget: `equal`, `wrong` or `no schedule`. Wrong is also a peak other than the replay's."""
    solved = document(program, *what, "--ram-budget", str(ram), "--runtime-budget", "3", "--effort", "fast",
                      "--time-limit-s", "5", *techniques)
    if "stages" not in solved:
        return f"no schedule: {solved['status']}"
    schedule.write_text(json.dumps(solved), encoding="utf-8")
    found = document(program, "run", str(schedule), "--check", "--model", what[1])
    is_right = found.get("equal") and found["peak_touched_bytes"] == solved["summary"]["peak_ram_bytes"]
    return "equal" if is_right else f"WRONG: {found.get('error', 'another gradient or peak')}"


def main(program, *models):
    counts = {"equal": 0, "WRONG": 0, "no schedule": 0}
    with tempfile.TemporaryDirectory() as folder:
        for model in models or [path.stem for path in sorted(MODELS.glob("*.json"))]:
            what = ["--model", model, "--platform", "m4", "--backward", "exact"]
            size = document(program, "info", "--json", model, *what[2:])
            if "working_set_bytes" not in size:
                print(f"{model:<22} is not a training step: {size.get('error')}")
                continue
            least, peak = size["working_set_bytes"], size["baseline_peak_ram_bytes"]
            for share in SHARES:
                for name, techniques in TECHNIQUES.items():
                    ram = least + (peak - least) * share // 100
                    found = outcome(program, what, ram, techniques, pathlib.Path(folder, "schedule.json"))
                    counts[found.split(":")[0]] += 1
                    print(f"{model:<22} {share:>4} % {name:<6} {ram:>10} bytes: {found}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 0 if counts["equal"] and not counts["WRONG"] else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
