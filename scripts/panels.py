"""A figure of panels side by side, as SVG: each has a title, two axes and curves."""

WIDTH, HEIGHT, LEFT, TOP = 250, 190, 46, 28  # of a panel, and of what is left of its axes and above
RIGHT, BOTTOM = 12, 34
STEP = 130  # from one text of the legend to the next


def place(across, up):
    """Where a point is in a panel, from shares of its axes."""
    return LEFT + across * (WIDTH - RIGHT - LEFT), HEIGHT - BOTTOM - up * (HEIGHT - BOTTOM - TOP)


def panel(title, across, up, curves):
    """`across` and `up`: pairs of a share of the axis and a text. `curves`: colours with shares of both axes, and whether
    points are drawn."""
    bottom = HEIGHT - BOTTOM
    parts = [f'<text x="{LEFT}" y="16" font-weight="bold">{title}</text>',
             f'<path d="M{LEFT} {TOP}V{bottom}H{WIDTH - RIGHT}" fill="none" stroke="#999999"/>']
    for share, text in across:
        parts.append(f'<text x="{place(share, 0)[0]:.1f}" y="{bottom + 15}" text-anchor="middle">{text}</text>')
    for share, text in up:
        parts.append(f'<text x="{LEFT - 5}" y="{place(0, share)[1] + 4:.1f}" text-anchor="end">{text}</text>')
    for colour, points, has_points in curves:
        places = [place(*point) for point in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{2 if has_points else 1.5}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places if has_points]
    return "\n".join(parts)


def figure(panels, columns, legend, note):
    """`legend`: pairs of a colour and a text."""
    columns = min(columns, len(panels))
    width, height = columns * WIDTH + 10, -(-len(panels) // columns) * HEIGHT + 50
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11">',
             f'<rect width="{width}" height="{height}" fill="#ffffff"/>']
    for number, text in enumerate(panels):
        parts.append(f'<g transform="translate({number % columns * WIDTH} {number // columns * HEIGHT})">{text}</g>')
    for number, (colour, text) in enumerate(legend):
        x = LEFT + number * STEP
        parts.append(f'<rect x="{x}" y="{height - 38}" width="14" height="4" fill="{colour}"/>'
                     f'<text x="{x + 20}" y="{height - 32}">{text}</text>')
    parts.append(f'<text x="{LEFT}" y="{height - 12}">{note}</text>')
    return "\n".join(parts) + "\n</svg>\n"
