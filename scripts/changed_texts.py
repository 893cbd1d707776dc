#!/usr/bin/env python3
"""Prints which texts of a build folder have changed: each stands in its compile_commands.json, and is itself among the files
that standard input names, or includes one of them. What decides how every text is read changes all of them.

    git diff --name-only COMMIT | python3 scripts/changed_texts.py build/tidy
"""

import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

# The lists of sources in the folders of src are missing here: a file that comes into a list is a changed file.
ALL = re.compile(r"(CMakeLists|src/CMakeLists)\.txt|CMakePresets\.json|cmake/Poet(CompilerOptions|Dependencies)\.cmake"
                 r"|(.*/)?\.clang-tidy")


def included_files(entry):
    """The real paths of what the compiler reads for an entry of compile_commands.json."""
    words = shlex.split(entry["command"])
    output = words.index("-o")
    command = [word for word in words[:output] + words[output + 2:] if word != "-c"] + ["-MM", "-w"]
    rule = subprocess.run(command, cwd=entry["directory"], check=True, capture_output=True, text=True).stdout
    paths = rule.split(":", 1)[1].replace("\\\n", " ").split()
    return {os.path.realpath(os.path.join(entry["directory"], path)) for path in paths}


def main(folder):
    changed = sys.stdin.read().splitlines()
    with open(os.path.join(folder, "compile_commands.json"), encoding="utf-8") as file:
        entries = [entry for entry in json.load(file) if "/embedded_" not in entry["file"]]
    if any(ALL.fullmatch(path) for path in changed):
        print("\n".join(entry["file"] for entry in entries))
        return
    paths = {os.path.realpath(path) for path in changed}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for entry, included in zip(entries, pool.map(included_files, entries)):
            if included & paths:
                print(entry["file"])


main(sys.argv[1])
