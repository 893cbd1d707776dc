"""What `poet` raises. Every class is a `PoetError`; the message is what the program said."""
from __future__ import annotations

from typing import Optional


class PoetError(Exception):
    """Base class of all errors of this package."""


class ProgramNotFound(PoetError):
    """There is no `poet-solve`, or it does not start."""


class InputError(PoetError, ValueError):
    """A model, platform, option or file that the program refuses.

    The message has the place, what was found and what was expected; one line for each mistake.
    """


class NoSchedule(PoetError):
    """No schedule was found before a limit was reached; there may be one.

    Attributes:
        reason: the program's explanation.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Infeasible(NoSchedule):
    """Proven: no schedule exists within the budgets.

    Attributes:
        reason: the program's explanation.
        smallest_ram: bytes; no smaller RAM budget can work. None if the RAM budget is not the reason.
        smallest_ram_is_exact: whether `smallest_ram` itself works.
        node: name of the node whose inputs and output alone exceed the RAM budget, if one does.
    """

    def __init__(self, reason: str, smallest_ram: Optional[int] = None, node: Optional[str] = None,
                 smallest_ram_is_exact: bool = False) -> None:
        super().__init__(reason)
        self.smallest_ram = smallest_ram
        self.node = node
        self.smallest_ram_is_exact = smallest_ram_is_exact


class InvalidSchedule(PoetError):
    """A schedule breaks a rule, or does not fit what is asked of it.

    Attributes:
        findings: one line for each violation, with stage and node.
    """

    def __init__(self, *findings: str) -> None:
        super().__init__(*findings)
        self.findings = list(findings)

    def __str__(self) -> str:
        return "\n".join(self.findings)


class ProgramError(PoetError):
    """The program crashed or reports an internal error; please report it."""
