// What both pages use: elements, figures as people read them, and a tip beside the pointer.
// Text comes from files of users, so it only ever becomes the text of an element.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null));
  return node;
}

function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function drawn(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function digits(value) {
  return String(Number(value.toPrecision(4)));
}

function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  let value = bytes;
  while (Math.abs(value) >= 1023.5 && unit + 1 < units.length) {
    value /= 1024;
    ++unit;
  }
  return `${digits(value)} ${units[unit]}`;
}

function prefixed(value, unit) {
  const prefixes = [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];
  if (value === 0) return `0 ${unit}`;
  const [factor, prefix] = prefixes.find(([least]) => Math.abs(value) >= least) || prefixes[3];
  return `${digits(value / factor)} ${prefix}${unit}`;
}

const joulesText = (joules) => prefixed(joules, "J");
const secondsText = (seconds) => prefixed(seconds, "s");
const countText = (count) => String(count);

function changeText(value, reference) {
  if (!(reference > 0)) return value === reference ? "±0 %" : "from nothing";
  const percent = 100 * (value / reference - 1);
  return `${percent > 0 ? "+" : ""}${Number(percent.toPrecision(3))} %`;
}

// A figure with every digit in its attribute, so that programs read what the file says.
function figure(value, format) {
  return element("data", { value }, format(value));
}

// Values for ticks: at most `most`, at whole multiples of 1, 2 or 5 times a power.
function ticksFor(low, high, most) {
  if (!(high > low)) return [low];
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((width) => width >= rough);
  const ticks = [];
  for (let value = Math.ceil(low / step) * step; value <= high * (1 + 1e-12); value += step) ticks.push(value);
  return ticks;
}

const tip = element("div", { class: "tip", role: "tooltip", hidden: "" });

function showTip(text, x, y) {
  tip.hidden = text === "";
  if (tip.hidden) return;
  tip.textContent = text;
  const left = x + 14 + tip.offsetWidth > window.innerWidth ? x - 14 - tip.offsetWidth : x + 14;
  const top = y + 14 + tip.offsetHeight > window.innerHeight ? y - 14 - tip.offsetHeight : y + 14;
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${Math.max(0, top)}px`;
}
