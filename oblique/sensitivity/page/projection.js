// Projection onto a polyhedron in the Euclidean norm: the dual active-set method of Goldfarb and
// Idnani ("A numerically stable dual method for solving strictly convex quadratic programs",
// Mathematical Programming 27, 1983) for the identity matrix. Exact up to rounding, and finite.
"use strict";

// A direction counts as dependent on others when the sine of its angle to them is below 1e-11.
const DEPENDENT_SQUARED = 1e-22;
// Violations below this share of the distance are rounding noise of the projection itself.
const NOISE = 1e-13;

function dot(a, b) {
  let total = 0;
  for (let i = 0; i < a.length; i++) total += a[i] * b[i];
  return total;
}

function addTo(target, factor, vector) {
  for (let i = 0; i < target.length; i++) target[i] += factor * vector[i];
}

// Orthonormal basis of the normals of active constraints, and the triangle R that gives them back:
// normal i is the sum over l of R[l][i] basis[l].
class ActiveNormals {
  constructor() {
    this.basis = [];
    this.triangle = [];
  }

  // Parts of a normal along the basis and beside it; twice, which keeps the basis orthogonal.
  split(normal) {
    const along = new Float64Array(this.basis.length);
    const rest = Float64Array.from(normal);
    for (let pass = 0; pass < 2; pass++) {
      this.basis.forEach((direction, i) => {
        const share = dot(direction, rest);
        along[i] += share;
        addTo(rest, -share, direction);
      });
    }
    return { along, rest, squared: dot(rest, rest) };
  }

  append({ along, rest, squared }) {
    const length = Math.sqrt(squared);
    this.basis.push(rest.map((entry) => entry / length));
    along.forEach((share, i) => this.triangle[i].push(share));
    this.triangle.push([...new Array(along.length).fill(0), length]);
  }

  // Solve R change = along.
  solve(along) {
    const change = Float64Array.from(along);
    for (let i = change.length - 1; i >= 0; i--) {
      for (let j = i + 1; j < change.length; j++) change[i] -= this.triangle[i][j] * change[j];
      change[i] /= this.triangle[i][i];
    }
    return change;
  }
}

// Shortest move z with gap + normal . z <= 0 for every constraint {normal, gap}, whose normals have
// length one: {move, squared, active}, or null where there is none.
function projectOnto(constraints, nFree, tolerance) {
  const move = new Float64Array(nFree);
  let normals = new ActiveNormals();
  let active = []; // [{constraint, multiplier}]
  for (let round = 0; round < 20 * (constraints.length + 5); round++) {
    const noise = Math.max(tolerance, NOISE * Math.sqrt(dot(move, move)));
    let entering = null;
    let excess = noise;
    for (const constraint of constraints) {
      const violation = constraint.gap + dot(constraint.normal, move);
      if (violation > excess && !active.some((one) => one.constraint === constraint)) {
        entering = constraint;
        excess = violation;
      }
    }
    if (entering === null) {
      return { move, squared: dot(move, move), active: active.map((one) => one.constraint) };
    }
    // Press against the entering constraint until it holds; constraints that no longer press
    // back are let go on the way.
    let pressure = 0;
    for (;;) {
      const parts = normals.split(entering.normal);
      const change = normals.solve(parts.along);
      let partial = Infinity;
      let leaving = -1;
      active.forEach((one, i) => {
        if (change[i] > 1e-14 && one.multiplier / change[i] < partial) {
          partial = one.multiplier / change[i];
          leaving = i;
        }
      });
      const independent = parts.squared >= DEPENDENT_SQUARED && active.length < nFree;
      const full = independent ? excess / parts.squared : Infinity;
      const step = Math.min(partial, full);
      if (step === Infinity) return null;
      if (independent) addTo(move, -step, parts.rest);
      active.forEach((one, i) => (one.multiplier -= step * change[i]));
      pressure += step;
      if (full <= partial) {
        normals.append(parts);
        active.push({ constraint: entering, multiplier: pressure });
        break;
      }
      active = active.filter((_, i) => i !== leaving);
      normals = new ActiveNormals();
      for (const one of active) normals.append(normals.split(one.constraint.normal));
      excess = entering.gap + dot(entering.normal, move);
    }
  }
  throw new Error("the projection onto a leaf did not end");
}
