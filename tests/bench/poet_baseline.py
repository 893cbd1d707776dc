"""POET's own formulation beside ours: a small program writes it, cbc solves it with its defaults, and the small program
replays the schedule. Writing the model is not charged."""
import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import best_known
import tables
from run_problems import GRACE_SECONDS

TOLERANCE = 1e-6  # of a solver that is handed a scaled model
INTEGRAL = 1e-5
FOREVER = 1e9  # seconds
LAYOUT = "{:<34} {:<5} {:>8} {:>8} {:>11} {:>8} {:>11} {:>11} {:>11} {:>8}"


@dataclasses.dataclass
class Theirs:
    """What cbc makes of POET's formulation. All but the energy, which is of a replay, is its own word."""
    status: str
    rows: int = 0
    columns: int = 0
    seconds: float = 0
    energy: float | None = None  # of a valid schedule
    bound: float | None = None
    fault: str = ""  # of a schedule that is not valid


def status_in(heading):
    """In a word or two, by the first line of a solution."""
    for begin, status in (("Optimal", "optimal"), ("Stopped on time", "time limit"), ("Infeasible", "infeasible"),
                          ("Integer infeasible", "infeasible")):
        if heading.startswith(begin):
            return status
    return heading.split(" - ")[0] or "no answer"


def bound_in(log, status):
    labels = ["Lower bound:", *["Objective value:"] * (status == "optimal"), "Continuous objective value is"]
    found = [re.findall(rf"^{label}\s*(\S+)", log, re.MULTILINE) for label in labels]
    return next((float(numbers[-1]) for numbers in found if numbers), None)


def values_in(lines, heading):
    """The nonzero columns by name; none if there is no integer solution, as cbc then writes the relaxation's."""
    if "infeasible" in heading.lower() or "no integer" in heading:
        return {}
    # A line that starts with ** breaks a bound or a row.
    values = {name: float(value) for _, name, value, *_ in (line.removeprefix("**").split() for line in lines)}
    # U is the only continuous one.
    is_whole = all(abs(value - round(value)) <= INTEGRAL for name, value in values.items() if not name.startswith("U_"))
    return values if is_whole else {}


def run_cbc(model, solution, gap, limit):
    """What it printed, whether it had to be killed, and its time."""
    command = ["stdbuf", "-oL", "cbc", model, "-timeMode", "elapsed", "-seconds", f"{limit or FOREVER:g}", "-ratioGap",
               f"{gap:g}", "-solve", "-solution", solution]
    start = time.monotonic()
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, timeout=(limit or FOREVER) + GRACE_SECONDS)
        log, killed = run.stdout, False
    except subprocess.TimeoutExpired as error:
        log, killed = error.stdout or b"", True
    return log.decode(errors="replace"), killed, time.monotonic() - start


def solve(writer, name, gap, limit):
    """With the gap and the time limit that our own solve has."""
    def ask(*words, **options):
        return json.loads(subprocess.run([writer, name, *words], stdout=subprocess.PIPE, text=True, check=True,
                                         **options).stdout)
    with tempfile.TemporaryDirectory() as folder:
        model, solution = f"{folder}/poet.mps", pathlib.Path(folder, "solution")
        size = ask(model)
        log, killed, seconds = run_cbc(model, str(solution), gap, limit)
        heading, *lines = solution.read_text().splitlines() if solution.exists() else [""]
    status = "killed" if killed else status_in(heading)
    bound = bound_in(log, status)
    found = Theirs(status, size["rows"], size["columns"], seconds,
                   bound=None if bound is None else bound / size["units_per_joule"])
    values = values_in(lines, heading)
    if values:
        replay = ask(input="".join(f"{column} {value}\n" for column, value in values.items()))
        found.fault = replay["fault"]
        found.energy = None if found.fault else replay["energy_joules"]
    return found


def refuted(theirs, ours):
    """What of it our own answer to the same problem shows to be wrong, or nothing."""
    energy = None if ours["failure"] else ours["energy_joules"]
    if energy is None:
        return ""
    if theirs.status == "infeasible":
        return "it is feasible"
    if theirs.bound is not None and theirs.bound > energy * (1 + TOLERANCE):
        return "its bound is above a schedule's energy"
    called_optimal = theirs.status == "optimal" and theirs.energy is not None
    known = energy * (1 + ours["gap_asked"] + TOLERANCE)
    return "it is not optimal" if called_optimal and theirs.energy > known else ""


def refutes(theirs, ours):
    """The other way round: its schedule, which has been replayed, is below our bound."""
    if ours["failure"] or theirs.energy is None:
        return False
    claim = best_known.found_by(ours)
    schedule = claim | {"energy_joules": theirs.energy, "lower_bound_joules": None, "infeasible": False}
    return bool(best_known.conflict(claim | {"energy_joules": None}, schedule))


def line_of(name, solver, size, status, seconds, energy, bound, baseline):
    def number(value, form=".7g"):
        return "-" if value is None else format(value, form)
    has_both = energy is not None and bound is not None
    return LAYOUT.format(name, solver, *map(number, size), status, f"{seconds:.2f}", number(energy),
                         number(None if energy is None else energy - baseline, ".6g"), number(bound),
                         number(100 * (1 - bound / energy) if has_both else None, ".4f"))


def compare(problem, solver, writer, say):
    """Prints both sides of a problem. Returns ours, theirs, and what is wrong with each."""
    ours = solver.solve(problem)
    baseline = ours["baseline_energy_joules"]
    say(line_of(problem.name, "ours", (ours["rows"], ours["columns"]), "FAILED" if ours["failure"] else ours["status"],
                tables.seconds_of(ours), ours["energy_joules"], ours["lower_bound_joules"], baseline)
        + f"  {ours['failure']}" * bool(ours["failure"]))
    theirs = solve(writer, problem.name, ours["gap_asked"], ours["time_limit_seconds"])
    wrong, we_are_wrong = refuted(theirs, ours), refutes(theirs, ours)
    remarks = [f"  WRONG: {wrong}"] * bool(wrong) + [f"  INVALID: {theirs.fault}"] * bool(theirs.fault)
    remarks += ["  OURS IS WRONG: this schedule is below our bound"] * we_are_wrong
    say(line_of("", "POET", (theirs.rows, theirs.columns), theirs.status, theirs.seconds, theirs.energy, theirs.bound,
                baseline) + "".join(remarks))
    return ours, theirs, wrong, bool(ours["failure"]) or we_are_wrong


def run(problems, solver, writer, say):
    """Prints both sides of each problem and the score. Returns the exit status."""
    if shutil.which("cbc") is None:
        raise ValueError("--poet-baseline: no program 'cbc'; expected one (Debian: coinor-cbc)")
    say(LAYOUT.format("problem", "", "rows", "columns", "status", "wall s", "energy J", "extra J", "bound J", "gap %"))
    found = [compare(problem, solver, writer, say) for problem in problems]
    schedules = sum(ours["energy_joules"] is not None and not ours["failure"] for ours, *_ in found)
    say(f"\nours: {schedules} with a schedule, {sum(tables.is_proven(ours) for ours, *_ in found)} proven")
    proven = sum(not wrong and (theirs.status == "optimal" and theirs.energy is not None
                                or theirs.status == ours["status"] == "infeasible" and not ours["failure"])
                 for ours, theirs, wrong, _ in found)
    say(f"POET: {sum(theirs.energy is not None for _, theirs, _, _ in found)} with a schedule, {proven} proven, "
        f"{sum(bool(wrong) for _, _, wrong, _ in found)} wrong")
    return 1 if any(faulty for *_, faulty in found) else 0
