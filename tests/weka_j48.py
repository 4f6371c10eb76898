"""Weka's J48 as a subprocess: its trees as nested tuples, and ours in the same form."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np

JARS = ("/usr/share/java/weka.jar", "/usr/share/weka/weka.jar")


def find_weka() -> tuple[str, str] | None:
    """Path of java and of weka.jar (environment variable WEKA_JAR, or where Debian keeps it)."""
    java = shutil.which("java")
    jars = [os.environ.get("WEKA_JAR", ""), *JARS]
    jar = next((path for path in jars if path and Path(path).is_file()), None)
    return (java, jar) if java and jar else None


def why_not() -> str:
    if shutil.which("java") is None:
        return "java is not installed"
    return "weka.jar is not installed (apt-get install weka, or set WEKA_JAR)"


def write_arff(path, X, y, categories=None) -> None:
    """Write rows; ``categories`` maps columns of codes to their number of values."""
    lines = ["@relation rows"]
    for j in range(X.shape[1]):
        kind = "numeric"
        if categories and j in categories:
            kind = "{" + ",".join(f"v{code}" for code in range(categories[j])) + "}"
        lines.append(f"@attribute x{j} {kind}")
    lines.append("@attribute class {" + ",".join(f"c{k}" for k in range(int(max(y)) + 1)) + "}")
    lines.append("@data")
    for row, label in zip(X.tolist(), y, strict=True):
        cells = [_cell(value, bool(categories) and j in categories) for j, value in enumerate(row)]
        lines.append(",".join([*cells, f"c{label}"]))
    Path(path).write_text("\n".join(lines) + "\n")


def _cell(value: float, is_category: bool) -> str:
    if value != value:
        return "?"
    return f"v{int(value)}" if is_category else repr(value)


def run_j48(folder, X, y, options=(), categories=None):
    """Tree of J48: (column, threshold or value, left, right) or (class, weight, errors)."""
    java, jar = find_weka()
    path = Path(folder) / "rows.arff"
    write_arff(path, X, y, categories)
    command = [java, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", jar]
    command += ["weka.classifiers.trees.J48", "-t", str(path), "-no-cv", "-g", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return parse_graph(done.stdout)


def parse_graph(text):
    nodes = dict(re.findall(r'^(N\w+) \[label="(.*?)"', text, flags=re.MULTILINE))
    edges: dict[str, list[tuple[str, str]]] = {}
    for parent, child, label in re.findall(r'^(N\w+)->(N\w+) \[label="(.*?)"', text, re.MULTILINE):
        edges.setdefault(parent, []).append((child, label.strip("'")))
    return _read(next(iter(nodes)), nodes, edges)


def _read(name, nodes, edges):
    label = nodes[name].strip("'")
    if name not in edges:
        found = re.fullmatch(r"c(\d+) \(([\d.]+)(?:/([\d.]+))?\)", label)
        return int(found[1]), float(found[2]), float(found[3] or 0.0)
    column = int(label[1:])
    children = [(_read(child, nodes, edges), text) for child, text in edges[name]]
    first = children[0][1]
    if first.startswith("<="):
        return column, float(first[2:]), children[0][0], children[1][0]
    if first.startswith("=") and len(children) == 2 and children[1][1].startswith("!="):
        return column, int(first[1:].strip()[1:]), children[0][0], children[1][0]
    return column, [(int(text[1:].strip()[1:]), child) for child, text in children]


def our_tree(tree, node=0, *, multiway=False):
    """A tree of ours in the same form; ``multiway`` joins the links of a chain."""
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if left < 0:
        counts, label = tree.counts[node], int(tree.labels[node])
        return label, float(counts.sum()), float(counts.sum() - counts[label])
    split = tree.split(node)
    if not hasattr(split, "categories"):
        below = (our_tree(tree, child, multiway=multiway) for child in (left, right))
        return split.feature, float(split.threshold), *below
    if not multiway:
        below = our_tree(tree, left), our_tree(tree, right)
        return split.feature, split.categories[0], *below
    branches = [(split.categories[0], our_tree(tree, left, multiway=True))]
    rest = split.others
    while len(rest) > 1:
        link = tree.split(right)
        assert set(link.codes.tolist()) == set(rest)
        left, right = int(tree.children_left[right]), int(tree.children_right[right])
        branches.append((link.categories[0], our_tree(tree, left, multiway=True)))
        rest = link.others
    return split.feature, [*branches, (rest[0], our_tree(tree, right, multiway=True))]


def same(ours, theirs) -> bool:
    """Whether two trees agree as far as Weka prints its numbers."""
    if len(ours) != len(theirs):
        return False
    if len(ours) == 2:
        # Weka keeps a leaf without cases for each value that no row has.
        seen = [(code, child) for code, child in theirs[1] if not _is_empty(child)]
        return (
            ours[0] == theirs[0]
            and [code for code, _ in ours[1]] == [code for code, _ in seen]
            and all(same(a, b) for (_, a), (_, b) in zip(ours[1], seen, strict=True))
        )
    if len(ours) == 3:
        return ours[0] == theirs[0] and bool(np.allclose(ours[1:], theirs[1:], atol=0.0051))
    if ours[0] != theirs[0] or abs(ours[1] - theirs[1]) > 6e-7 * max(1.0, abs(theirs[1])):
        return False
    return same(ours[2], theirs[2]) and same(ours[3], theirs[3])


def _is_empty(tree) -> bool:
    return len(tree) == 3 and tree[1] == 0.0
