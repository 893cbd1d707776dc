"""Reads pictures on stdin, each ended by a form feed, and prints what is wrong with the text of each, a
line each: text below 6 pt on paper, text that leaves the picture, and texts that lie on each other. The
last line of a picture counts the texts, and a form feed follows. Widths are taken from Helvetica, which
the style sheets ask for first."""

import re
import sys
import xml.etree.ElementTree as tree

# Of the ASCII characters from the blank on, in thousandths of the font size (Adobe's metrics).
HELVETICA = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584]
BOLD = 1.07
SVG = "{http://www.w3.org/2000/svg}"


def font_sizes(sheet):
    """By class, in the units of the view box; "text" is the size without one."""
    sizes = {}
    for selectors, rules in re.findall(r"([^{}]+)\{([^{}]*)\}", sheet.split("@media")[0]):
        size = re.search(r"font-size: ([\d.]+)px", rules)
        for selector in selectors.split(","):
            if size:
                sizes[selector.strip().lstrip(".")] = float(size[1])
    return sizes


def width_of(text, size, bold):
    widths = [HELVETICA[ord(c) - 32] if 32 <= ord(c) < 127 else 1000 for c in text]
    return sum(widths) / 1000 * size * (BOLD if bold else 1)


def box_of(element, size):
    """Left, top, right and bottom of the letters."""
    classes = element.get("class", "").split()
    text = (element.text or "") + "".join(child.tail or "" for child in element)
    width = width_of(text, size, {"strong", "title", "value"} & set(classes))
    start = -width if "end" in classes else -width / 2 if "middle" in classes else 0
    turned = re.match(r"translate\(([\d.]+) ([\d.]+)\) rotate\(-90\)", element.get("transform", ""))
    if turned:
        x, y = float(turned[1]), float(turned[2])
        return text, (x - 0.72 * size, y - start - width, x + 0.2 * size, y - start)
    x, y = float(element.get("x")), float(element.get("y"))
    return text, (x + start, y - 0.72 * size, x + start + width, y + 0.2 * size)


def print_faults(picture):
    root = tree.fromstring(picture)
    _, _, width, height = map(float, root.get("viewBox").split())
    is_paper = root.get("width").endswith("mm")
    points = float(root.get("width")[:-2]) / 25.4 * 72 / width if is_paper else None
    sizes = font_sizes(root.find(SVG + "style").text)
    boxes = []
    for element in root.iter(SVG + "text"):
        known = [sizes[name] for name in element.get("class", "").split() if name in sizes]
        size = known[-1] if known else sizes["text"]
        text, box = box_of(element, size)
        if is_paper and size * points < 6:
            print("small", text, round(size * points, 2), sep="|")
        if box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height:
            print("outside", text, sep="|")
        for other, theirs in boxes:
            apart = (box[2] <= theirs[0] or theirs[2] <= box[0] or box[3] <= theirs[1] + 1
                     or theirs[3] <= box[1] + 1)
            if not apart:
                print("overlap", text, other, sep="|")
        boxes.append((text, box))
    print("texts", len(boxes), sep="|", end="\n\f", flush=True)


for one in sys.stdin.buffer.read().split(b"\f")[:-1]:
    print_faults(one)
