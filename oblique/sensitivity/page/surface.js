// The decision surface of a tree, in the browser: class, leaf, distance to other classes, nearest
// point and sensitive tests of a case, in the Euclidean norm of a metric and under limits.
//
// It answers as DecisionSurface does in Python, by the same best-first search: every node of the
// tree is a cell, nested in its parent's, so the distance to a cell bounds that to all cells
// below. projection.js projects onto a cell. No document is touched here; page.js shows what this
// file computes.
//
//   const surface = new DecisionSurface(model);            // the model as write_page writes it
//   surface.answer(values, settings);
//
// values: one number an attribute; codes of categories, null for one that is not known.
// settings: {metric: name, weights: [..], mayRise: [..], mayFall: [..], lower: [..], upper: [..]},
// lists with one entry an attribute, null for no bound. A category may change if it may rise.
"use strict";

// By how much, as a share of the distances involved, a case must be able to enter a cell.
const THIN = 1e-12;

// --- best-first search ---------------------------------------------------------------------------

// Entries {bound, ...}, smallest bound first (binary heap).
class Queue {
  constructor() {
    this.entries = [];
  }

  push(entry) {
    const heap = this.entries;
    let i = heap.length;
    while (i > 0) {
      const above = (i - 1) >> 1;
      if (heap[above].bound <= entry.bound) break;
      heap[i] = heap[above];
      i = above;
    }
    heap[i] = entry;
  }

  pop() {
    const heap = this.entries;
    const first = heap[0];
    const last = heap.pop();
    if (heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1].bound < heap[child].bound) child++;
      if (heap[child].bound >= last.bound) break;
      heap[i] = heap[child];
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

// One case in one metric under one set of limits. Attributes that may move are coordinates, in
// units of the metric; a changed category adds its cost, squared, whatever the coordinates do.
class Search {
  constructor(surface, values, settings) {
    this.surface = surface;
    this.values = values;
    this.settings = settings;
    const { model } = surface;
    // What is neither tested nor bounded stays as it is.
    const { lower, upper } = settings;
    this.numeric = surface.numbers.filter(
      (j) => surface.tested.has(j) || lower[j] !== null || upper[j] !== null,
    );
    this.scale = model.scales[settings.metric].map((s, j) => s / settings.weights[j]);
    this.free = this.numeric.filter((j) => this.mayMove(j));
    this.nFree = this.free.length;
    const size = Math.max(0, ...this.numeric.map((j) => Math.abs(values[j] / this.scale[j])));
    this.tolerance = 8 * Number.EPSILON * size;
    this.size = 8 * size;
    this.tests = new Map();
    this.limits = this.limitConstraints();
    this.isLimited = this.limits.length > 0 || this.nFree < this.numeric.length;
  }

  // Cost of another category, in units of the metric.
  changeCost(j) {
    return this.surface.model.changeCost[j] * this.settings.weights[j];
  }

  mayMove(j) {
    return this.settings.mayRise[j] || this.settings.mayFall[j];
  }

  // A row weights . x <= threshold in metric units: {normal, value at the case}, of length one over
  // the coordinates if it has any there. `margin` is the distance of the case from the plane.
  inUnits(features, weights, threshold) {
    const scaled = features.map((j, p) => weights[p] * this.scale[j]);
    const normal = new Float64Array(this.nFree);
    features.forEach((j, p) => {
      const place = this.free.indexOf(j);
      if (place >= 0) normal[place] += scaled[p];
    });
    const whole = Math.sqrt(dot(scaled, scaled));
    const length = Math.sqrt(dot(normal, normal));
    const divisor = length || whole || 1;
    const value = this.surface.weigh(features, weights, this.values) - threshold;
    return {
      normal: normal.map((entry) => entry / divisor),
      value: value / divisor,
      offset: Math.abs(threshold) / divisor,
      margin: Math.abs(value) / (whole || 1),
    };
  }

  // Whether the limits, attribute by attribute, allow a point on one side of a test. No rounding:
  // a frozen 8 is not below a threshold one unit in the last place under 8.
  admits({ features, weights, threshold }, isLeft) {
    const { mayRise, mayFall, lower, upper } = this.settings;
    let extreme = 0;
    features.forEach((j, p) => {
      if (weights[p] === 0) return;
      const falls = weights[p] > 0 === isLeft;
      const [may, bound] = falls ? [mayFall[j], lower[j]] : [mayRise[j], upper[j]];
      const open = falls ? -Infinity : Infinity;
      extreme += (may ? (bound ?? open) : this.values[j]) * weights[p];
    });
    return isLeft ? extreme <= threshold : extreme > threshold;
  }

  // Linear test of a node.
  test(node) {
    if (!this.tests.has(node)) {
      const { features, weights, threshold } = this.surface.nodes[node];
      this.tests.set(node, this.inUnits(features, weights, threshold));
    }
    return this.tests.get(node);
  }

  limitConstraints() {
    const { mayRise, mayFall, lower, upper } = this.settings;
    const found = [];
    const add = (j, sign, bound) => {
      const { normal, value } = this.inUnits([j], [sign], sign * bound);
      found.push({ normal, gap: value, node: -1 });
    };
    for (const j of this.numeric) {
      if (this.mayMove(j) && !mayRise[j]) add(j, 1, this.values[j]);
      if (this.mayMove(j) && !mayFall[j]) add(j, -1, this.values[j]);
      if (upper[j] !== null) add(j, 1, upper[j]);
      if (lower[j] !== null) add(j, -1, lower[j]);
    }
    return found;
  }

  // Limits, and linear tests on the way to a node; `inset` moves the open sides inwards, but not
  // past a case that is inside, if only by the last digit.
  constraintsOf(node, inset = 0) {
    const constraints = [...this.limits];
    for (const step of this.surface.pathTo(node)) {
      if (this.surface.nodes[step.node].isCategory) continue;
      const sign = step.left ? 1 : -1;
      const { normal, value } = this.test(step.node);
      const isInside = this.surface.side(step.node, this.values) === "right";
      const inwards = isInside ? Math.min(inset, Math.max(0, value)) : inset;
      constraints.push({
        normal: normal.map((entry) => sign * entry),
        gap: sign * value + (step.left ? 0 : inwards),
        node: step.node,
      });
    }
    return constraints;
  }

  project(node, inset = 0) {
    return projectOnto(this.constraintsOf(node, inset), this.nFree, this.tolerance);
  }

  // A cell is open towards the planes it lies right of: one that the limits let the case touch
  // there, but not enter, is out of reach.
  hasRoom(leaf, squared) {
    if (!this.isLimited) return true;
    // A case in the origin has no size of its own: the planes give one.
    const offset = () => Math.max(0, ...this.surface.inner.map((node) => this.test(node).offset));
    const length = Math.max(this.size, Math.sqrt(squared)) || offset() || 1;
    return this.project(leaf, THIN * length) !== null;
  }

  // Bound of a child's cell from what is known of its parent's; null where it cannot be reached.
  // The child that holds the parent's projection has the same one. For the other, the angle at
  // a projection being obtuse, squares of the distance and of the excess add up.
  childEntry(entry, child, isLeft) {
    const node = this.surface.nodes[entry.node];
    const { at } = entry;
    if (node.isCategory) {
      // A category without a side at this test has to change for either.
      const j = node.feature;
      const isThere = this.surface.side(entry.node, this.values) === (isLeft ? "left" : "right");
      if (at.changed.includes(j) || isThere) {
        return { bound: entry.bound, node: child, at };
      }
      if (!this.mayMove(j)) return null;
      const paid = at.paid + this.changeCost(j) ** 2;
      const changed = [...at.changed, j];
      const bound = at.squared + paid;
      return { bound, node: child, at: { ...at, paid, changed } };
    }
    if (!this.admits(node, isLeft)) return null;
    const { normal, value } = this.test(entry.node);
    const excess = (isLeft ? 1 : -1) * (value + dot(normal, at.move));
    if (excess <= 0) return { bound: entry.bound, node: child, at };
    return { bound: entry.bound + excess ** 2, node: child, at: null, from: at };
  }

  // Nearest leaf below which `wanted` is true all the way: {leaf, distance, move, changed} or null.
  nearest(wanted) {
    const queue = new Queue();
    const start = { paid: 0, changed: [] };
    if (wanted[0]) queue.push({ bound: 0, node: 0, at: null, from: start });
    while (queue.entries.length > 0) {
      const entry = queue.pop();
      if (entry.at === null) {
        const found = this.project(entry.node);
        if (found === null) continue;
        const { paid, changed } = entry.from;
        const at = { move: found.move, squared: found.squared, paid, changed };
        queue.push({ bound: Math.max(entry.bound, at.squared + paid), node: entry.node, at });
        continue;
      }
      const { at, node } = entry;
      const { leftChild, rightChild } = this.surface.nodes[node];
      if (leftChild < 0) {
        if (!this.hasRoom(node, at.squared)) continue;
        const distance = Math.sqrt(at.squared + at.paid);
        return { leaf: node, distance, move: at.move, changed: at.changed };
      }
      for (const child of [leftChild, rightChild]) {
        const next = wanted[child] ? this.childEntry(entry, child, child === leftChild) : null;
        if (next !== null) queue.push(next);
      }
    }
    return null;
  }

  // Nearest point in the attributes' own units; a changed category gets the first code that the
  // leaf allows.
  pointOf(found) {
    const point = [...this.values];
    this.free.forEach((j, i) => (point[j] += this.scale[j] * found.move[i]));
    for (const j of found.changed) point[j] = this.surface.firstCode(found.leaf, j);
    return point;
  }

  // Tests on the path of a leaf that hold the case back, largest margin first (Alvarez 2004,
  // definition 2).
  sensitiveTests(leaf) {
    const projection = this.project(leaf);
    const active = new Set(projection.active.map((constraint) => constraint.node));
    const tests = [];
    for (const step of this.surface.pathTo(leaf)) {
      const node = this.surface.nodes[step.node];
      if (node.isCategory) {
        const side = this.surface.side(step.node, this.values);
        if (side === (step.left ? "left" : "right")) continue;
        const margin = this.changeCost(node.feature);
        tests.push({ node: step.node, margin, passed: !step.left, violated: true });
      } else if (active.has(step.node)) {
        const { value, margin } = this.test(step.node);
        const violated = step.left ? value > 0 : value < 0;
        tests.push({ node: step.node, margin, passed: value <= 0, violated });
      }
    }
    return tests.sort((a, b) => b.margin - a.margin);
  }
}

// --- the tree ------------------------------------------------------------------------------------

class DecisionSurface {
  constructor(model) {
    this.model = model;
    const { tree } = model;
    this.nodes = tree.children_left.map((leftChild, node) => this.readNode(tree, node));
    this.parent = new Array(this.nodes.length).fill(-1);
    this.nodes.forEach(({ leftChild, rightChild }, node) => {
      if (leftChild >= 0) this.parent[leftChild] = this.parent[rightChild] = node;
    });
    const all = this.nodes.map((_, node) => node);
    this.inner = all.filter((node) => this.nodes[node].weights);
    this.labels = tree.labels;
    const coded = new Set(this.nodes.filter((n) => n.isCategory).map((n) => n.feature));
    this.tested = new Set(this.inner.flatMap((node) => this.nodes[node].features));
    this.coded = [...coded].sort((a, b) => a - b);
    // Attributes that are numbers; those that the tree tests by weights come in `tested`.
    this.numbers = model.features.map((_, j) => j).filter((j) => !coded.has(j));
    // By class: nodes above a leaf of that class, and nodes above a leaf of another class.
    this.ofClass = model.classes.map((_, k) => this.above((leaf) => this.labels[leaf] === k));
    this.notOfClass = model.classes.map((_, k) => this.above((leaf) => this.labels[leaf] !== k));
  }

  readNode(tree, node) {
    const leftChild = tree.children_left[node];
    const rightChild = tree.children_right[node];
    const links = { leftChild, rightChild };
    if (leftChild < 0) return links;
    const part = (values, ends) => values.slice(ends[node], ends[node + 1]);
    const features = part(tree.weight_indices, tree.weight_indptr);
    const codes = part(tree.category_codes, tree.category_indptr);
    if (codes.length === 0) {
      const weights = part(tree.weight_values, tree.weight_indptr);
      return { ...links, features, weights, threshold: tree.threshold[node] };
    }
    const left = new Set(codes.slice(0, tree.category_left[node]));
    const right = new Set(codes.slice(tree.category_left[node]));
    const isOpen = tree.category_open[node];
    return { ...links, isCategory: true, feature: features[0], left, right, isOpen };
  }

  weigh(features, weights, values) {
    let total = 0;
    for (let p = 0; p < features.length; p++) total += values[features[p]] * weights[p];
    return total;
  }

  above(isWanted) {
    const marks = this.nodes.map(
      ({ leftChild }, node) => leftChild < 0 && this.model.isOpen[node] && isWanted(node),
    );
    for (let node = this.nodes.length - 1; node > 0; node--) {
      if (marks[node]) marks[this.parent[node]] = true; // parents come before their children
    }
    return marks;
  }

  // Tests from the root to a node: [{node, left}].
  pathTo(node) {
    const path = [];
    for (let above = this.parent[node]; above >= 0; node = above, above = this.parent[node]) {
      path.push({ node: above, left: this.nodes[above].leftChild === node });
    }
    return path.reverse();
  }

  // Where a case goes at a node: "left", "right", or "unknown" for a category without a side.
  side(number, values) {
    const node = this.nodes[number];
    if (!node.isCategory) {
      return this.weigh(node.features, node.weights, values) <= node.threshold ? "left" : "right";
    }
    const code = values[node.feature];
    if (code === null) return "unknown";
    if (node.left.has(code)) return "left";
    return node.right.has(code) || node.isOpen ? "right" : "unknown";
  }

  // Share of a case that reaches each leaf; several where a category is not known.
  leafShares(values, node = 0, share = 1, shares = new Map()) {
    const { leftChild, rightChild } = this.nodes[node];
    if (leftChild < 0) return share > 0 ? shares.set(node, share) : shares;
    const side = this.side(node, values);
    const leftShare = { left: 1, right: 0, unknown: this.model.tree.missing_left[node] }[side];
    if (leftShare > 0) this.leafShares(values, leftChild, share * leftShare, shares);
    if (leftShare < 1) this.leafShares(values, rightChild, share * (1 - leftShare), shares);
    return shares;
  }

  classOf(shares) {
    if (shares.size === 1) return this.labels[shares.keys().next().value];
    const { counts, tie_class: tieClass } = this.model.tree;
    const mixed = this.model.classes.map(() => 0);
    for (const [leaf, share] of shares) {
      const total = counts[leaf].reduce((a, b) => a + b, 0) || 1;
      counts[leaf].forEach((count, k) => (mixed[k] += (share * count) / total));
    }
    const largest = Math.max(...mixed);
    const tied = (k) => mixed[k] >= largest * (1 - 1e-12);
    return tieClass >= 0 && tied(tieClass) ? tieClass : mixed.findIndex((_, k) => tied(k));
  }

  firstCode(leaf, feature) {
    const steps = this.pathTo(leaf).filter((step) => this.nodes[step.node].feature === feature);
    const names = this.model.tree.category_names?.[feature] ?? [];
    const listed = steps.flatMap(({ node }) => [
      ...this.nodes[node].left,
      ...this.nodes[node].right,
    ]);
    const nCodes = Math.max(names.length, 1 + Math.max(...listed));
    for (let code = 0; code < nCodes; code++) {
      const values = { [feature]: code };
      if (steps.every(({ node, left }) => this.side(node, values) === (left ? "left" : "right"))) {
        return code;
      }
    }
    return null;
  }

  // Everything about one case; see the top of the file.
  answer(values, settings) {
    const shares = this.leafShares(values);
    const leaf = [...shares].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
    const own = this.classOf(shares);
    const search = new Search(this, values, settings);
    const trace = this.pathTo(leaf).map(({ node, left }) => ({
      node,
      passed: left,
      margin: this.nodes[node].isCategory ? null : search.test(node).margin,
    }));
    const basis = { predictedClass: own, leaf, trace, counts: this.model.tree.counts[leaf] };
    if (shares.size > 1) {
      return { ...basis, status: "unrouted", distance: null, tests: [], byClass: [] };
    }
    const byClass = this.ofClass.map((wanted, k) =>
      k === own ? 0 : (search.nearest(wanted)?.distance ?? Infinity),
    );
    const found = search.nearest(this.notOfClass[own]);
    if (found === null) {
      return { ...basis, status: "unreachable", distance: Infinity, tests: [], byClass };
    }
    return {
      ...basis,
      status: "found",
      distance: found.distance,
      targetLeaf: found.leaf,
      targetClass: this.labels[found.leaf],
      point: search.pointOf(found),
      changed: found.changed,
      tests: search.sensitiveTests(found.leaf),
      byClass,
    };
  }
}
