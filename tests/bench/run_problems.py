"""Solves problems one after the other and keeps what came out, a JSON line each.

Each problem is a solve of its own, posed by `sweep --dry-run` and judged by `sweep --collect`, which replays the
schedule: the points of one sweep would share bounds and begin with shorter searches, so that their times could not be
compared.
"""
import json
import os
import pathlib
import shlex
import subprocess
import tempfile
import threading
import time

GRACE_SECONDS = 60  # over its time limit, before a solve is killed
PROVEN = ("optimal", "infeasible")


class Results:
    """Lines of a file, each on the disk at once. A run that was ended goes on: what is there is not solved again, but
    for crashes."""

    def __init__(self, path, conditions):
        self.path = pathlib.Path(path) if path else None
        self.rows = {}
        if self.path is None:
            return
        if self.path.exists():
            self._read(conditions)
        else:
            self.path.write_bytes(b"")

    def _read(self, conditions):
        text = self.path.read_text(encoding="utf-8")
        whole = text[:text.rfind("\n") + 1]  # a last line without an end was torn
        for row in parse(whole, self.path):
            for key, expected in conditions.items():
                if row[key] != expected:
                    raise ValueError(f"{self.path}: {row['problem']}: found {key} {row[key]}, expected {expected}, "
                                     "or another file")
            if not row["crashed"]:
                self.rows[row["problem"]] = row
        kept = "".join(map(line_of, self.rows.values()))
        if kept != text:
            self.path.write_text(kept, encoding="utf-8")

    def add(self, row):
        self.rows[row["problem"]] = row
        if self.path is None:
            return
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line_of(row))
            file.flush()
            os.fsync(file.fileno())


def line_of(row):
    return json.dumps(row, separators=(",", ":")) + "\n"


def parse(text, place):
    rows, names = [], set()
    for number, line in enumerate(text.splitlines(), 1):
        try:
            row = json.loads(line)
            name = row["problem"]
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{place}:{number}: expected a line as --jsonl writes it: {error}") from error
        if name in names:
            raise ValueError(f"{place}:{number}: {name} was measured twice")
        names.add(name)
        rows.append(row)
    return rows


def read_all(paths):
    """The rows of several files."""
    place = ", ".join(map(str, paths))
    rows = parse("".join(pathlib.Path(path).read_text(encoding="utf-8") for path in paths), place)
    if not rows:
        raise ValueError(f"{place}: expected results, found none")
    return rows


def program_of(program):
    """The version of a build, and the digest of its file."""
    lines = subprocess.run([program, "--version", "-v"], capture_output=True, text=True, check=True).stdout.split("\n")
    return {"version": lines[0].split()[-1], "program_sha256": lines[1].split()[-1]}


def timed_run(command, seconds):
    """The exit status of a command, its wall-clock and processor time, the memory of its largest process, and its
    stderr."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        killer = threading.Timer(seconds, process.kill) if seconds else None
        try:
            if killer:
                killer.start()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            if killer:
                killer.cancel()
            if process.returncode is None:
                process.kill()
                process.wait()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
    return process.returncode, time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, said


def pose(graphs, problem, *options):
    """The sweep of one point that a problem is."""
    grid = [*graphs.arguments(problem.kind, problem.model, problem.platform), "--ram-budget", str(problem.ram_bytes),
            "--runtime-budget", f"{problem.ratio:g}", "--seed", str(problem.seed)]
    techniques = ["--techniques", "remat"] if problem.kind == "layered" else []
    return [graphs.program, "sweep", "--quiet", *grid, *techniques, *options]


class Solver:
    """Solves problems with the same limits. `conditions` are a part of each row: rows of others are not mixed with
    them."""

    def __init__(self, graphs, *, time_limit, gap=1e-4, memory_limit_gib=8, threads=1):
        self.graphs = graphs
        build = program_of(graphs.program)
        self.options = ["--time-limit-s", f"{time_limit:g}", "--gap", f"{gap:g}", "--solve-threads", str(threads),
                        "--memory-limit", f"{int(memory_limit_gib * 2**30)}"]
        self.version = build["version"]
        self.conditions = {"gap_asked": gap, "time_limit_seconds": time_limit, "memory_limit_gib": memory_limit_gib,
                           "solve_threads": threads, "program_sha256": build["program_sha256"]}

    def solve(self, problem, *more):
        """A row with every figure of the solve, with more options if wanted."""
        sweep = pose(self.graphs, problem, *self.options, *more)
        with tempfile.TemporaryDirectory() as folder:
            printed = subprocess.run([*sweep, "--dry-run", "--schedules", folder], stdout=subprocess.PIPE, text=True,
                                     check=True)
            command = shlex.split(printed.stdout)
            limit = self.conditions["time_limit_seconds"]
            code, elapsed, processor, memory, said = timed_run(command, limit + GRACE_SECONDS if limit else None)
            collected = subprocess.run([*sweep, "--collect", folder], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
            found = json.loads(collected.stdout)
            solved = next((json.loads(path.read_text()) for path in pathlib.Path(folder).iterdir()), {})
        row = {"problem": problem.name, "kind": problem.kind, **self.conditions, "version": self.version}
        row |= {key: found[key] for key in ("graph_sha256", "status", "baseline_energy_joules", "energy_joules",
                                            "lower_bound_joules", "gap", "gap_extra")}
        row |= {key: found[key] for key in ("order_sha256",) if key in found}  # absent: the given order
        row |= {key: solved.get("solver", {}).get(key) for key in ("wall_seconds", "rows", "columns", "nonzeros",
                                                                   "nodes")}
        row |= solved.get("solver", {}).get("timing", {})
        row |= {"node_count": solved.get("model", {}).get("node_count"), "elapsed_seconds": elapsed,
                "processor_seconds": processor, "peak_rss_bytes": memory}
        row |= {"crashed": code not in (0, 3, 4), "failure": ""}
        if row["crashed"] or found["status"] == "failed":
            row["failure"] = f"exit status {code}; {found['reason'] or said or 'no file'}"
        return row
