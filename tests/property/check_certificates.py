"""Checks every certificate of a folder with the checker that shares no code with poet-solve, and damaged copies of it.

    check_certificates.py FOLDER COUNT

NAME.proof is a certificate, and NAME.optimum the least energy, or `infeasible`. Ends with 1 unless all are accepted, there
are as many as COUNT says, and no damaged copy is accepted that claims more than the optimum.
"""
import contextlib
import io
import pathlib
import random
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import poet_check  # noqa: E402  (its folder is not a package)

DAMAGES = 10  # of each certificate


def accepts(path):
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return poet_check.main([str(path)]) == 0


def damaged(draw, text):
    """A copy that claims more, or with one or two mistakes in the proof, or both."""
    lines = text.split("\n")
    if draw.random() < 0.5:
        claim = lines[1].split(" ")[1]
        more = float(claim) * (1 + 10 ** draw.uniform(-6, 0)) if claim != "infeasible" else None
        lines[1] = f"claim {poet_check.written(more) if more and draw.random() < 0.9 else 'infeasible'}"
    first = next(i for i, line in enumerate(lines) if line.startswith("shift "))
    for _ in range(draw.choice((0, 1, 1, 2))):
        at = draw.randrange(first, len(lines) - 1)
        kind = draw.randrange(4)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, draw.choice(lines[first:]))
        else:
            numbers = list(re.finditer(r"-?\d+", lines[at]))
            if numbers:
                number = draw.choice(numbers)
                change = draw.choice((-1, 1, 2, int(number[0]), -2 * int(number[0])))
                lines[at] = lines[at][:number.start()] + str(int(number[0]) + change) + lines[at][number.end():]
    return "\n".join(lines)


def claims_too_much(text, optimum):
    claim = text.split("\n")[1].split(" ")[1]
    if optimum == "infeasible":
        return False
    return claim == "infeasible" or float(claim) > float(optimum) * (1 + 1e-9)


def main(folder, count):
    files = sorted(pathlib.Path(folder).glob("*.proof"))
    refused, copies, false = 0, 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "copy"
        for file in files:
            if not accepts(file):
                print(f"{file.name} was refused", file=sys.stderr)
                refused += 1
            text, optimum = file.read_text(encoding="utf-8"), file.with_suffix(".optimum").read_text(encoding="ascii")
            draw = random.Random(file.name)
            for _ in range(DAMAGES):
                other = damaged(draw, text)
                if not claims_too_much(other, optimum):
                    continue
                copies += 1
                copy.write_text(other, encoding="utf-8")
                if accepts(copy):
                    print(f"a damaged copy of {file.name} was accepted:\n{other}", file=sys.stderr)
                    false += 1
    print(f"{len(files)} certificates checked, {refused} refused; {copies} damaged copies that claim too much, "
          f"{false} accepted")
    return 1 if refused or false or len(files) != int(count) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
