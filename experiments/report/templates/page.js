"use strict";
const report = JSON.parse(document.getElementById("report").textContent);

// Parse CSV here: Vega would compile a function from the header, which the content-security policy forbids.
function readTable(text) {
  const cell = /(?:"((?:[^"]|"")*)"|([^,\n]*))(,|\n|$)/y, rows = [];
  for (let row = []; cell.lastIndex < text.length;) {
    const [, quoted, plain, end] = cell.exec(text);
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end !== ",") { rows.push(row); row = []; }
  }
  const names = rows.shift();
  return rows.map(row => Object.fromEntries(names.map((name, i) => [name, row[i]])));
}
function withRows(compiled) {
  compiled.data.filter(data => data.format?.type === "csv").forEach(data => {
    data.values = readTable(data.values);
    data.format = { parse: data.format.parse };
  });
  return compiled;
}

// Return the choices of the controls in the section of a figure, and the policies that are not ticked.
function choices(figure) {
  const form = figure.closest("section").querySelector("form.controls");
  const boxes = form ? [...form.querySelectorAll("input[name=policy]")] : [];
  return { of: new FormData(form || undefined), hidden: boxes.filter(box => !box.checked).map(box => box.value) };
}

// The same algorithm as spread_out in experiments/report/charts/curves.py.
function spreadOut(places, gap, first, last) {
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b] || a - b);
  const moved = [...places];
  let floor = first, ceiling = last;
  for (const i of order) { moved[i] = floor = Math.max(moved[i], floor); floor += gap; }
  for (const i of order.reverse()) { moved[i] = ceiling = Math.min(moved[i], ceiling); ceiling -= gap; }
  return moved;
}

// Hide policies, fit the axis to the others, and move the labels to the new ends of their curves.
async function hide(figure, hidden) {
  const view = figure.drawn.view, has = name => (figure.drawn.spec.params || []).some(param => param.name === name);
  if (!has("hidden")) return;
  view.signal("hidden", hidden);
  if (has("highest")) {
    // Copy the rows: Vega tags each row with a symbol, and treats a tagged row as already present.
    const ends = view.data("ends").map(row => Object.fromEntries(Object.entries(row)));
    const shown = ends.filter(row => !hidden.includes(row.policy));
    if (shown.length) view.signal("highest", report.headroom * Math.max(...shown.map(row => row.peak)) || 1);
    await view.runAsync();
    const y = view.scale("y");
    shown.forEach(row => { row.at = y(row.end); });
    const beside = spreadOut(shown.map(row => row.at), report.gap, 0, view.height());
    shown.forEach((row, i) => { row.beside = beside[i]; });
    view.data("ends", ends);
  }
  await view.runAsync();
}

// Replace the colours of a chart for dark pages. Keys that hold data are skipped, as a name may be a colour.
const dark = matchMedia("(prefers-color-scheme: dark)");
const dataKeys = ["datasets", "data", "params", "domain", "sort", "transform", "title", "description"];
function inColours(part, key) {
  if (dataKeys.includes(key)) return part;
  if (typeof part === "string") return report.dark[part] || part;
  if (Array.isArray(part)) return part.map(one => inColours(one));
  if (part === null || typeof part !== "object") return part;
  return Object.fromEntries(Object.entries(part).map(([name, one]) => [name, inColours(one, name)]));
}

// Make a chart as wide as its column; a square chart is only ever made smaller.
async function fit(view, holder, square) {
  const over = () => holder.querySelector(".marks").getBoundingClientRect().width - holder.clientWidth;
  // Repeat, as the labels beside a chart may grow when it shrinks.
  for (let tries = 0; tries < 4 && (over() > 0 || (!square && over() < -1)); tries++) {
    const width = Math.max(120, view.width() - Math.ceil(over()));
    if (square) view.height(width);
    await view.width(width).resize().runAsync();
  }
}

// Put as many panels side by side as fit, and make them as wide as the column allows.
function fitPanels(spec, available) {
  spec.columns = Math.max(1, Math.min(spec.columns, Math.floor(available / 240)));
  spec.spec = { ...spec.spec, width: Math.floor((available - 52) / spec.columns) - 24 };
}

async function draw(figure) {
  const entry = report.charts[figure.id], chosen = choices(figure);
  let spec = { ...entry.charts[entry.controls.map(name => chosen.of.get(name)).join(" ")] };
  spec.datasets = Object.fromEntries(spec.datasets.map(name => [name, report.datasets[name]]));
  if (dark.matches) spec = inColours(spec);
  const holder = figure.querySelector(".chart");
  holder.classList.remove("fitted");
  holder.classList.toggle("dark", dark.matches);
  if (spec.columns) fitPanels(spec, holder.clientWidth);
  if (figure.drawn) figure.drawn.finalize();
  figure.drawn = await vegaEmbed(holder, spec, {
    renderer: "svg", downloadFileName: figure.id,
    ast: true, patch: withRows, // avoid functions compiled from text, which the policy forbids
    tooltip: { disableDefaultStyle: true }, // its style is in page.css
    actions: { export: true, source: false, compiled: false, editor: false },
  });
  if (!spec.columns) await fit(figure.drawn.view, holder, spec.width === spec.height);
  holder.classList.add("fitted"); // CSS scales a chart that is still too wide
  await hide(figure, chosen.hidden);
}

// Run drawings one at a time, in the order of the events.
let last = Promise.resolve();
function queue(work) { last = last.then(work).catch(problem => console.error(problem)); }

const figures = [...document.querySelectorAll("figure[id]")];
redraw();

document.querySelectorAll("form.controls").forEach(form => form.addEventListener("change", event => {
  const name = event.target.name;
  figures.filter(figure => form.closest("section").contains(figure)).forEach(figure => {
    if (name === "policy") queue(() => hide(figure, choices(figure).hidden));
    else if (report.charts[figure.id].controls.includes(name)) queue(() => draw(figure));
  });
}));

function redraw() { figures.forEach(figure => queue(() => draw(figure))); }
dark.addEventListener("change", redraw);
addEventListener("beforeprint", () => document.querySelectorAll("details.origin").forEach(one => { one.open = true; }));

let width = window.innerWidth, waiting;
window.addEventListener("resize", () => {
  if (window.innerWidth === width) return;
  width = window.innerWidth;
  clearTimeout(waiting);
  waiting = setTimeout(redraw, 200);
});
