"""Compiled loops that send uncertain cases down a finished tree.

A case reaches every node with a probability. Node by node the case carries the interval that
its path has left of each feature, or, with moments, the mean and covariance that it has there.
"""

import math

import numpy as np

from projection.jit import inline, jit

_INVERSE_ROOT_TWO = 0.7071067811865476
_INVERSE_ROOT_TWO_PI = 0.3989422804014327


@inline
def _phi(z):
    return 0.5 * math.erfc(-z * _INVERSE_ROOT_TWO)


@inline
def _between(low, high):
    """Probability of ``low < Z <= high``, without cancellation in the upper tail."""
    if high <= low:
        return 0.0
    if low > 0.0:
        return _phi(-low) - _phi(-high)
    return _phi(high) - _phi(low)


@inline
def _passes(mean, deviation, low, high, threshold):
    """Probability of ``x <= threshold`` given ``low < x <= high``."""
    if deviation <= 0.0:
        return 1.0 if mean <= threshold else 0.0
    if low == -np.inf and high == np.inf:
        return _phi((threshold - mean) / deviation)
    whole = _between((low - mean) / deviation, (high - mean) / deviation)
    if whole <= 0.0:
        return 1.0 if mean <= threshold else 0.0
    part = _between((low - mean) / deviation, (min(threshold, high) - mean) / deviation)
    return min(part / whole, 1.0)


@inline
def _score(X, i, indices, values, begin, end):
    if end - begin == 1:
        return X[i, indices[begin]] * values[begin]
    score = 0.0
    for p in range(begin, end):
        score += X[i, indices[p]] * values[p]
    return score


@inline
def _variance(std, joint, i, indices, values, begin, end):
    out = 0.0
    if joint.shape[0] == 0:
        for p in range(begin, end):
            part = values[p] * std[i, indices[p]]
            out += part * part
    else:
        for p in range(begin, end):
            for q in range(begin, end):
                out += values[p] * values[q] * joint[i, indices[p], indices[q]]
    return max(out, 0.0)


@inline
def _divide_values(before, first, size, codes, begin, end, n_left, is_open, missing_left, goes_left,
                   a, b, t, keep):  # fmt: skip
    """Part of a discrete feature's probability that goes left; hand what is left on if ``keep``.

    The last of the feature's entries is what training did not know or is missing.
    """
    for v in range(size):
        goes_left[v] = 0.0 if is_open else missing_left
    goes_left[size - 1] = missing_left
    for p in range(begin, end):
        if codes[p] < size - 1:
            goes_left[codes[p]] = 1.0 if p < begin + n_left else 0.0
    total = 0.0
    passed = 0.0
    for v in range(size):
        total += before[t, first + v]
        passed += before[t, first + v] * goes_left[v]
        if keep:
            before[a, first + v] = before[t, first + v] * goes_left[v]
            before[b, first + v] = before[t, first + v] * (1.0 - goes_left[v])
    return min(passed / total, 1.0) if total > 0.0 else missing_left


@jit
def reach_by_clauses(
    X, std, joint, share, first, size, by_feature, left, right, indptr, indices, values, threshold,
    cat_ptr, cat_codes, cat_left, cat_open, missing_left, reach,
):  # fmt: skip
    """Probability with which each case reaches each node, (n, n_nodes).

    Clauses multiply, but for those on one feature if ``by_feature``: of these the interval
    counts. ``share`` (n, m) holds the probabilities of discrete features, ``size[j]`` of
    feature j from ``first[j]`` on.
    """
    n, d = X.shape
    n_nodes = left.shape[0]
    low = np.full((n_nodes, d), -np.inf)
    high = np.full((n_nodes, d), np.inf)
    held = np.empty((n_nodes, share.shape[1]))
    goes_left = np.empty(share.shape[1])
    for i in range(n):
        reach[i, 0] = 1.0
        for v in range(share.shape[1]):
            held[0, v] = share[i, v]
        for t in range(n_nodes):
            if left[t] < 0:
                continue
            a, b = left[t], right[t]
            if reach[i, t] <= 0.0:
                reach[i, a] = 0.0
                reach[i, b] = 0.0
                continue
            begin, end = indptr[t], indptr[t + 1]
            j = indices[begin]
            is_single = end - begin == 1
            for k in range(d):
                low[a, k] = low[t, k]
                low[b, k] = low[t, k]
                high[a, k] = high[t, k]
                high[b, k] = high[t, k]
            for v in range(share.shape[1]):
                held[a, v] = held[t, v]
                held[b, v] = held[t, v]
            if cat_ptr[t] < cat_ptr[t + 1]:
                part = _divide_values(
                    held, first[j], size[j], cat_codes, cat_ptr[t], cat_ptr[t + 1], cat_left[t],
                    cat_open[t], missing_left[t], goes_left, a, b, t, by_feature,
                )  # fmt: skip
            else:
                mean = _score(X, i, indices, values, begin, end)
                if mean != mean:
                    part = missing_left[t]
                elif is_single and by_feature and std[i, j] > 0.0:
                    cut = threshold[t] / values[begin]
                    part = _passes(X[i, j], std[i, j], low[t, j], high[t, j], cut)
                    if values[begin] > 0.0:
                        high[a, j] = min(high[t, j], cut)
                        low[b, j] = max(low[t, j], cut)
                    else:
                        part = 1.0 - part
                        low[a, j] = max(low[t, j], cut)
                        high[b, j] = min(high[t, j], cut)
                else:
                    variance = _variance(std, joint, i, indices, values, begin, end)
                    part = _passes(mean, math.sqrt(variance), -np.inf, np.inf, threshold[t])
            reach[i, a] = reach[i, t] * part
            reach[i, b] = reach[i, t] * (1.0 - part)


@inline
def _truncate(mean, joint, column, alpha, deviation, sign, new_mean, new_joint):
    """Mean and covariance given ``sign * (w . x - c) <= 0``; alpha is in deviations.

    ``column`` is Sigma w. With lambda = phi(alpha) / Phi(alpha) the mean moves by
    -Sigma w lambda / s, the covariance by -(Sigma w)(Sigma w)' lambda (lambda + alpha) / s^2.
    """
    d = mean.shape[0]
    passed = _phi(alpha)
    dense = _INVERSE_ROOT_TWO_PI * math.exp(-0.5 * alpha * alpha)
    # Far in the tail the ratio tends to -alpha.
    ratio = dense / passed if passed > 1e-300 else -alpha
    shrink = min(max(ratio * (ratio + alpha), 0.0), 1.0)
    for j in range(d):
        new_mean[j] = mean[j] - sign * column[j] * ratio / deviation
        for k in range(d):
            move = column[j] / deviation * (column[k] / deviation) * shrink
            new_joint[j, k] = joint[j, k] - move


@jit
def reach_by_moments(
    X, std, joint, share, first, size, left, right, indptr, indices, values, threshold, cat_ptr,
    cat_codes, cat_left, cat_open, missing_left, reach,
):  # fmt: skip
    """`reach_by_clauses` where each linear clause leaves a normal of the truncated moments."""
    n, d = X.shape
    n_nodes = left.shape[0]
    means = np.empty((n_nodes, d))
    joints = np.empty((n_nodes, d, d))
    held = np.empty((n_nodes, share.shape[1]))
    goes_left = np.empty(share.shape[1])
    column = np.empty(d)
    for i in range(n):
        reach[i, 0] = 1.0
        for j in range(d):
            means[0, j] = X[i, j]
            for k in range(d):
                if joint.shape[0] > 0:
                    joints[0, j, k] = joint[i, j, k]
                else:
                    joints[0, j, k] = std[i, j] * std[i, j] if j == k else 0.0
        for v in range(share.shape[1]):
            held[0, v] = share[i, v]
        for t in range(n_nodes):
            if left[t] < 0:
                continue
            a, b = left[t], right[t]
            if reach[i, t] <= 0.0:
                reach[i, a] = 0.0
                reach[i, b] = 0.0
                continue
            for v in range(share.shape[1]):
                held[a, v] = held[t, v]
                held[b, v] = held[t, v]
            begin, end = indptr[t], indptr[t + 1]
            j = indices[begin]
            is_cut = False
            deviation = 0.0
            alpha = 0.0
            if cat_ptr[t] < cat_ptr[t + 1]:
                part = _divide_values(
                    held, first[j], size[j], cat_codes, cat_ptr[t], cat_ptr[t + 1], cat_left[t],
                    cat_open[t], missing_left[t], goes_left, a, b, t, True,
                )  # fmt: skip
            else:
                mean = _score(means, t, indices, values, begin, end)
                variance = 0.0
                original = _variance(std, joint, i, indices, values, begin, end)
                for k in range(d):
                    column[k] = 0.0
                    for p in range(begin, end):
                        column[k] += joints[t, k, indices[p]] * values[p]
                for p in range(begin, end):
                    variance += column[indices[p]] * values[p]
                if mean != mean:
                    part = missing_left[t]
                # What is left of a variance after many clauses may be rounding.
                elif variance <= 1e-12 * original:
                    part = 1.0 if mean <= threshold[t] else 0.0
                else:
                    deviation = math.sqrt(variance)
                    alpha = (threshold[t] - mean) / deviation
                    part = _phi(alpha)
                    is_cut = True
            if is_cut:
                _truncate(means[t], joints[t], column, alpha, deviation, 1.0, means[a], joints[a])
                _truncate(means[t], joints[t], column, -alpha, deviation, -1.0, means[b], joints[b])
            else:
                means[a] = means[t]
                means[b] = means[t]
                joints[a] = joints[t]
                joints[b] = joints[t]
            reach[i, a] = reach[i, t] * part
            reach[i, b] = reach[i, t] * (1.0 - part)
