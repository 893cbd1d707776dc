#!/usr/bin/env python3
"""Runs clang-tidy over src, from the compilation database of a build folder: tidy.py BUILD_DIR.

Most of clang-tidy's time goes into the headers that every file includes. So the files of a folder are
put one after the other into one text, and the headers are looked at once. Files that do not compile
together, or in which something is found, are checked again one by one, and only that counts.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import sys

FILES_PER_TEXT = 12
ROOT = pathlib.Path(__file__).resolve().parent.parent


def tidy(*words):
    """What clang-tidy reports, empty if nothing."""
    run = subprocess.run(['clang-tidy', '--quiet', '--warnings-as-errors=*', *words],
                         capture_output=True, text=True)
    return '' if run.returncode == 0 else run.stdout + run.stderr


def arguments(entry):
    """The compiler's options in an entry of the database, without what is compiled and written."""
    words = shlex.split(entry['command'])
    compiler = next(i for i, word in enumerate(words) if 'clang' in os.path.basename(word))
    return words[compiler + 1:words.index('-o')]


def check(files, options, text, build):
    """Checks files that have the same options; returns a report for each that has findings."""
    if len(files) > 1:
        text.write_text(''.join(f'#line 1 "{file}"\n{file.read_text()}\n' for file in files))
        if not tidy(f'--config-file={ROOT / ".clang-tidy"}', str(text), '--', *options):
            return []
    return [report for file in files if (report := tidy('-p', str(build), str(file)))]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    groups = collections.defaultdict(list)
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        file = pathlib.Path(entry['file'])
        if file.is_relative_to(ROOT / 'src'):
            groups[file.parent, tuple(arguments(entry))].append(file)
    batches = [(files[i:i + FILES_PER_TEXT], options) for (_, options), files in sorted(groups.items())
               for i in range(0, len(files), FILES_PER_TEXT)]
    texts = build / 'tidy'
    texts.mkdir(exist_ok=True)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        checks = [pool.submit(check, files, options, texts / f'{i}.cpp', build)
                  for i, (files, options) in enumerate(batches)]
    findings = [report for done in checks for report in done.result()]
    print('\n'.join(findings), end='')
    count = sum(len(files) for files, _ in batches)
    print(f'clang-tidy: {count} files, {len(findings)} with findings', file=sys.stderr)
    return 1 if findings or not count else 0


if __name__ == '__main__':
    sys.exit(main())
