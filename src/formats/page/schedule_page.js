// A schedule: figures, a slider over its computations, three charts that zoom together, and what is
// known of one tensor. `step` is a computation, `chosen` a node; everything that depends on them is
// set in show().

const data = JSON.parse(document.getElementById("data").textContent);
const columns = data.columns;
const count = columns.ram.length;
const returning = data.nodes.flatMap((node, i) => (node.recompute_count + node.page_in_count > 0 ? [i] : []));
const state = { step: 0, chosen: -1, left: 0, right: count };

function stepText(step) {
  const node = columns.node[step];
  const again = node !== columns.stage[step];
  return `computation ${step + 1} of ${count}, stage ${columns.stage[step]}: ${again ? "recompute " : ""}${nameOf(node)}; ` +
    `RAM ${bytesText(columns.ram[step])}; ${joulesText(columns.energy[step])} so far`;
}

// --- the page --------------------------------------------------------------------------------

const FIGURES = [
  ["energy", "energy_joules", joulesText], ["baseline's energy", "baseline_energy_joules", joulesText],
  ["proven bound", "lower_bound_joules", joulesText], ["peak RAM", "peak_ram_bytes", bytesText],
  ["baseline's peak RAM", "baseline_peak_ram_bytes", bytesText], ["arena", "arena_bytes", bytesText],
  ["time of all banks", "bank_seconds", secondsText], ["energy of all banks", "bank_joules", joulesText],
  ["runtime", "runtime_seconds", secondsText], ["recomputations", "recompute_count", countText],
  ["page-outs", "page_out_count", countText], ["page-ins", "page_in_count", countText],
  ["written", "page_out_bytes", bytesText], ["read back", "page_in_bytes", bytesText]];

function figures() {
  const entries = FIGURES.filter(([, key]) => typeof data.summary[key] === "number")
    .map(([label, key, format]) => [label, key, data.summary[key], format]);
  entries.push(["RAM budget", "ram_budget_bytes", data.request.ram_budget_bytes, bytesText],
    ["runtime budget", "runtime_budget_seconds", data.request.runtime_budget_seconds, secondsText]);
  return element("dl", { class: "figures" }, entries.map(([label, key, value, format]) =>
    element("div", { id: `figure-${key}` }, element("dt", {}, label), element("dd", {}, figure(value, format)))));
}

const slider = element("input", { type: "range", id: "step", min: 0, max: count - 1, value: 0, "aria-label": "computation", oninput: () => go(Number(slider.value)) });
const readout = element("output", { for: "step", class: "soft", "aria-live": "polite" });
const search = element("input", { type: "search", id: "search", placeholder: "search for a tensor", "aria-label": "search for a tensor", oninput: () => listHits(), onkeydown: (event) => { if (event.key === "Enter" && hitNodes().length) choose(hitNodes()[0]); } });
const hits = element("ul", { class: "hits" });
const panel = element("aside", { id: "tensor", "aria-live": "polite" });
const charts = [memoryChart(data), arenaChart(data), laneChart(data)];
const cursors = charts.map((chart, i) => addLines(data, chart, i === 2));
const under = element("div", { class: "under" });
const isLong = data.nodes.length > LOW_ROWS;
const laneBox = element("div", { class: isLong ? "lanes long" : "lanes" });

function hitNodes() {
  const words = search.value.trim().toLowerCase();
  if (words === "") return [];
  return data.nodes.flatMap((node, i) => (`${node.name} ${node.op}`.toLowerCase().includes(words) ? [i] : []));
}

const MOST_HITS = 200;

function listHits() {
  const found = hitNodes();
  const shown = found.slice(0, MOST_HITS);
  const cut = found.length > shown.length ? `, of which ${shown.length} are listed` : "";
  const total = `${found.length} of ${data.nodes.length} tensors have this name or op${cut}`;
  hits.replaceChildren(...(search.value.trim() === "" ? [] : [element("li", { class: "soft" }, total)]),
    ...shown.map((node) => element("li", {}, tensorButton(node))));
}

function chartBox({ svg, top }, format) {
  const labels = format ? ticksFor(0, top, 5).map((value) => element("span", { style: `top: ${100 * (1 - value / top)}%` }, format(value))) : [];
  return element("div", { class: "chart" }, element("div", { class: "ticks", "aria-hidden": "true" }, labels), svg);
}

// Binary multiples look round in KiB.
function memoryTicks(chart) {
  const unit = 1024 ** Math.floor(Math.log2(Math.max(chart.top, 1)) / 10);
  const box = chartBox(chart, null);
  box.firstChild.append(...ticksFor(0, chart.top / unit, 5).map((value) =>
    element("span", { style: `top: ${100 * (1 - (value * unit) / chart.top)}%` }, bytesText(value * unit))));
  return box;
}

// A name beside each row; where rows are too low, beside every third.
function laneNames() {
  const box = chartBox(charts[2], null);
  const rows = data.nodes.length;
  const every = isLong ? 3 : 1;
  box.firstChild.append(...data.nodes.flatMap((node, row) => (row % every ? [] :
    [element("span", { title: node.name, style: `top: ${(100 * (row + 0.5)) / rows}%` }, node.name)])));
  return box;
}

function changed() {
  return element("details", {}, element("summary", {}, `${returning.length} of ${data.nodes.length} tensors are recomputed or paged`),
    element("table", { class: "changed" }, returning.map((i) => element("tr", {}, element("td", {}, tensorButton(i)), element("td", { class: "number" }, bytesText(data.nodes[i].bytes)), element("td", {}, fateText(data.nodes[i]))))));
}

function build() {
  const zoomButton = (text, label, act) => element("button", { type: "button", "aria-label": label, onclick: act }, text);
  charts[0].svg.setAttribute("aria-label", "RAM over the computations of the step, by how tensors came");
  charts[1].svg.setAttribute("aria-label", "addresses over the computations of the step");
  charts[2].svg.setAttribute("aria-label", "the time in RAM of each tensor");
  charts.forEach((chart, i) => connect(chart, i));
  laneBox.append(laneNames());
  const hasArena = data.arena.length > 0;
  document.body.append(
    element("header", {}, element("h1", {}, data.title), element("p", { class: "soft", id: "status" }, data.status), figures()),
    element("div", { class: "bar" },
      element("span", { class: "grow" }, zoomButton("◂", "one computation back", () => go(state.step - 1)), slider, zoomButton("▸", "one computation on", () => go(state.step + 1))),
      element("span", {}, zoomButton("−", "zoom out", () => zoom(2)), " ", zoomButton("+", "zoom in", () => zoom(0.5)), " ", zoomButton("all", "show all computations", () => view(0, count))),
      search),
    readout,
    element("div", { class: "columns" },
      element("main", {},
        element("div", { class: "legend" }, KINDS.map((kind) => element("span", {}, element("i", { class: kind }), LABELS[kind])), element("span", {}, "dashed: RAM budget; dotted: first backward stage")),
        element("h2", {}, "RAM"), memoryTicks(charts[0]),
        element("h2", {}, "Arena"), hasArena ? memoryTicks(charts[1]) : element("p", { class: "soft" }, "The file has no offsets; poet-solve place adds them."),
        element("h2", {}, `Tensors: all ${data.nodes.length}, a row each${isLong ? "; scroll in the chart" : ""}`), laneBox, under,
        element("details", {}, element("summary", {}, "keys"), element("p", {}, "In a chart: ", element("kbd", {}, "←"), " ", element("kbd", {}, "→"), " a computation back or on (with Shift ten), ", element("kbd", {}, "↑"), " ", element("kbd", {}, "↓"), " the next tensor in RAM, ", element("kbd", {}, "+"), " ", element("kbd", {}, "−"), " zoom, ", element("kbd", {}, "0"), " all. The wheel zooms, dragging moves.")),
        changed()),
      element("div", {}, hits, panel)),
    tip);
}

// --- state -----------------------------------------------------------------------------------

function go(step) {
  state.step = Math.min(count - 1, Math.max(0, step));
  const width = state.right - state.left;
  if (state.step < state.left || state.step >= state.right) view(state.step - width / 2, state.step + width / 2);
  show();
}

function choose(node) {
  state.chosen = node;
  panel.replaceChildren(...tensorPanel(node));
  const box = laneBox.querySelector("svg").getBoundingClientRect();
  laneBox.scrollTop = (node / data.nodes.length) * box.height - laneBox.clientHeight / 2;
  show();
}

function view(left, right) {
  const width = Math.min(count, Math.max(Math.min(8, count), right - left));
  state.left = Math.min(count - width, Math.max(0, left));
  state.right = state.left + width;
  for (const { svg } of charts) {
    const box = svg.viewBox.baseVal;
    box.x = state.left;
    box.width = width;
  }
  show();
}

function zoom(factor, around = state.step + 0.5) {
  const middle = Math.min(state.right, Math.max(state.left, around));
  view(middle - (middle - state.left) * factor, middle + (state.right - middle) * factor);
}

function show() {
  slider.value = state.step;
  slider.setAttribute("aria-valuetext", stepText(state.step));
  readout.textContent = stepText(state.step);
  for (const cursor of cursors) {
    cursor.setAttribute("x1", state.step + 0.5);
    cursor.setAttribute("x2", state.step + 0.5);
  }
  for (const { svg } of charts.slice(1)) {
    for (const box of svg.querySelectorAll(".selected")) box.classList.remove("selected");
    for (const box of svg.querySelectorAll(`[data-node="${state.chosen}"]`)) box.classList.add("selected");
  }
  const width = state.right - state.left;
  under.replaceChildren(...ticksFor(state.left, state.right - 1, 8).filter(Number.isInteger).map((at) =>
    element("span", { style: `left: ${(100 * (at + 0.5 - state.left)) / width}%` }, `stage ${columns.stage[at]}`)));
}

// --- pointer and keys ------------------------------------------------------------------------

// The tensors in RAM during a computation, from the lowest address up.
function inRam(step) {
  const here = data.arena.filter(([, first, last, , , kind]) => first <= step && step <= last && KINDS[kind] !== "workspace");
  return here.sort((a, b) => a[3] - b[3]).map(([node]) => node);
}

function placeOf(chart, event) {
  const box = chart.svg.getBoundingClientRect();
  const viewed = chart.svg.viewBox.baseVal;
  return {
    x: viewed.x + ((event.clientX - box.left) / box.width) * viewed.width,
    y: viewed.y + ((event.clientY - box.top) / box.height) * viewed.height,
  };
}

function nodeAt(index, place) {
  if (index === 2) return Math.min(data.nodes.length - 1, Math.max(0, Math.floor(place.y)));
  if (index === 0) return -1;
  const hit = data.arena.find(([, first, last, offset, bytes, kind]) => first <= place.x && place.x < last + 1 &&
    offset <= -place.y && -place.y < offset + bytes && KINDS[kind] !== "workspace");
  return hit ? hit[0] : -1;
}

function tipText(index, place) {
  const step = Math.min(count - 1, Math.max(0, Math.floor(place.x)));
  if (index === 0) return [stepText(step), ...KINDS.filter((kind) => columns[kind][step] > 0).map((kind) => `${LABELS[kind]}: ${bytesText(columns[kind][step])}`)].join("\n");
  const node = nodeAt(index, place);
  if (node < 0) return "";
  const bank = index === 1 ? bankAt(data, -place.y) : undefined;
  return `${nameOf(node)}\n${data.nodes[node].op}, ${bytesText(data.nodes[node].bytes)}${bank ? `, in the bank ${bank.name}` : ""}\n${fateText(data.nodes[node])}`;
}

function connect(chart, index) {
  const { svg } = chart;
  let drag = null;
  svg.setAttribute("tabindex", 0);
  svg.setAttribute("role", "group");
  svg.addEventListener("pointermove", (event) => {
    const place = placeOf(chart, event);
    if (drag && event.buttons) {
      const moved = drag.x - place.x;
      if (Math.abs(event.clientX - drag.clientX) > 3) drag.moves = true;
      if (drag.moves) view(state.left + moved, state.right + moved);
    }
    showTip(tipText(index, place), event.clientX, event.clientY);
  });
  svg.addEventListener("pointerleave", () => showTip("", 0, 0));
  svg.addEventListener("pointerdown", (event) => { drag = { ...placeOf(chart, event), clientX: event.clientX, moves: false }; });
  svg.addEventListener("pointerup", (event) => {
    if (drag && !drag.moves) {
      const place = placeOf(chart, event);
      const node = nodeAt(index, place);
      if (node >= 0) choose(node);
      go(Math.floor(place.x));
    }
    drag = null;
  });
  svg.addEventListener("wheel", (event) => {
    if (index === 2 && !event.ctrlKey) return;  // it scrolls the lanes
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, placeOf(chart, event).x);
  }, { passive: false });
  svg.addEventListener("keydown", onKey);
}

function onKey(event) {
  const far = event.shiftKey ? 10 : 1;
  const there = inRam(state.step);
  const at = there.indexOf(state.chosen);
  const acts = {
    ArrowLeft: () => go(state.step - far),
    ArrowRight: () => go(state.step + far),
    ArrowUp: () => there.length && choose(there[(at + 1) % there.length]),
    ArrowDown: () => there.length && choose(there[(Math.max(at, 0) + there.length - 1) % there.length]),
    "+": () => zoom(0.5),
    "-": () => zoom(2),
    0: () => view(0, count),
    Home: () => go(0),
    End: () => go(count - 1),
  };
  if (!(event.key in acts)) return;
  event.preventDefault();
  acts[event.key]();
}

// Where a reader would look first: the peak, and the largest tensor that leaves and returns.
build();
go(columns.ram.indexOf(Math.max(...columns.ram)));
choose(returning.length
  ? returning.reduce((best, i) => (data.nodes[i].bytes > data.nodes[best].bytes ? i : best))
  : columns.node[state.step]);
