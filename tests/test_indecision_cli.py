"""The strategy, noise in comparisons, and ``oblique arguments``."""

import json
import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB

from oblique import IndecisionTreeClassifier, ObliqueTreeClassifier, load, save
from oblique.cli import arguments as arguments_command
from oblique.cli import main
from oblique.datasets import load_dataset
from oblique.finders import AxisParallel
from oblique.indecision import NoisyMeasurements, UncertainTable, add_noise


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "pima.json"
    assert main(["fit", "pima", "--strategy", "indecision", "-o", str(path)]) == 0
    return path


def mixed_model(tmp_path):
    frame = pd.DataFrame(
        {"size": [1.0, 2.0, 3.0, 4.0] * 5, "colour": ["red", "red", "blue", "green"] * 5}
    )
    model = IndecisionTreeClassifier().fit(frame, ["a", "a", "b", "c"] * 5)
    path = tmp_path / "mixed.json"
    save(model, path)
    return model, path


def test_assumed_noise_is_that_of_the_range():
    data = load_dataset("iris")
    spans = np.ptp(data.data.to_numpy(), axis=0)
    std = np.tile(0.02 * spans, (len(data.data), 1))
    a = IndecisionTreeClassifier(assumed_noise=0.02).fit(data.data, data.target)
    b = IndecisionTreeClassifier().fit(data.data, data.target, X_std=std)
    np.testing.assert_array_equal(a.tree_.threshold, b.tree_.threshold)
    np.testing.assert_array_equal(a.predict_proba(data.data), b.predict_proba(data.data, std))


def test_noise_is_added_and_told():
    data = load_dataset("iris")
    soft = NoisyMeasurements(IndecisionTreeClassifier(), 0.05, 0.05, random_state=0)
    soft.fit(data.data, data.target)
    np.testing.assert_array_equal(soft.predict(data.data), soft.predict(data.data))
    shares = soft.predict_proba(data.data)
    assert ((shares > 0.01) & (shares < 0.99)).any()
    hard = NoisyMeasurements(ObliqueTreeClassifier(finder=AxisParallel()), 0.05, 0.3, 1)
    assert hard.fit(data.data, data.target).score(data.data, data.target) < 0.95
    quiet = NoisyMeasurements(ObliqueTreeClassifier(finder=AxisParallel()))
    assert quiet.fit(data.data, data.target).score(data.data, data.target) == 1.0
    with pytest.raises(ValueError, match="train=-1: noise must be a share"):
        NoisyMeasurements(ObliqueTreeClassifier(), -1).fit(data.data, data.target)


def test_noise_wants_a_fitted_classifier_and_its_columns():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]})
    noisy = NoisyMeasurements(IndecisionTreeClassifier(), 0.1, 0.1, random_state=0)
    with pytest.raises(NotFittedError):
        noisy.predict(frame)
    with pytest.raises(ValueError, match=r"X lacks the columns \['a'\]"):
        noisy.fit(frame, [0, 0, 1, 1]).predict_proba(frame.rename(columns={"a": "b"}))


def test_comparison_with_noise(capsys):
    arguments = ["compare", "--data", "iris", "--strategies", "indecision", "ap", "--repeats", "2"]
    noise = ["--noise-train", "0.05", "--noise-test", "0.05", "--quiet", "--jobs", "1"]
    assert main([*arguments, *noise, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["strategy"] for row in rows} == {"indecision", "ap"}
    (noisy,) = add_noise(["ap"], test=0.1)
    assert noisy.name == "ap"
    assert noisy.description.endswith("Noise of 0 % of each range in training, 10 % in the test.")
    with pytest.raises(ValueError, match="'ap' has noise already"):
        add_noise([noisy], test=0.1)
    with pytest.raises(ValueError, match="train=nan: noise must be a share"):
        add_noise(["ap"], train=float("nan"))
    with pytest.raises(ValueError, match="must be a list: give \\['ap'\\]"):
        add_noise("ap", test=0.1)


def test_a_tree_of_an_earlier_fit_is_not_kept():
    X, y = load_iris(return_X_y=True)
    noisy = NoisyMeasurements(ObliqueTreeClassifier(finder=AxisParallel()), random_state=0)
    assert noisy.fit(X, y).tree_ is noisy.estimator_.tree_
    noisy.set_params(estimator=GaussianNB()).fit(X, y)
    assert not hasattr(noisy, "tree_")


def test_fitting_and_predicting_files_with_deviations(tmp_path, capsys):
    X, y = load_iris(return_X_y=True)
    means = pd.DataFrame(X, columns=list("abcd"))
    std = pd.DataFrame(np.random.default_rng(0).gamma(1.0, 0.2, X.shape), columns=list("abcd"))
    paired = pd.concat([std.add_suffix("_err"), means], axis=1)
    data, model_path = tmp_path / "measured.csv", tmp_path / "model.json"
    paired.assign(kind=np.array(["x", "y", "z"])[y]).to_csv(data, index=False)
    fit = ["fit", str(data), "--suffix", "_err", "-o", str(model_path), "--strategy"]
    assert main([*fit, "indecision"]) == 0
    model = load(model_path)
    expected = IndecisionTreeClassifier(random_state=0).fit(means, y, X_std=std)
    np.testing.assert_array_equal(model.tree_.threshold, expected.tree_.threshold)
    capsys.readouterr()
    assert main(["predict", str(model_path), str(data), "--suffix", "_err", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    found = [[row[f"probability_{name}"] for name in "xyz"] for row in rows]
    np.testing.assert_allclose(found, expected.predict_proba(means, std), atol=1e-12)
    assert main([*fit, "ap"]) == 2
    assert "--suffix: strategy 'ap' takes no standard deviations" in capsys.readouterr().err
    assert main([*fit, "indecision", "--error-costs", "1"]) == 2
    assert "--suffix excludes --costs and --error-costs" in capsys.readouterr().err
    assert main(["fit", "iris", "--strategy", "ap", "-o", str(model_path)]) == 0
    assert main(["predict", str(model_path), str(data), "--suffix", "_err"]) == 2
    assert "ObliqueTreeClassifier takes no standard deviations" in capsys.readouterr().err


def test_a_suffix_that_no_column_has_is_refused(tmp_path, capsys):
    data, model = tmp_path / "measured.csv", str(tmp_path / "model.json")
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "a_err": 0.5, "kind": list("xxyy")})
    frame.to_csv(data, index=False)
    fit = ["fit", str(data), "--strategy", "indecision", "-o", model]
    assert main([*fit, "--suffix", "_sd"]) == 2
    assert "measured.csv has no column of standard deviations" in capsys.readouterr().err
    assert main([*fit, "--suffix", "_err"]) == 0
    assert main(["predict", model, str(data), "--suffix", "_sd"]) == 2
    assert "such as 'a_sd'" in capsys.readouterr().err
    # Without --suffix the column is a feature like others, and cannot be both.
    assert main(fit) == 0
    assert main(["predict", model, str(data), "--suffix", "_err"]) == 2
    assert "trained on the column 'a_err' as a feature" in capsys.readouterr().err
    # Columns of probabilities are uncertain without a deviation.
    shares = pd.DataFrame({"c=u": [1.0, 0.9, 0.2, 0.0], "c=v": [0.0, 0.1, 0.8, 1.0]})
    shares.assign(kind=list("xxyy")).to_csv(data, index=False)
    assert main([*fit, "--suffix", "_err"]) == 0
    assert main(["predict", model, str(data), "--suffix", "_err"]) == 0


def test_arguments_of_texts(model_file, capsys):
    case = ["glucose=140+-7.5", "bmi=31", "age=50"]
    assert main(["arguments", str(model_file), *case]) == 0
    shown = capsys.readouterr().out
    assert "=>" in shown
    model = load(model_file)
    means, std = np.full((1, 8), np.nan), np.zeros((1, 8))
    for name, mean, deviation in (("glucose", 140, 7.5), ("bmi", 31, 0), ("age", 50, 0)):
        j = model.feature_names_in_.tolist().index(name)
        means[0, j], std[0, j] = mean, deviation
    first, second = model.predict_proba(UncertainTable(means, std))[0]
    assert shown.splitlines()[-1] == f"probability: 0 {first:.3f}, 1 {second:.3f}"


def test_the_example_in_the_help_works(model_file, capsys):
    """The features it names are those of the data set."""
    line = arguments_command.EXAMPLE.strip().splitlines()[0]
    _, command, _, *case = shlex.split(line)
    assert main([command, str(model_file), *case]) == 0
    assert "=>" in capsys.readouterr().out


def test_arguments_of_a_file(tmp_path, capsys):
    model, path = mixed_model(tmp_path)
    table = pd.DataFrame(
        {"size": [1.0, 2.9], "size_std": [0.0, 0.4], "colour=blue": [0, 0.75],
         "colour=red": [1, 0.25], "colour=green": [0, 0.0]}
    )  # fmt: skip
    table.to_csv(tmp_path / "cases.csv", index=False)
    run = ["arguments", str(path), str(tmp_path / "cases.csv"), "--row", "2", "--json"]
    assert main(run) == 0
    document = json.loads(capsys.readouterr().out)
    names = ("blue", "red", "green")
    case = UncertainTable(
        [[2.9, 0.0]], [[0.4, 0.0]], probabilities={1: [[0.75, 0.25, 0.0]]}, values={1: names}
    )
    found = [document["probabilities"][name] for name in document["classes"]]
    np.testing.assert_allclose(found, model.predict_proba(case)[0])
    texts = ["size=2.9+-0.4", "colour=blue:0.75,red:0.25"]
    assert main(["arguments", str(path), *texts, "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["probabilities"] == pytest.approx(document["probabilities"])
    picture = tmp_path / "case.svg"
    assert main(["arguments", str(path), *texts, "--problog", "--plot", str(picture)]) == 0
    assert "query(class(_))." in capsys.readouterr().out
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (["size=big"], "CASE 'size=big' cannot be read"),
        (["weight=3", "size=1"], "feature='weight' is not known"),
        (["colour=pink", "size=1"], "'pink' is none of the known values"),
        (["colour=red:0.5", "size=1"], "sums to 0.5"),
        (["size=1+--2", "colour=red"], "'size=1+--2' cannot be read: the standard deviation must"),
        (["size=1+-nan", "colour=red"], "'size=1+-nan' cannot be read: the standard deviation"),
        (["size=inf", "colour=red"], "'size=inf' cannot be read: the mean must be finite"),
        (["size=1+-", "colour=red"], "CASE 'size=1+-' cannot be read"),
        (["size=1", "size=2"], "CASE 'size=2': size is given twice"),
        (["size=1", "--json", "--problog"], "--json and --problog exclude each other"),
        (["nothing.csv"], "nothing.csv"),
        ([""], "CASE '' is not FEATURE=VALUE"),
        (["size=1", "--least", "nan"], "--least nan: give a probability"),
        (["size=1", "--least", "-0.5"], "--least -0.5: give a probability"),
        (["size=1", "--least", "0.5", "--json"], "--least is about the text"),
        (["size=1", "--row", "2"], "--row 2: only a file has one"),
        (["size=1", "--suffix", "_err"], "--suffix _err: only a file has one"),
        (["size=1", "--plot", "case.xyz"], "--plot case.xyz: the name must end in one of"),
        (["size=1", "--plot", "no/such/folder.png"], "--plot no/such/folder.png: the folder"),
    ],
)
def test_bad_cases_are_named(tmp_path, capsys, case, message):
    _, path = mixed_model(tmp_path)
    assert main(["arguments", str(path), *case]) == 2
    assert message in capsys.readouterr().err


def test_names_and_values_may_hold_an_equals_sign(tmp_path, capsys):
    frame = pd.DataFrame({"a=b": [1.0, 2.0, 3.0, 4.0] * 5, "kind": ["x=1", "x=1", "y:2", "z"] * 5})
    model = IndecisionTreeClassifier().fit(frame, ["a", "a", "b", "c"] * 5)
    save(model, tmp_path / "odd.json")
    run = ["arguments", str(tmp_path / "odd.json"), "--json"]
    found = []
    table = pd.DataFrame({"a=b": [2.9], "a=b_std": [0.4], "kind@x=1": [0.25], "kind@y:2": [0.75]})
    table.to_csv(tmp_path / "cases.csv", index=False)
    from_file = [str(tmp_path / "cases.csv"), "--separator", "@"]
    for case in (["a=b=2.9+-0.4", "kind=x=1:0.25,y:2:0.75"], from_file):
        assert main([*run, *case]) == 0
        found.append(json.loads(capsys.readouterr().out)["probabilities"])
    assert found[0] == pytest.approx(found[1])
    assert main([*run, "a=b=1", "kind=x=1"]) == 0
    assert main([*run, "a=b=1", "kind=y:2"]) == 0


def test_a_tree_in_a_pipeline_is_measured_under_noise():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    data = load_dataset("iris")
    piped = make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0))
    noisy = NoisyMeasurements(piped, 0.1, random_state=0).fit(data.data, data.target)
    assert noisy.tree_.n_leaves == noisy.estimator_[-1].tree_.n_leaves > 1
