"""Checks every certificate of a folder with the checker that shares no code with poet-solve.

    check_certificates.py FOLDER COUNT

Ends with 1 unless all are accepted, and there are as many as COUNT says.
"""
import contextlib
import io
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import poet_check


def main(folder, count):
    files = sorted(pathlib.Path(folder).glob("*.proof"))
    refused = 0
    for file in files:
        with contextlib.redirect_stdout(io.StringIO()):
            code = poet_check.main([str(file)])
        if code != 0:
            print(f"{file.name} was refused", file=sys.stderr)
            refused += 1
    print(f"{len(files)} certificates checked, {refused} refused")
    return 1 if refused or len(files) != int(count) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
