"""PyTorch, or a word about what is missing."""
from __future__ import annotations

import importlib
from typing import Any

try:
    torch: Any = importlib.import_module("torch")
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ImportError("PyTorch is not installed (Debian: python3-torch; elsewhere: pip install torch)",
                      name="torch") from None
