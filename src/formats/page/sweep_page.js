// A sweep: a panel for each model on each platform with a curve for each set of techniques and each
// other budget, and a table of all points. Points are buttons, so that keys reach their figures.

const data = JSON.parse(document.getElementById("data").textContent);

const DASHES = ["none", "8 3", "2 2.5", "8 3 2 3", "14 4"];
const budgetOf = (point) => (data.axis === "runtime" ? point.runtime_budget_ratio : point.ram_budget_bytes);
const budgetText = (value) => (data.axis === "runtime" ? `${digits(value)}×` : bytesText(value));
const hasSchedule = (point) => point.energy_joules !== null;
const overheadOf = (point, energy) => (point.baseline_energy_joules > 0 ? energy / point.baseline_energy_joules - 1 : 0);
const percentText = (share) => `${Number((100 * share).toPrecision(3))} %`;
const lineOf = (point) => (data.axis === "runtime" ? "" : `${digits(point.runtime_budget_ratio)}×`);

function pointText(point) {
  const parts = [`${point.techniques}, RAM budget ${bytesText(point.ram_budget_bytes)}, runtime budget ${digits(point.runtime_budget_ratio)}×`];
  parts.push(point.status);
  if (hasSchedule(point)) {
    parts.push(`${joulesText(point.energy_joules)}, ${percentText(overheadOf(point, point.energy_joules))} over the baseline`);
    parts.push(`bound ${joulesText(point.lower_bound_joules)}`);
  }
  return parts.join("\n");
}

function grouped(points, keyOf) {
  const groups = new Map();
  for (const point of points) {
    const key = keyOf(point);
    groups.set(key, [...(groups.get(key) || []), point]);
  }
  return [...groups];
}

// Axes are the same in all panels, so that heights can be compared.
const solved = data.points.filter(hasSchedule);
const most = Math.max(1e-9, ...solved.map((point) => overheadOf(point, point.energy_joules))) * 1.06;
const budgets = data.points.map(budgetOf);
const [least, largest] = [Math.min(...budgets), Math.max(...budgets)];
const span = largest > least ? largest - least : 1;
const xOf = (value) => 0.03 + (0.94 * (value - least)) / span;
const yOf = (share) => 1 - share / most;
const lines = [...new Set(data.points.map(lineOf))];

function curve(points) {
  const sorted = points.filter(hasSchedule).sort((a, b) => budgetOf(a) - budgetOf(b));
  const path = sorted.map((point, i) => `${i ? "L" : "M"}${xOf(budgetOf(point))} ${yOf(overheadOf(point, point.energy_joules))}`).join("");
  const dash = DASHES[lines.indexOf(lineOf(points[0])) % DASHES.length];
  return drawn("path", { class: `curve ${points[0].techniques}`, d: path, "stroke-dasharray": dash });
}

function pointButton(point) {
  const [x, y] = [xOf(budgetOf(point)), hasSchedule(point) ? yOf(overheadOf(point, point.energy_joules)) : 1];
  const text = pointText(point);
  const button = element("button", { class: `point ${point.techniques} ${point.status}`, type: "button", "aria-label": text, style: `left: ${100 * x}%; top: ${100 * y}%` });
  const near = () => {
    const box = button.getBoundingClientRect();
    showTip(text, box.right, box.top);
  };
  for (const name of ["pointerenter", "focus"]) button.addEventListener(name, near);
  for (const name of ["pointerleave", "blur"]) button.addEventListener(name, () => showTip("", 0, 0));
  return button;
}

function panelOf(title, points) {
  const yTicks = ticksFor(0, most, 5);
  const svg = drawn("svg", { viewBox: "0 0 1 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    yTicks.map((share) => drawn("line", { class: "grid", x1: 0, x2: 1, y1: yOf(share), y2: yOf(share) })),
    grouped(points, (point) => `${point.techniques} ${lineOf(point)}`).map(([, curvePoints]) => curve(curvePoints)));
  const ticks = element("div", { class: "ticks", "aria-hidden": "true" },
    yTicks.map((share) => element("span", { style: `top: ${100 * yOf(share)}%` }, percentText(share))));
  const under = element("div", { class: "under", "aria-hidden": "true" },
    ticksFor(least, largest, 4).map((value) => element("span", { style: `left: ${100 * xOf(value)}%` }, budgetText(value))));
  return element("section", { class: "panel" }, element("h2", {}, title),
    element("div", { class: "chart" }, ticks, svg, points.filter(hasSchedule).map(pointButton)), under);
}

function row(point) {
  const number = (value, format) => element("td", { class: "number" }, value === null ? "none" : figure(value, format));
  return element("tr", {}, element("td", {}, point.subject), element("td", {}, point.techniques),
    number(point.ram_budget_bytes, bytesText), number(point.runtime_budget_ratio, (ratio) => `${digits(ratio)}×`),
    element("td", {}, point.status), number(point.energy_joules, joulesText), number(point.lower_bound_joules, joulesText));
}

const heads = ["model", "techniques", "RAM budget", "runtime budget", "status", "energy", "bound"];
const sets = grouped(data.points, (point) => point.techniques);
document.body.append(
  element("header", {}, element("h1", {}, data.title), element("p", { class: "soft" }, "Energy above the baseline's over the ", data.axis === "runtime" ? "runtime" : "RAM", " budget. Filled points are proven optimal. All panels have the same axes.")),
  element("div", { class: "legend" }, sets.map(([name, points]) => element("span", {}, element("i", { class: points[0].techniques }), name)),
    lines.length > 1 ? lines.map((line, i) => element("span", {}, `${line} runtime: ${DASHES[i % DASHES.length] === "none" ? "solid" : `dashes ${DASHES[i % DASHES.length]}`}`)) : []),
  element("div", { class: "panels" }, grouped(data.points, (point) => point.subject).map(([subject, points]) => panelOf(subject, points))),
  element("h2", {}, "All points"),
  element("table", { id: "points" }, element("tr", {}, heads.map((head, i) => element("th", { scope: "col", class: [2, 3, 5, 6].includes(i) ? "number" : null }, head))), data.points.map(row)),
  tip);
