"""The installed distribution: whose packages are imported, and what importing them costs."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

PACKAGES = ("oblique", "baselines", "projection")


def run(program):
    """What a Python program prints, as JSON, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# ---------------------------------------------------------------- the distribution


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_are_those_of_this_distribution(name):
    """Unrelated projects of these names are on the public index."""
    distribution = importlib.metadata.distribution("oblique-trees")
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    if origin.get("dir_info", {}).get("editable"):
        root = Path(url2pathname(urlparse(origin["url"]).path))
    else:
        assert f"{name}/__init__.py" in map(str, distribution.files or ())
        root = Path(str(distribution.locate_file("")))
    module = importlib.import_module(name)
    assert Path(str(module.__file__)).resolve() == (root / name / "__init__.py").resolve()
    assert (root / name / "py.typed").exists()


def test_versions_agree():
    import oblique

    assert oblique.__version__ == importlib.metadata.version("oblique-trees")


def test_command_and_strategies_are_declared():
    entries = importlib.metadata.distribution("oblique-trees").entry_points
    (command,) = entries.select(group="console_scripts", name="oblique")
    assert callable(command.load())
    names = {entry.name for entry in entries.select(group="oblique.strategies")}
    assert names >= {"ldt", "ldt_safe_pruned", "ap", "ap_pruned", "cart"}


@pytest.mark.parametrize(
    "name",
    ["oblique", "oblique.finders", "oblique.pruning", "oblique.datasets", "oblique.compare",
     "oblique.sensitivity", "projection"],
)  # fmt: skip
def test_public_names_are_there(name):
    module = importlib.import_module(name)
    assert sorted(set(module.__all__)) == sorted(module.__all__)
    for public in module.__all__:
        assert getattr(module, public) is not None
        assert public in dir(module)
    with pytest.raises(AttributeError, match="no_such_name"):
        module.no_such_name


# ---------------------------------------------------------------- what importing costs

IMPORTS = """
import json, sys
import oblique, projection
for name in (*oblique.__all__, ):
    getattr(oblique, name)
import oblique.finders, oblique.pruning, oblique.estimators
import gc
from numba.core.dispatcher import Dispatcher
kernels = [thing for thing in gc.get_objects() if isinstance(thing, Dispatcher)]
own = [k for k in kernels if k.__module__.split(".")[0] in ("oblique", "projection")]
print(json.dumps({
    "modules": sorted(sys.modules),
    "kernels": len(own),
    "compiled": [k.__name__ for k in own if k.signatures],
    "looked_up": [k.__name__ for k in own if k.stats.cache_hits or k.stats.cache_misses],
}))
"""


def test_import_compiles_nothing_and_leaves_heavy_libraries_alone():
    found = run(IMPORTS)
    assert found["kernels"] > 20
    assert found["compiled"] == []
    assert found["looked_up"] == []
    for heavy in ("cvxpy", "deap", "matplotlib", "distributed", "dask", "tqdm", "arff"):
        assert heavy not in found["modules"]
    assert "oblique.estimators" in found["modules"]
    assert "baselines" not in found["modules"]


def test_importing_the_package_alone_imports_next_to_nothing():
    modules = run("import json, sys, oblique; print(json.dumps(sorted(sys.modules)))")
    for later in ("numpy", "numba", "scipy", "sklearn", "oblique.estimators"):
        assert later not in modules


USE = """
import gc, json
import numpy as np
from numba.core.dispatcher import Dispatcher
from oblique import LDTClassifier, ObliqueTreeClassifier
from oblique.finders import AxisParallel, LinearDiscriminant

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 4))
y = (X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=120) > 0).astype(int) + (X[:, 2] > 1)
holes = np.where(rng.random(X.shape) < 0.1, np.nan, X)
codes = np.c_[rng.integers(0, 4, 120), X]
fixed = X.copy()
fixed.setflags(write=False)
for model in (
    ObliqueTreeClassifier(finder=AxisParallel()),
    ObliqueTreeClassifier(criterion="gini"),
    ObliqueTreeClassifier(categorical_features=[0]),
    LDTClassifier(pruning="safe", random_state=0),
):
    for table in (X, fixed, np.asfortranarray(X), X.astype("f4"), holes, codes):
        for weights in (None, rng.random(120)):
            model.fit(table, y, weights)
            model.predict(table), model.predict_proba(table), model.apply(table)
            model.decision_path(table), model.feature_importances_
kernels = [thing for thing in gc.get_objects() if isinstance(thing, Dispatcher)]
own = [k for k in kernels if k.__module__.split(".")[0] in ("oblique", "projection")]
print(json.dumps({
    "missed": {k.__name__: len(k.stats.cache_misses) for k in own if k.stats.cache_misses},
    "hits": sum(len(k.stats.cache_hits) for k in own),
    "versions": {k.__name__: len(k.signatures) for k in own if k.signatures},
}))
"""


def test_second_process_compiles_nothing():
    """The first one fills the cache where it has to; then every kernel comes from the disk."""
    run(USE)
    found = run(USE)
    assert found["missed"] == {}
    assert found["hits"] == sum(found["versions"].values()) > 15
