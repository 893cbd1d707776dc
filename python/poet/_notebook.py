"""What a notebook shows: pictures as images, which exported pages keep, and figures as tables."""
from __future__ import annotations

import base64
import html
from typing import Dict


def image(svg: str) -> str:
    """The picture as HTML. nbconvert takes an <svg> apart, and leaves an <img> as it is."""
    return f'<img src="data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}">'


def table(rows: Dict[str, str]) -> str:
    """Lines of a name and a figure, for a terminal."""
    width = max(map(len, rows))
    return "\n".join(f"{name:<{width}}  {figure}" for name, figure in rows.items())


def html_table(rows: Dict[str, str]) -> str:
    """The same for a notebook."""
    lines = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(figure)}</td></tr>"
                    for name, figure in rows.items())
    return f"<table>{lines}</table>"


def figure(value: object, unit: str) -> str:
    """`1.234 J`, whole numbers with all digits; a dash for what is unknown."""
    if value is None:
        return "-"
    return (f"{value:,} {unit}" if isinstance(value, int) else f"{value:.4g} {unit}").strip()
