"""Solves sets of problems and prints tables of the results; docs/performance.md shows how. scripts/bench builds what
it runs."""
import argparse
import math
import pathlib
import subprocess
import sys
import tempfile

import ablation
import best_known
import compare_sweep
import poet_baseline
import problem_sets
import run_problems
import tables


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="bench", formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        description="""Solves sets of problems, each by itself, has every schedule replayed, and prints Markdown tables.
        Exit status: 1 if a schedule is invalid, a solve failed, or an answer contradicts the best known; 2 for bad
        input.""")
    parser.add_argument("--set", choices=problem_sets.SETS, default="named",
                        help="the problems; see docs/performance.md")
    parser.add_argument("--quick", action="store_true", help="a subset, and less time for each")
    parser.add_argument("--filter", default="", metavar="TEXT", help="only problems whose name contains this")
    parser.add_argument("--shard", metavar="I/N", help="only part I of N, so that N processes can share a set")
    parser.add_argument("--time-limit-s", type=float, metavar="S",
                        help="per problem; 0 = none; 60 if not given, less with --quick")
    parser.add_argument("--memory-limit-gib", type=float, default=8, metavar="X",
                        help="of a solve's processes together; 0 = none")
    parser.add_argument("--gap", type=float, default=1e-4, metavar="X",
                        help="relative gap at which a problem counts as proven")
    parser.add_argument("--solve-threads", type=int, default=1, metavar="N", help="processes per solve")
    parser.add_argument("--jsonl", metavar="FILE",
                        help="keep the results there, and go on with what an earlier run has left")
    parser.add_argument("--best-known", default=best_known.FILE, metavar="FILE",
                        help="what energies and bounds are compared with")
    parser.add_argument("--update-best", metavar="FILE", help="put what is better than in FILE into it")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--list", action="store_true", help="name the problems and solve none")
    modes.add_argument("--tables", nargs="+", metavar="FILE",
                       help="solve nothing; the tables of files that --jsonl wrote")
    modes.add_argument("--ablation", action="store_true",
                       help="with every technique of the solver, then without each one in turn")
    modes.add_argument("--poet-baseline", action="store_true",
                       help="beside ours, POET's own formulation, solved by the program cbc")
    modes.add_argument("--sweep", nargs=4, metavar=("MODEL", "PLATFORM", "RUNTIME", "POINTS"),
                       help="a sweep against separate solves, such as vgg16_cifar m4 3 16")
    root = pathlib.Path(__file__).resolve().parents[2] / "build" / "release"
    parser.add_argument("--program", default=root / "src" / "app" / "poet-solve", help=argparse.SUPPRESS)
    parser.add_argument("--bench-programs", type=pathlib.Path, default=root / "tests" / "bench", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    for name in ("time_limit_s", "memory_limit_gib", "gap"):
        if not 0 <= (getattr(options, name) or 0) < math.inf:
            parser.error(f"--{name.replace('_', '-')}: expected a number from 0")
    solves_no_set = options.list or options.ablation or options.poet_baseline or options.sweep
    if options.jsonl and (solves_no_set or options.tables):
        parser.error("--jsonl: expected only with a set to solve")
    if options.update_best and solves_no_set:
        parser.error("--update-best: expected only with a set to solve, or --tables")
    return options


def chosen(graphs, options):
    problems = [problem for problem in problem_sets.SETS[options.set](graphs,
                                                                      options.quick) if options.filter in problem.name]
    if not problems:
        raise ValueError(f"--filter: no problem of {options.set} has '{options.filter}' in its name")
    return problem_sets.shard(problems, options.shard) if options.shard else problems


def time_limit(options):
    usual = (8 if options.ablation else 30) if options.quick else 60
    return usual if options.time_limit_s is None else options.time_limit_s


def solver_of(graphs, options):
    return run_problems.Solver(graphs, time_limit=time_limit(options), gap=options.gap,
                               memory_limit_gib=options.memory_limit_gib, threads=options.solve_threads)


def say(text):
    print(text, flush=True)


def solve_all(problems, solver, options):
    """Their rows, from the file of an earlier run as far as it has them."""
    results = run_problems.Results(options.jsonl, solver.conditions)
    for number, problem in enumerate(problems, 1):
        if problem.name not in results.rows:
            results.add(solver.solve(problem) | {"set": options.set})
        row = results.rows[problem.name]
        gaps = ", gap {}, {} of the extra".format(tables.percent(row["gap"]), tables.percent(row["gap_extra"]))
        say(f"{number}/{len(problems)} {problem.name}: {row['failure'] or row['status']}, "
            f"{tables.seconds_of(row):.2f} s{gaps}")
    return [results.rows[problem.name] for problem in problems]


def finish(rows, options):
    """The tables, and what the rows add to the best known or contradict in it. Returns the exit status."""
    known = best_known.read(options.best_known)
    say("\n" + tables.report(rows, known))
    _, _, faults = best_known.improve(known, rows)
    if options.update_best and not faults:
        counts, faults = best_known.update(options.update_best, rows)
        say(f"\n{options.update_best}: " + ", ".join(f"{count} {what}" for what, count in counts.items()))
    for fault in faults:
        say(f"CONTRADICTION: {fault}")
    return 1 if faults or any(row["failure"] for row in rows) else 0


def run(options):
    if options.update_best:  # hours of solving must not end with a file that cannot be updated
        best_known.check(options.update_best)
    if options.tables:
        return finish(run_problems.read_all(options.tables), options)
    with tempfile.TemporaryDirectory() as folder:
        graphs = problem_sets.Graphs(str(options.program), str(options.bench_programs / "poet_synthetic"), folder)
        if options.list:
            say("\n".join(problem.name for problem in chosen(graphs, options)))
            return 0
        solver = solver_of(graphs, options)
        if options.ablation:
            return ablation.run(chosen(graphs, options), solver, say)
        if options.poet_baseline:
            return poet_baseline.run(chosen(graphs, options), solver, options.bench_programs / "poet_milp", say)
        if options.sweep:
            model, platform, ratio, points = options.sweep
            return 0 if compare_sweep.compare(solver, model, platform, float(ratio), int(points), say) else 1
        return finish(solve_all(chosen(graphs, options), solver, options), options)


def main():
    try:
        return run(arguments(sys.argv[1:]))
    except (ValueError, OSError, subprocess.CalledProcessError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
