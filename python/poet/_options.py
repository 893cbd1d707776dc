"""Values of Python as words of the command line."""
from __future__ import annotations

import operator
import os
from decimal import Decimal
from typing import Iterable, List, Mapping, Sequence, SupportsFloat, SupportsIndex, Union

#: A RAM budget: bytes as a number from 1; a share of what keeping everything takes as a float below 1; or text as on
#: the command line: "256KiB", "60%", "min", "chip".
Size = Union[int, float, str]
#: A runtime budget: a multiple of the time to compute every node once, or text as on the command line: "12.5s", "1.5x".
Duration = Union[int, float, str]
PathLike = Union[str, "os.PathLike[str]"]


def size_word(size: Size) -> str:
    """A size as the program reads it. Fractions of a byte are dropped, as they are of "1.5KiB"."""
    if isinstance(size, str):
        return size
    if isinstance(size, bool):
        raise TypeError(f"found {size}, expected a size: bytes, a share below 1, or text such as '256KiB'")
    if isinstance(size, SupportsIndex):
        return str(operator.index(size))
    number = float(size)
    return str(int(number)) if 1 <= number < float("inf") else number_word(number)


def number_word(number: Union[SupportsFloat, str]) -> str:
    """A number with all its digits and without an exponent, which budgets may not have."""
    if isinstance(number, str):
        return number
    value = Decimal(repr(float(number)))
    return format(value, "f") if value.is_finite() else str(float(number))


def options(values: Mapping[str, Union[str, int, float, "os.PathLike[str]", bool, None]]) -> List[str]:
    """Options with their values; None and False leave an option out, True is an option without a value."""
    words: List[str] = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        words.append(name)
        if value is not True:
            words.append(number_word(value) if isinstance(value, float) else os.fspath(value)
                         if isinstance(value, os.PathLike) else str(value))
    return words


def several(values: Union[Size, Sequence[Size]]) -> List[Size]:
    """One value, or all of a sequence."""
    if isinstance(values, (str, int, float)) or not isinstance(values, Iterable):
        return [values]
    return list(values)
