// What is known of one tensor: what becomes of it, and what the other treatments would cost. `data`
// and choose() are the page's.

const nameOf = (node) => data.nodes[node].name;

function times(number, what) {
  return number === 1 ? `${what} once` : `${what} ${number} times`;
}

function fateText(node) {
  const parts = [];
  if (node.recompute_count) parts.push(times(node.recompute_count, "recomputed"));
  if (node.page_in_count) parts.push(times(node.page_in_count, "paged out and in"));
  if (parts.length) return parts.join(" and ");
  if (node.gap[0] < 0) return "kept: no stage lies between two of its uses";
  return `kept, also between its uses in stages ${node.gap[0]} and ${node.gap[1]}`;
}

function verdictText(alternative) {
  if (!alternative.replayed) return `not possible: ${alternative.obstacle}`;
  return alternative.obstacle === "" ? "would be valid" : `not valid: ${alternative.obstacle}`;
}

const PHRASES = { keep: "keep it", recompute: "recompute it", page: "page it" };

function alternativeRow(alternative) {
  const { energy_joules: energy, runtime_seconds: runtime, peak_ram_bytes: peak } = data.summary;
  const cells = alternative.replayed
    ? [changeText(alternative.energy_joules, energy), changeText(alternative.runtime_seconds, runtime),
       changeText(alternative.peak_ram_bytes, peak)]
    : ["", "", ""];
  return [
    element("tr", {}, element("th", { scope: "row" }, PHRASES[alternative.treatment]),
      ...cells.map((text) => element("td", { class: "number" }, text))),
    element("tr", {}, element("td", { colspan: 4, class: "soft" }, verdictText(alternative))),
  ];
}

function reasonTable(node) {
  if (!node.weighed) return element("p", { class: "soft" }, "The other treatments of this tensor were not replayed: there are too many tensors.");
  if (node.alternatives.length === 0) return null;
  const head = ["instead", "energy", "runtime", "peak RAM"];
  return element("table", { class: "reasons" },
    element("caption", { class: "soft" }, "In this schedule, all else equal, as replayed:"),
    element("tr", {}, head.map((text, i) => element("th", { scope: "col", class: i ? "number" : null }, text))),
    node.alternatives.flatMap(alternativeRow));
}

function tensorButton(node) {
  return element("button", { class: "link", type: "button", onclick: () => choose(node) }, nameOf(node));
}

function listOf(nodes) {
  if (nodes.length === 0) return "none";
  return element("span", {}, nodes.flatMap((node, i) => (i ? [", ", tensorButton(node)] : [tensorButton(node)])));
}

function tensorPanel(index) {
  const node = data.nodes[index];
  const rows = [["op", node.op], ["bytes", figure(node.bytes, (bytes) => `${bytes} (${bytesText(bytes)})`)],
    ["pass", node.backward ? "backward" : "forward"], ["stage", index], ["reads", listOf(node.inputs)],
    ["read by", listOf(node.users)]];
  return [
    element("h2", {}, node.name),
    element("p", { class: "fate" }, fateText(node)),
    reasonTable(node),
    element("table", {}, rows.map(([key, value]) => element("tr", {}, element("th", { scope: "row" }, key), element("td", {}, value)))),
    element("p", {}, element("button", { type: "button", onclick: () => go(node.stays[0][0]) }, "go to its first computation")),
  ].filter((part) => part !== null);
}
