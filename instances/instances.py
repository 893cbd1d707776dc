"""The public instances: problems with the best schedules and bounds that are known, and a certificate of each bound.

usage:
  scripts/instances list
  scripts/instances unpack FOLDER               the model files and schedules, to read or to solve
  scripts/instances check [NAME...]             check everything anew, by verify and poet-check alone
  scripts/instances submit NAME [--schedule FILE] [--certificate FILE] [--by WORDS]
  scripts/instances solve [NAME...] [--open] [--time-limit-s S]
  scripts/instances table                       write the table of instances/README.md anew

README.md beside this file says what an instance is, how to cite it, and how to submit.
"""
import argparse
import concurrent.futures
import datetime
import json
import lzma
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CHECKER = HERE.parent / "python" / "poet_check.py"
# What a problem states of the request of a schedule file. All else there says how it was solved.
LIMITS = ("ram_budget_bytes", "runtime_budget_seconds", "paging", "remat", "paging_time")
TOLERANCE = 1e-9  # sums of the same costs in another order
OPTIMAL = 1e-4  # the gap at which a solve says so
MOST_BYTES = 64 << 20  # of a submitted file
MOST_SECONDS = 900  # of one check


class Refused(Exception):
    """What is wrong with a file or an instance, in one sentence."""


class Tools:
    """The programs, run in a folder that holds the instances' files without compression."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)

    def run(self, *words, limit=MOST_SECONDS):
        try:
            return subprocess.run([str(word) for word in words], cwd=self.folder, encoding="utf-8", errors="replace",
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=limit,
                                  check=False)
        except subprocess.TimeoutExpired as error:
            raise Refused(f"{words[1]} took more than {limit:g} s") from error

    def unpack(self, path):
        """The name of a file in the folder, from its compressed form here."""
        target = self.folder / path.stem
        if not target.exists():
            target.write_bytes(lzma.decompress(path.read_bytes()))
        return target.name

    def verified_energy(self, instance, schedule):
        """Replays a schedule of the instance and returns its energy."""
        run = self.run(self.program, "verify", "--quiet", *instance.model_options(self), schedule)
        if run.returncode != 0:
            raise Refused(f"verify refuses the schedule: {last_line(run.stderr)}")
        document = json.loads((self.folder / schedule).read_text(encoding="utf-8"))
        for key in LIMITS:
            stated, asked = document["request"].get(key), instance.limits.get(key)
            if not keeps(stated, asked):
                raise Refused(f"the schedule is about {key} = {stated}, the instance about {asked}")
        if document["model"].get("order") is not None:
            raise Refused("the schedule is in another order of the nodes than the instance")
        return document["summary"]["energy_joules"]

    def certified_bound(self, certificate, schedule):
        """What poet-check finds proven about the nodes, the order and the limits of a schedule."""
        run = self.run(sys.executable, "-I", CHECKER, certificate, schedule)
        found = re.match(r"proven: no schedule of .* needs less than (\S+) J", run.stdout)
        if run.returncode != 0 or not found:
            raise Refused(f"poet-check refuses the certificate: {last_line(run.stderr)}")
        return float(found[1])


def keeps(stated, asked):
    """Whether a schedule's limit is at least as tight as the instance's."""
    if isinstance(stated, bool) or isinstance(asked, bool) or None in (stated, asked) or isinstance(asked, str):
        return stated == asked
    return stated <= asked


def last_line(text):
    return text.strip().splitlines()[-1][:300] if text.strip() else "it said nothing"


class Instance:
    """A problem, as problems.json states it, and what best.json knows about it."""

    def __init__(self, stated, best):
        self.name = stated["name"]
        self.family = stated["family"]
        self.model = stated["model"]
        self.platform = stated.get("platform")
        self.backward = stated.get("backward")
        self.limits = stated["limits"]
        self.best = best

    def file(self, kind):
        return HERE / "best" / f"{self.name}.{kind}.xz"

    def model_options(self, tools):
        packed = HERE / "models" / f"{self.model}.json.xz"
        model = f"./{tools.unpack(packed)}" if packed.exists() else self.model
        return ["--model", model] + (["--platform", self.platform] if self.platform else [])

    def solve_options(self, tools):
        limits = self.limits
        options = self.model_options(tools) + [
            "--ram-budget", limits["ram_budget_bytes"], "--runtime-budget", f"{limits['runtime_budget_seconds']!r}s"]
        if self.backward:
            options += ["--backward", self.backward]
        if not limits["paging"]:
            options.append("--no-paging")
        if limits.get("paging_time"):
            options += ["--paging-time", limits["paging_time"]]
        return options

    def gap(self):
        return (self.best["energy_joules"] - self.best["bound_joules"]) / self.best["energy_joules"]

    def is_optimal(self):
        return self.best is not None and self.gap() <= OPTIMAL

    def keep(self, tools, kind, name):
        """Takes a file of the folder as the best of its kind, whole or not at all."""
        path = self.file(kind)
        path.parent.mkdir(exist_ok=True)
        part = path.with_suffix(".part")
        part.write_bytes(lzma.compress((tools.folder / name).read_bytes(), preset=9 | lzma.PRESET_EXTREME))
        part.replace(path)


def read_instances():
    best_file = HERE / "best.json"
    best = json.loads(best_file.read_text(encoding="utf-8")) if best_file.exists() else {}
    problems = json.loads((HERE / "problems.json").read_text(encoding="utf-8"))
    return [Instance(problem, best.get(problem["name"])) for problem in problems]


def write_best(instances):
    lines = [f'"{each.name}": {json.dumps(each.best)}' for each in instances if each.best]
    part = HERE / "best.json.part"
    part.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    part.replace(HERE / "best.json")


def chosen(instances, names):
    known = {each.name for each in instances}
    for name in names:
        if name not in known:
            raise Refused(f"there is no instance '{name}'; scripts/instances list has all {len(known)}")
    return [each for each in instances if not names or each.name in names]


def check_one(tools, instance):
    """The finding about one instance; nothing is believed but the two checkers."""
    if not instance.best:
        raise Refused("nothing is known about it yet")
    schedule, certificate = (tools.unpack(instance.file(kind)) for kind in ("schedule.json", "proof"))
    energy = tools.verified_energy(instance, schedule)
    bound = tools.certified_bound(certificate, schedule)
    for what, found, stated in (("energy", energy, instance.best["energy_joules"]),
                                ("bound", bound, instance.best["bound_joules"])):
        if found != stated:
            raise Refused(f"its {what} is {found!r} J, and best.json states {stated!r} J")
    if bound > energy * (1 + TOLERANCE):
        raise Refused(f"a bound of {bound!r} J above an energy of {energy!r} J: one of the checkers is wrong")
    return f"{energy:.6g} J, bound {bound:.6g} J, gap {100 * instance.gap():.3f} %"


def check(tools, instances, options):
    """Checks as many at once as there are processors, and says what was found as it comes."""
    picked, refused = chosen(instances, options.names), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        findings = {pool.submit(check_one, tools, each): each for each in picked}
        for done, future in enumerate(concurrent.futures.as_completed(findings), 1):
            try:
                line = future.result()
            except (Refused, OSError, ValueError, KeyError, lzma.LZMAError) as error:
                refused += 1
                line = f"REFUSED: {error}"
            print(f"[{done}/{len(picked)}] {findings[future].name}: {line}", flush=True)
    optimal = sum(each.is_optimal() for each in picked)
    print(f"{len(picked) - refused} of {len(picked)} hold, {optimal} optimal to {100 * OPTIMAL:g} %")
    return 1 if refused else 0


def improve(tools, instance, schedule, certificate, by, seconds):
    """Takes what is better than what is known, and says so. `schedule` and `certificate` may be missing."""
    best, news = dict(instance.best or {}), []
    if schedule:
        energy = tools.verified_energy(instance, schedule)
        if "energy_joules" not in best or energy < best["energy_joules"] * (1 - TOLERANCE):
            best |= {"energy_joules": energy, "energy_by": by} | figures_of(tools, schedule)
            news.append(f"energy {energy:.8g} J")
            instance.keep(tools, "schedule.json", schedule)
    if certificate:
        bound = tools.certified_bound(certificate, schedule or tools.unpack(instance.file("schedule.json")))
        if bound > best["energy_joules"] * (1 + TOLERANCE):
            raise Refused(f"the bound of {bound!r} J is above the known energy of {best['energy_joules']!r} J")
        if "bound_joules" not in best or bound > best["bound_joules"] * (1 + TOLERANCE):
            best |= {"bound_joules": bound, "bound_by": by}
            news.append(f"bound {bound:.8g} J")
            instance.keep(tools, "proof", certificate)
    if news:
        instance.best = best | ({"processor_seconds": round(seconds, 1)} if seconds else {})
    return ", ".join(news) or "nothing is better than what is known"


def figures_of(tools, schedule):
    document = json.loads((tools.folder / schedule).read_text(encoding="utf-8"))
    return {"nodes": len(document["nodes"]), "baseline_joules": document["summary"]["baseline_energy_joules"]}


def taken_in(tools, path, name):
    """Copies a submitted file into the folder; it may be anybody's."""
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise Refused(f"{path} has {size} bytes; at most {MOST_BYTES} are read")
    (tools.folder / name).write_bytes(path.read_bytes())
    return name


def submit(tools, instances, options):
    [instance] = chosen(instances, [options.name])
    if not options.schedule and not options.certificate:
        raise Refused("nothing was given; expected --schedule, --certificate or both")
    if not instance.best and not options.schedule:
        raise Refused("a first certificate needs a schedule beside it")
    schedule = options.schedule and taken_in(tools, options.schedule, "submitted.json")
    certificate = options.certificate and taken_in(tools, options.certificate, "submitted.proof")
    print(f"{instance.name}: {improve(tools, instance, schedule, certificate, options.by, 0)}")
    write_best(instances)
    return 0


def solve(tools, instances, options):
    """Solves and certifies; what is better than what is known is kept."""
    for instance in chosen(instances, options.names):
        if options.open and instance.is_optimal():
            continue
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        schedule, certificate = f"{instance.name}.solved.json", f"{instance.name}.solved.proof"
        words = [tools.program, *instance.solve_options(tools), "--time-limit-s", options.time_limit_s, "--gap", OPTIMAL / 2,
                 "--quiet", "--certify", certificate, "--output", schedule]
        known = instance.file("schedule.json")
        if known.exists():
            words += ["--warm-start", tools.unpack(known)]
        run = tools.run(*words, limit=4 * options.time_limit_s + MOST_SECONDS)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if not (tools.folder / schedule).exists():
            print(f"{instance.name}: no schedule: {last_line(run.stderr)}", flush=True)
            continue
        proof = certificate if (tools.folder / certificate).exists() else None
        by = f"poet-solve, {datetime.date.today().isoformat()}"
        try:
            print(f"{instance.name}: {improve(tools, instance, schedule, proof, by, seconds)}", flush=True)
        except Refused as error:
            print(f"{instance.name}: REFUSED: {error}", flush=True)
        write_best(instances)
    return 0


def table_text(instances):
    lines = ["| instance | nodes | RAM | best energy | certified bound | gap | by |", "|---|---:|---:|---:|---:|---:|---|"]
    for each in instances:
        if not each.best or "bound_joules" not in each.best:
            lines.append(f"| `{each.name}` | | {each.limits['ram_budget_bytes']} | open | open | | |")
            continue
        best, gap = each.best, each.gap()
        over = 100 * (best["energy_joules"] / best["baseline_joules"] - 1)
        state = "optimal" if each.is_optimal() else f"{100 * gap:.3f} %"
        spent = f", {best['processor_seconds']:g} s" if "processor_seconds" in best else ""
        lines.append(f"| `{each.name}` | {best['nodes']} | {each.limits['ram_budget_bytes']} "
                     f"| {best['energy_joules']:.8g} J (+{over:.3g} %) | {best['bound_joules']:.8g} J | {state} "
                     f"| {best['energy_by']}{spent} |")
    return "\n".join(lines) + "\n"


def table(tools, instances, options):
    page = HERE / "README.md"
    head, _, rest = page.read_text(encoding="utf-8").partition("<!-- table -->\n")
    _, _, tail = rest.partition("<!-- end -->\n")
    page.write_text(f"{head}<!-- table -->\n{table_text(instances)}<!-- end -->\n{tail}", encoding="utf-8")
    return 0


def list_all(tools, instances, options):
    for each in instances:
        print(f"{each.name}  {each.family}  {' '.join(map(str, each.solve_options(tools)))}")
    return 0


def unpack(tools, instances, options):
    options.folder.mkdir(parents=True, exist_ok=True)
    into = Tools(tools.program, options.folder)
    for path in sorted(HERE.glob("*/*.xz")):
        into.unpack(path)
    return 0


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/instances", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="poet-solve", help=argparse.SUPPRESS)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, function in (("list", list_all), ("table", table), ("unpack", unpack), ("check", check), ("submit", submit),
                           ("solve", solve)):
        command = commands.add_parser(name)
        command.set_defaults(function=function)
        if name in ("check", "solve"):
            command.add_argument("names", nargs="*", metavar="NAME")
        if name == "check":
            command.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
        if name == "solve":
            command.add_argument("--time-limit-s", type=float, default=60)
            command.add_argument("--open", action="store_true", help="only what is not optimal yet")
        if name == "unpack":
            command.add_argument("folder", type=pathlib.Path)
        if name == "submit":
            command.add_argument("name", metavar="NAME")
            command.add_argument("--schedule", type=pathlib.Path)
            command.add_argument("--certificate", type=pathlib.Path)
            command.add_argument("--by", default="submitted", help="who or what found it")
    return parser.parse_args()


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        try:
            return options.function(Tools(options.program, folder), read_instances(), options)
        except (Refused, OSError, ValueError, KeyError) as error:
            print(f"instances: {error}", file=sys.stderr)
            return 2


if __name__ == "__main__":
    sys.exit(main())
