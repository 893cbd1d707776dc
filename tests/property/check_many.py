#!/usr/bin/env python3
"""check_many.py CHECKER: reads schedule documents from stdin, one a line, and prints `valid` or `invalid` for each.

CHECKER is a Python file with a function check(document) that returns a list of violations first.
"""
import importlib.util
import json
import sys


def load(path):
    spec = importlib.util.spec_from_file_location("checker", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def is_valid(checker, line):
    try:
        return not checker.check(json.loads(line))[0]
    except (ValueError, KeyError, TypeError, IndexError):
        return False


def main():
    checker = load(sys.argv[1])
    for line in sys.stdin:
        print("valid" if is_valid(checker, line) else "invalid")


if __name__ == "__main__":
    main()
