// What the reader sets: the state of the page, and the controls that show and change it. A change
// calls refresh(), which is in page.js.
"use strict";

const model = JSON.parse(document.getElementById("model").textContent);
const surface = new DecisionSurface(model);
// What the reader has set. Values live here, exactly; sliders only show them.
const state = { number: 0, values: [], settings: null };
const controls = []; // by attribute: functions that show the state

const METRIC_NAMES = {
  given: "scales of their own",
  minmax: "ranges (min-max)",
  standard: "standard deviations",
  identity: "raw units",
};
const MAY = [
  ["free", "move both ways", true, true],
  ["rise", "only rise", true, false],
  ["fall", "only fall", false, true],
  ["frozen", "not move", false, false],
];

// --- small helpers -------------------------------------------------------------------------------

const byId = (id) => document.getElementById(id);

// An element with properties and children; texts are never read as HTML.
function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

function option(value, text) {
  return make("option", { value, textContent: text });
}

// About four digits; "-0" and long tails look like errors.
function spell(number) {
  if (number === null || Number.isNaN(number)) return "";
  if (!Number.isFinite(number)) return "out of reach";
  if (number === 0) return "0";
  return String(Number(number.toPrecision(4)));
}

// Values are told with the digits they have, up to seven.
function spellValue(j, value) {
  const names = model.tree.category_names?.[j];
  if (names || surface.coded.includes(j))
    return value === null ? "unknown" : (names?.[value] ?? String(value));
  return String(Number(value.toPrecision(7)));
}

function percent(change, unit) {
  return unit ? (Math.abs(change / unit) * 100).toFixed(1) : "";
}

const stateOfMay = (j) =>
  MAY.find(
    ([, , rise, fall]) => rise === state.settings.mayRise[j] && fall === state.settings.mayFall[j],
  )[0];

// --- controls ------------------------------------------------------------------------------------

// Ends of a slider: the range of the training rows and of the cases.
function ends(j) {
  const seen = model.cases.map((one) => one.values[j]);
  let low = Math.min(...seen);
  let high = Math.max(...seen);
  if (model.profile) {
    low = Math.min(low, model.profile.low[j]);
    high = Math.max(high, model.profile.high[j]);
  }
  return low < high ? [low, high] : [low - 1, high + 1];
}

// A round step of about a two-hundredth of the range; whole numbers where all values are.
function stepOf(j, low, high) {
  const isWhole = model.cases.every((one) => Number.isInteger(one.values[j]));
  const rough = (high - low) / 200;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  return isWhole && high - low >= 5 ? Math.max(1, Math.round(step)) : step;
}

function numberControls(j) {
  const [low, high] = ends(j);
  const id = `value-${j}`;
  const field = make("input", {
    type: "number",
    id,
    className: "value",
    step: "any",
    required: true,
  });
  const slider = make("input", {
    type: "range",
    id: `slider-${j}`,
    min: low,
    max: high,
    step: stepOf(j, low, high),
  });
  field.setAttribute("aria-label", `${model.features[j]}, value`);
  slider.setAttribute("aria-label", `${model.features[j]}, slider`);
  const set = (value) => {
    if (!Number.isFinite(value)) return; // half-typed
    state.values[j] = value;
    refresh();
  };
  field.addEventListener("input", () => {
    set(field.valueAsNumber);
    field.setAttribute("aria-invalid", String(!Number.isFinite(field.valueAsNumber)));
  });
  slider.addEventListener("input", () => set(slider.valueAsNumber));
  const show = () => {
    const value = state.values[j];
    if (document.activeElement !== field || field.valueAsNumber !== value) field.value = value;
    if (document.activeElement !== slider || slider.valueAsNumber !== value) slider.value = value;
    slider.setAttribute("aria-valuetext", spellValue(j, value));
    field.removeAttribute("aria-invalid");
  };
  return { parts: [field, slider], show };
}

function categoryControls(j) {
  const names = model.tree.category_names?.[j] ?? [];
  const listed = surface.nodes.flatMap((n) => (n.feature === j ? [...n.left, ...n.right] : []));
  const nCodes = Math.max(names.length, 1 + Math.max(...listed));
  const field = make("select", { id: `value-${j}`, className: "value" });
  field.setAttribute("aria-label", `${model.features[j]}, value`);
  for (let code = 0; code < nCodes; code++) field.append(option(code, names[code] ?? String(code)));
  field.append(option("", "unknown"));
  field.addEventListener("change", () => {
    state.values[j] = field.value === "" ? null : Number(field.value);
    refresh();
  });
  const note = make("span", { className: "note" });
  const show = () => {
    field.value = state.values[j] ?? "";
    note.textContent = `a change costs ${spell(model.changeCost[j] * state.settings.weights[j])}`;
  };
  return { parts: [field, note], show };
}

function limitControls(j, isCategory) {
  const name = model.features[j];
  const may = make("select", { id: `may-${j}`, className: "may" });
  for (const [value, text] of MAY) {
    if (!isCategory || value === "free" || value === "frozen") {
      may.append(option(value, isCategory && value === "free" ? "change" : text));
    }
  }
  may.setAttribute("aria-label", `${name} may`);
  may.addEventListener("change", () => {
    const [, , rise, fall] = MAY.find(([value]) => value === may.value);
    state.settings.mayRise[j] = rise;
    state.settings.mayFall[j] = fall;
    refresh();
  });
  const weight = make("input", {
    type: "number",
    id: `weight-${j}`,
    className: "weight",
    min: 0.01,
    step: "any",
    required: true,
  });
  weight.setAttribute("aria-label", `${name}, weight of its moves`);
  weight.addEventListener("input", () => {
    const isValid = weight.valueAsNumber > 0 && Number.isFinite(weight.valueAsNumber);
    weight.setAttribute("aria-invalid", String(!isValid));
    if (!isValid) return;
    state.settings.weights[j] = weight.valueAsNumber;
    refresh();
  });
  const parts = [make("label", {}, "may", may), make("label", {}, "weight", weight)];
  const [lower, upper] = [model.start.lower[j], model.start.upper[j]];
  if (lower !== null || upper !== null) {
    const from = lower === null ? "" : ` from ${spell(lower)}`;
    const to = upper === null ? "" : ` up to ${spell(upper)}`;
    parts.push(make("span", { className: "note", textContent: `may move${from}${to} only` }));
  }
  const show = () => {
    const now = stateOfMay(j);
    // A category may change or not; one direction alone counts as a change.
    may.value = isCategory && now !== "frozen" ? "free" : now;
    weight.removeAttribute("aria-invalid");
    if (weight.valueAsNumber !== state.settings.weights[j])
      weight.value = state.settings.weights[j];
  };
  return { parts, show };
}

function attributeControls(j) {
  const isCategory = surface.coded.includes(j);
  const value = isCategory ? categoryControls(j) : numberControls(j);
  const limits = limitControls(j, isCategory);
  const box = make(
    "fieldset",
    { id: `attribute-${j}` },
    make("legend", { textContent: model.features[j] }),
    make(
      "div",
      { className: "attribute" },
      ...value.parts,
      make("div", { className: "limits" }, ...limits.parts),
    ),
  );
  controls.push(() => {
    value.show();
    limits.show();
    box.classList.toggle("changed", state.values[j] !== model.cases[state.number].values[j]);
  });
  return box;
}
