// The page: the answer of surface.js to what controls.js holds goes to the screen.
"use strict";

// A test in words; a long one is told by its largest weights, in full on request.
function testText(node, passed) {
  const [short, full] = model.texts[node][passed ? "passed" : "failed"];
  const isLong = (surface.nodes[node].features ?? []).length > 4;
  if (!isLong) return make("span", { textContent: full });
  return make(
    "details",
    {},
    make("summary", { textContent: short }),
    make("p", { className: "note", textContent: full }),
  );
}

function bar(share) {
  const inside = make("span");
  inside.style.width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  const outside = make("div", { className: "bar" }, inside);
  outside.setAttribute("aria-hidden", "true");
  return outside;
}

function verdict(answer) {
  const own = model.classes[answer.predictedClass];
  if (answer.status === "unrouted") {
    return `Class ${own}. A category is unknown to the tree: the distance is not defined.`;
  }
  if (answer.status === "unreachable") return `Class ${own}. No other class can be reached.`;
  const other = model.classes[answer.targetClass];
  return `Class ${own}. Distance ${spell(answer.distance)} to class ${other}.`;
}

function showTrace(answer) {
  const total = answer.counts.reduce((a, b) => a + b, 0);
  const share = total > 0 ? answer.counts[answer.predictedClass] / total : 0;
  byId("leaf").textContent =
    `Leaf ${answer.leaf}: class ${model.classes[answer.predictedClass]}, ` +
    `${Math.round(100 * share)} % of its training cases.` +
    (answer.trace.length ? "" : " The tree has no test.");
  byId("trace").replaceChildren(
    ...answer.trace.map(({ node, passed, margin }) =>
      make(
        "li",
        {},
        testText(node, passed),
        make("span", {
          className: "note",
          textContent: margin === null ? "" : ` margin ${spell(margin)}`,
        }),
      ),
    ),
  );
}

// Length of a move of one standard deviation in every attribute that the tree tests.
function deviationLength() {
  if (!model.profile) return 0;
  const { metric, weights } = state.settings;
  const tested = [...surface.tested, ...surface.coded];
  let total = 0;
  for (const j of tested) {
    total += ((model.profile.deviation[j] * weights[j]) / model.scales[metric][j]) ** 2;
  }
  return Math.sqrt(total);
}

function showMove(answer) {
  const rows = [];
  if (answer.status === "found") {
    const span = (j) => (model.profile ? model.profile.high[j] - model.profile.low[j] : 0);
    const moved = [...state.values.keys()].filter((j) => answer.point[j] !== state.values[j]);
    const size = (j) =>
      answer.changed.includes(j)
        ? Infinity
        : Math.abs(answer.point[j] - state.values[j]) / (span(j) || 1);
    moved.sort((a, b) => size(b) - size(a));
    for (const j of moved) {
      const change = answer.point[j] - state.values[j];
      const shares = answer.changed.includes(j)
        ? ["", "", ""]
        : [
            percent(change, state.values[j]),
            percent(change, span(j)),
            percent(change, model.profile?.deviation[j]),
          ];
      const cells = [spellValue(j, state.values[j]), spellValue(j, answer.point[j]), ...shares];
      rows.push(
        make(
          "tr",
          {},
          make("th", { scope: "row", textContent: model.features[j] }),
          ...cells.map((text) => make("td", { textContent: text })),
        ),
      );
    }
    const deviations = answer.distance / deviationLength();
    byId("move-text").textContent =
      `To class ${model.classes[answer.targetClass]}, leaf ${answer.targetLeaf}, at distance ${spell(answer.distance)}` +
      (Number.isFinite(deviations)
        ? `, ${spell(deviations)} times one standard deviation in all attributes.`
        : ".");
  } else {
    byId("move-text").textContent = "There is none.";
  }
  byId("moves").hidden = rows.length === 0;
  byId("moves").tBodies[0].replaceChildren(...rows);
}

function showWithoutLimits(answer) {
  const isFree = (values) => values.every(Boolean);
  const { mayRise, mayFall, weights } = state.settings;
  const isPlain = isFree(mayRise) && isFree(mayFall) && weights.every((w) => w === 1);
  const unbounded =
    model.start.lower.every((b) => b === null) && model.start.upper.every((b) => b === null);
  let text = "";
  if (!(isPlain && unbounded) && answer.status !== "unrouted") {
    const free = surface.answer(state.values, freeSettings());
    text =
      free.status === "found"
        ? `Without limits and weights: class ${model.classes[free.targetClass]}, leaf ${free.targetLeaf}, at distance ${spell(free.distance)}.`
        : "Without limits and weights there is no way either.";
  }
  byId("without").textContent = text;
}

function freeSettings() {
  const all = (value) => model.features.map(() => value);
  return {
    metric: state.settings.metric,
    weights: all(1),
    mayRise: all(true),
    mayFall: all(true),
    lower: all(null),
    upper: all(null),
  };
}

function showTests(answer) {
  const largest = answer.tests.length ? answer.tests[0].margin : 1;
  const items = answer.tests.map(({ node, passed, margin }) =>
    make(
      "li",
      {},
      testText(node, passed),
      make("span", { className: "note", textContent: ` margin ${spell(margin)}` }),
      bar(margin / (largest || 1)),
    ),
  );
  byId("tests").replaceChildren(...(items.length ? items : [make("li", { textContent: "None." })]));
}

function showClasses(answer) {
  const finite = answer.byClass.filter(Number.isFinite);
  const largest = Math.max(0, ...finite) || 1;
  byId("classes").replaceChildren(
    ...answer.byClass.map((distance, k) => {
      const isOwn = k === answer.predictedClass;
      const text = `${model.classes[k]}: ${isOwn ? "the case is in it" : spell(distance)}`;
      const parts = isOwn || !Number.isFinite(distance) ? [] : [bar(distance / largest)];
      return make("li", {}, text, ...parts);
    }),
  );
}

function refresh() {
  controls.forEach((show) => show());
  byId("metric").value = state.settings.metric;
  const answer = surface.answer(state.values, state.settings);
  byId("verdict").textContent = verdict(answer);
  showTrace(answer);
  showMove(answer);
  showWithoutLimits(answer);
  showTests(answer);
  showClasses(answer);
}

// --- start ---------------------------------------------------------------------------------------

function resetValues() {
  state.values = [...model.cases[state.number].values];
}

function resetLimits() {
  state.settings = structuredClone(model.start);
}

function start() {
  byId("case").append(...model.cases.map((one, i) => option(i, one.name)));
  byId("metric").append(
    ...Object.keys(model.scales).map((name) => option(name, METRIC_NAMES[name])),
  );
  const { lower, upper } = model.start;
  const isShown = (j) =>
    surface.tested.has(j) || surface.coded.includes(j) || lower[j] !== null || upper[j] !== null;
  const shown = model.features.map((_, j) => j).filter(isShown);
  byId("attributes").append(...shown.map(attributeControls));
  const others = model.features.filter((_, j) => !shown.includes(j));
  byId("untested").textContent = others.length
    ? `The tree does not test ${others.join(", ")}.`
    : "";
  byId("case").addEventListener("change", (event) => {
    state.number = Number(event.target.value);
    resetValues();
    refresh();
  });
  byId("metric").addEventListener("change", (event) => {
    state.settings.metric = event.target.value;
    refresh();
  });
  byId("reset-values").addEventListener("click", () => {
    resetValues();
    refresh();
  });
  byId("reset-limits").addEventListener("click", () => {
    resetLimits();
    refresh();
  });
  resetValues();
  resetLimits();
  refresh();
}

start();
