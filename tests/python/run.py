#!/usr/bin/env python3
"""run.py MODULE [TEST...]: runs the tests of a module of this folder, with the program that POET_SOLVE names.

Exit status: 0 all passed; 1 one failed; 77, which CTest takes for skipped, if all of them were skipped.
"""
import os
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "python")]


def main():
    if not os.environ.get("POET_SOLVE"):
        print("found no POET_SOLVE, expected the path of the program poet-solve")
        return 1
    module, *tests = sys.argv[1:]
    names = [f"{module}.{test}" for test in tests] or [module]
    result = unittest.TextTestRunner(verbosity=2).run(unittest.defaultTestLoader.loadTestsFromNames(names))
    for test, reason in result.skipped:
        print(f"skipped: {test}: {reason}")
    if not result.wasSuccessful() or result.testsRun == 0:
        return 1
    return 77 if len(result.skipped) == result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
