"""`python -m poet ARGS` is `poet-solve ARGS`; so is the command that a wheel installs."""
import os
import sys

from ._program import find_program
from .errors import ProgramNotFound


def main() -> None:
    """Becomes the program."""
    try:
        program = find_program()
    except ProgramNotFound as error:
        sys.exit(f"poet: {error}")
    os.execv(program, ["poet-solve", *sys.argv[1:]])


if __name__ == "__main__":
    main()
