"""From a model file to the code for a board, or to what would make the network fit there."""
from __future__ import annotations

import argparse
import os
import sys
from typing import Any, Dict, List

from poet._program import EXIT_INFEASIBLE, EXIT_LIMIT, EXIT_OK, Finished, run

USUAL = {"ram_budget": "chip", "runtime_budget": "1.5"}


def expect_export(arguments: argparse.Namespace) -> None:
    """The folder decides where everything goes. Raises ValueError."""
    options = ("platform", "ram_budget", "runtime_budget")
    for option in options if arguments.export is None else ("output", "parameters_output", "measure"):
        if getattr(arguments, option):
            found = option.replace("_", "-")
            raise ValueError(f"found --{found} {'without' if option in options else 'with'} --export")
    if arguments.export is None:
        return
    if arguments.platform is None:
        raise ValueError("found --export without --platform, which names the board")
    arguments.output = os.path.join(arguments.export, "model.json")
    arguments.parameters_output = os.path.join(arguments.export, "parameters.npz")


def shown(words: List[str]) -> Finished:
    """A run of the program, with what it says as it says it."""
    return run(words, on_line=lambda line: print(line, file=sys.stderr, flush=True))


def export(document: Dict[str, Any], arguments: argparse.Namespace) -> int:
    """The exit status of the first command that fails."""
    schedule = os.path.join(arguments.export, "schedule.json")
    question = ["--model", arguments.output, "--platform", arguments.platform]
    for option, usual in USUAL.items():
        question += [f"--{option.replace('_', '-')}", getattr(arguments, option) or usual]
    if any("N" in each["shape"] for each in document["inputs"].values()):
        question += ["--batch-size", str(arguments.input[0][0])]
    solved = shown(["solve", *question, "--output", schedule])
    if solved.status in (EXIT_INFEASIBLE, EXIT_LIMIT):
        print("poet.torch: what would fit:", file=sys.stderr)
        print(shown(["advise", *question]).out, end="")
    if solved.status != EXIT_OK:
        return solved.status
    code = os.path.join(arguments.export, "code")
    return shown(["export", schedule, "--model", arguments.output, "--parameters", arguments.parameters_output,
                  "--output", code]).status
