"""Tables and the figure of docs/pytorch.md, from the rows of pytorch_tables.py."""
import statistics

OURS = ("80%", "60%", "40%", "least")
#: Of the figure, with the class of its marks.
SERIES = {"ours": OURS, "pages": tuple(f"{way}, pages" for way in OURS), "updates": ("40%, updates inside",),
          "checkpoint": ("checkpoint",), "hooks": ("hooks to disk",)}
NAMES = {"ours": "scheduled: 80, 60, 40 %, least", "pages": "with page files", "updates": "40 %, with updates inside",
         "checkpoint": "torch.utils.checkpoint", "hooks": "all saved tensors to a file"}
STYLE = """
text { font: 11px Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif; fill: #1f2328 }
.name { font-weight: bold } .end { text-anchor: end } .middle { text-anchor: middle } .note { fill: #59636e }
svg, .paper { background: #ffffff; fill: #ffffff } .axis, .one { fill: none; stroke: #8c959f }
.one { stroke-dasharray: 3 3 } polyline { fill: none; stroke-width: 1.5 }
.ours { fill: #0072b2; stroke: #0072b2 } .pages { fill: #ffffff; stroke: #009e73; stroke-width: 1.5 }
.checkpoint { fill: #d55e00; stroke: #d55e00 } .hooks { fill: #cc79a7; stroke: #cc79a7 } .updates { fill: #1f2328 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .note { fill: #9aa4af } svg, .paper { background: #15181c; fill: #15181c }
  .ours { fill: #56b4e9; stroke: #56b4e9 } .pages { fill: #15181c } .updates { fill: #e6edf3 }
}
polyline.ours, polyline.pages { fill: none }
"""
WIDTH, HEIGHT, COLUMNS = 214, 168, 4
LEFT, RIGHT, TOP, BOTTOM = 34, 200, 24, 134
#: Times of the figure.
LEAST, MOST = 0.6, 2


def time_of(row, clock="cpu"):
    """Beside eager mode's: the median of what each sample is beside the one before it."""
    return statistics.median(other / eager for eager, other in zip(*row[clock]))


def spread_of(samples):
    """What lies between the second and the second last of them, beside the median."""
    samples = sorted(samples)
    return (samples[-2] - samples[1]) / statistics.median(samples)


def eager_seconds(found):
    """Of a step of this network: the median over its ways."""
    return statistics.median(statistics.median(row["cpu"][0]) for row in found.values())


def fits(row):
    """Whether the process grew by the budget at most, 10 % and 8 MB."""
    return row["resident"] <= 1.1 * row["budget"] + 8e6


def measured(rows):
    return {way: row for way, row in rows.items() if "error" not in row}


def way_rows(name, rows):
    found = measured(rows)
    one = next(iter(found.values()))
    yield (f"| **{name}** | eager | {one['eager'] / 1e6:.1f} MB | {one['eager_resident'] / 1e6:.1f} MB | "
           f"{eager_seconds(found):.3f} s | | | |")
    for way, row in rows.items():
        if "error" in row:
            yield f"| | {way} | {'not possible' if way == 'checkpoint' else 'no schedule'} | | | | | |"
            continue
        ratio = f"{row['ratio']:.2f}" if "ratio" in row else ""
        size = f"{row['resident'] / 1e6:.1f} MB{'' if 'budget' not in row or fits(row) else ' !'}"
        yield (f"| | {way} | {row['peak'] / row['eager']:.1%} | {size} | {time_of(row):.2f} | "
               f"{time_of(row, 'wall'):.2f} | {ratio} | {' '.join(row['bits'])} |")


def predicted_rows(name, rows):
    """Time and predicted time, within 10 % or in bold."""
    found = measured(rows)
    if not set(OURS) & set(found):
        return
    spread = max(spread_of(found[way]["cpu"][0]) for way in OURS if way in found)
    one = next(iter(found.values()))
    cells = []
    for way in OURS:
        if way not in found:
            cells.append("")
            continue
        row = found[way]
        text = f"{time_of(row):.2f} ({row['ratio']:.2f})"
        cells.append(text if abs(time_of(row) / row["ratio"] - 1) <= 0.1 else f"**{text}**")
    yield f"| {name} | {1000 * eager_seconds(found) / one['calls']:.2f} | {spread:.1%} | " + " | ".join(cells) + " |"


def checkpoint_rows(name, rows):
    found = measured(rows)
    if "checkpoint" in found and "as checkpoint" in found:
        its, mine = found["checkpoint"], found["as checkpoint"]
        yield (f"| {name} | {its['segments']} | {its['peak'] / its['eager']:.1%} | {time_of(its):.2f} | "
               f"{mine['peak'] / mine['eager']:.1%} | {time_of(mine):.2f} | {mine['ratio']:.2f} |")


def mark(kind, x, y):
    if kind in ("ours", "pages"):
        return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
    if kind == "hooks":
        return f'<rect class="hooks" x="{x - 3:.1f}" y="{y - 3:.1f}" width="6" height="6"/>'
    shape = f"M{x:.1f} {y - 4.5:.1f}l" + ("4.5 4.5 -4.5 4.5 -4.5 -4.5z" if kind == "checkpoint" else "4.5 8 -9 0z")
    return f'<path class="{kind}" d="{shape}"/>'


def panel(name, rows):
    found = measured(rows)

    def place(row):
        high = max(LEAST, min(time_of(row), MOST))
        return (LEFT + (RIGHT - LEFT) * min(row["peak"] / row["eager"], 1),
                BOTTOM - (BOTTOM - TOP) * (high - LEAST) / (MOST - LEAST))

    def height(value):
        return BOTTOM - (BOTTOM - TOP) * (value - LEAST) / (MOST - LEAST)

    yield f'<text class="name" x="{LEFT}" y="14">{name}</text>'
    yield f'<path class="axis" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>'
    yield f'<path class="one" d="M{LEFT} {height(1):.1f}H{RIGHT}"/>'
    for value in (1, 1.5, MOST):
        yield f'<text class="note end" x="{LEFT - 4}" y="{height(value) + 4:.1f}">{value:g}</text>'
    for share in (0, 50, 100):
        yield (f'<text class="note middle" x="{LEFT + (RIGHT - LEFT) * share / 100:.0f}" y="{BOTTOM + 14}">'
               f'{share} %</text>')
    for kind, ways in SERIES.items():
        points = [place(found[way]) for way in ways if way in found]
        if len(points) > 1:
            yield f'<polyline class="{kind}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}"/>'
        yield from (mark(kind, *point) for point in points)


def figure(results):
    """A panel for each network: processor time over the peak, both as shares of eager mode's."""
    lines = -(-len(results) // COLUMNS)
    width, height = COLUMNS * WIDTH + 8, lines * HEIGHT + 80
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
             "<title>Processor time of a training step over its peak of RAM, for each network and way</title>",
             f"<style>{STYLE}</style>", f'<rect class="paper" width="{width}" height="{height}"/>']
    for number, (name, rows) in enumerate(results.items()):
        parts.append(f'<g transform="translate({number % COLUMNS * WIDTH} {number // COLUMNS * HEIGHT})">')
        parts += [*panel(name, rows), "</g>"]
    bottom = lines * HEIGHT + 14
    for number, (kind, text) in enumerate(NAMES.items()):
        x, y = LEFT + number % 3 * 280, bottom + 18 * (number // 3)
        parts += [mark(kind, x, y - 4), f'<text x="{x + 10}" y="{y}">{text}</text>']
    for line, text in enumerate((
            "Across: the peak of live storages, as a share of eager mode's. Up: processor time, as a multiple of eager "
            "mode's;", f"what is outside of {LEAST} to {MOST} is drawn at the edge.")):
        parts.append(f'<text class="note" x="{LEFT - 4}" y="{bottom + 42 + 15 * line}">{text}</text>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


TABLES = {
    "table": ("| network | way | peak | RSS | time | wall | predicted | equal |\n"
              "|---|---|---:|---:|---:|---:|---:|---|", way_rows),
    "predicted": ("| network | ms a call | spread of eager | 80% | 60% | 40% | least |\n"
                  "|---|---:|---:|---:|---:|---:|---:|", predicted_rows),
    "checkpoint": ("| network | segments | its peak | its time | peak | time | predicted |\n"
                   "|---|---:|---:|---:|---:|---:|---:|", checkpoint_rows)}


def planned(results):
    return [row for rows in results.values() for row in measured(rows).values() if "budget" in row]


def said_of_memory(results):
    """How many rows hold what is promised of memory."""
    rows = planned(results)
    within = sum(row["peak"] <= row["budget"] for row in rows)
    near = sum(abs(row["peak"] / row["predicted"] - 1) <= 0.001 for row in rows)
    return (f"Of {len(rows)} schedules, {within} have their measured peak within the budget, {near} within 0.1 % of "
            f"the predicted one, and {sum(map(fits, rows))} grow the process by the budget, 10 % and 8 MB at most. "
            f"{sum(row['bits'] == 'gbr' for row in rows)} have eager mode's bits.")


def said_of_time(results):
    """How many times are near the predicted ones."""
    cells = [(row, spread_of(row["cpu"][0]), eager_seconds(found) / row["calls"])
             for found in map(measured, results.values()) for way, row in found.items() if way in OURS]
    near = [abs(time_of(row) / row["ratio"] - 1) <= 0.1 for row, _, _ in cells]
    calm = [is_near for is_near, (_, spread, seconds) in zip(near, cells) if spread < 0.05 and seconds > 0.001]
    long = [is_near for is_near, (_, _, seconds) in zip(near, cells) if seconds > 0.001]
    return (f"{sum(near)} of {len(near)} times are within 10 % of the predicted ones; of networks above 1 ms a call, "
            f"{sum(long)} of {len(long)}, of which {len(calm)} met a machine so calm that eager mode's samples spread "
            "by less than 5 %.")


def said_of_checkpoint(results):
    pairs = [(found["checkpoint"], found["as checkpoint"]) for found in map(measured, results.values())
             if "checkpoint" in found and "as checkpoint" in found]
    faster = sum(time_of(mine) < time_of(its) for its, mine in pairs)
    return f"The schedule takes less time on {faster} of {len(pairs)} networks."


SAID = {"table": said_of_memory, "predicted": said_of_time, "checkpoint": said_of_checkpoint}


def write(page, results):
    """Puts the tables between their marks, and the figure into the folder of pictures beside the page."""
    results = {name: rows for name, rows in results.items() if measured(rows)}
    text = page.read_text(encoding="utf-8")
    for key, (head, rows_of) in TABLES.items():
        begin, end = f"<!-- {key} -->\n", f"<!-- end of {key} -->"
        lines = [head, *(line for name, rows in results.items() for line in rows_of(name, rows)), "",
                 SAID[key](results)]
        text = text[:text.index(begin)] + begin + "\n".join(lines) + "\n" + text[text.index(end):]
    page.write_text(text, encoding="utf-8")
    (page.parent / "pictures" / "pytorch.svg").write_text(figure(results), encoding="utf-8")
