// The three charts of a schedule. Each is an SVG in the units of the data: x counts computations, y
// bytes or rows. So to zoom is to change a view box, and nothing is drawn anew.

const ARRIVALS = ["computed", "recomputed", "paged_in"];
const KINDS = [...ARRIVALS, "workspace"];
const LABELS = {
  computed: "computed", recomputed: "recomputed", paged_in: "paged in", workspace: "workspace",
};

// An area from `from` to `upto`, both by computation.
function areaPath(from, upto) {
  const n = upto.length;
  const parts = [`M0 ${-from[0]}`];
  for (let i = 0; i < n; ++i) parts.push(`V${-upto[i]}H${i + 1}`);
  for (let i = n - 1; i >= 0; --i) parts.push(`V${-from[i]}H${i}`);
  return `${parts.join("")}Z`;
}

// y grows downwards in SVG, and bytes upwards: charts of bytes have negative y.
function memoryChart(data) {
  const n = data.columns.ram.length;
  const top = 1.04 * Math.max(data.summary.peak_ram_bytes, drawnBudget(data));
  const svg = drawn("svg", { height: 220, viewBox: `0 ${-top} ${n} ${top}`, preserveAspectRatio: "none" });
  let from = new Array(n).fill(0);
  for (const kind of KINDS) {
    const upto = from.map((bytes, i) => bytes + data.columns[kind][i]);
    svg.append(drawn("path", { class: kind, d: areaPath(from, upto) }));
    from = upto;
  }
  return { svg, top };
}

// A budget far above the peak would leave nothing to see; the figures name it.
function drawnBudget(data) {
  const budget = data.request.ram_budget_bytes;
  return budget <= 2 * data.summary.peak_ram_bytes ? budget : 0;
}

// The bank that has an offset, if the schedule is in banks.
function bankAt(data, offset) {
  return [...(data.summary.banks || [])].reverse().find((bank) => bank.used_bytes > 0 && bank.offset <= offset);
}

// [node, first, last, offset, bytes, kind], as the program places them. A line begins each bank.
function arenaChart(data) {
  const n = data.columns.ram.length;
  const top = 1.04 * Math.max(data.summary.arena_bytes || 0, drawnBudget(data), 1);
  const svg = drawn("svg", { height: 300, viewBox: `0 ${-top} ${n} ${top}`, preserveAspectRatio: "none" });
  const edge = data.arena.length <= 800 ? "edge " : "";  // more would cover what they part
  for (const [node, first, last, offset, bytes, kind] of data.arena) {
    const box = drawn("rect", {
      class: `${edge}${KINDS[kind]}`, x: first, y: -(offset + bytes), width: last + 1 - first, height: bytes,
    });
    box.dataset.node = node;
    svg.append(box);
  }
  for (const bank of data.summary.banks || []) {
    if (bank.offset === 0 || bank.used_bytes === 0) continue;
    svg.append(drawn("line", { class: "bank", x1: 0, x2: n, y1: -bank.offset, y2: -bank.offset }));
  }
  return { svg, top };
}

const LOW_ROWS = 160;  // more get less height

function laneChart(data) {
  const n = data.columns.ram.length;
  const rows = data.nodes.length;
  const height = rows * (rows <= LOW_ROWS ? 11 : 4);
  const svg = drawn("svg", { height, viewBox: `0 0 ${n} ${rows}`, preserveAspectRatio: "none" });
  data.nodes.forEach((node, row) => {
    const ends = node.stays.map(([, last]) => last);
    node.page_outs.forEach((at) => {
      const back = node.stays.find(([first, , arrival]) => ARRIVALS[arrival] === "paged_in" && first > at);
      if (back) svg.append(drawn("line", { class: "stored", x1: Math.max(at, ...ends.filter((end) => end < back[0])), x2: back[0], y1: row + 0.5, y2: row + 0.5 }));
    });
    for (const [first, last, arrival] of node.stays) {
      if (last < first) continue;
      const box = drawn("rect", { class: ARRIVALS[arrival], x: first, y: row + 0.1, width: last + 1 - first, height: 0.8 });
      box.dataset.node = row;
      svg.append(box);
    }
  });
  return { svg, top: rows };
}

// Lines that all charts have: the first backward computation, the budget, and the step.
function addLines(data, { svg, top }, isLanes) {
  const n = data.columns.ram.length;
  const [low, high] = isLanes ? [0, top] : [-top, 0];
  const budget = drawnBudget(data);
  if (!isLanes && budget > 0) svg.append(drawn("line", { class: "budget", x1: 0, x2: n, y1: -budget, y2: -budget }));
  if (data.boundary > 0) svg.append(drawn("line", { class: "boundary", x1: data.boundary, x2: data.boundary, y1: low, y2: high }));
  const cursor = drawn("line", { class: "cursor", y1: low, y2: high });
  svg.append(cursor);
  return cursor;
}
