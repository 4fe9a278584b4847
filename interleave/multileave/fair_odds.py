"""The fairest distribution over some pages, by a simplex method for few pages and many rankers.

Find probabilities p of n pages, with sum 1, that minimise, in this order,

1. the unfairness, the sum of |r_i| over residuals r_i that are linear in p;
2. the mean spread, linear in p;
3. -p_0, then -p_1, and so on.

The third goal makes the solution unique: of several optima, the first page gets its largest possible
probability, then the second, and so on. The solution depends on the programme alone, not on the order of the
pivots.

At a vertex n - 1 of the quantities (probabilities and residuals) are 0, the nonbasic ones; the others, the
basic ones, are affine functions of them. `Programme.table` holds these functions, a column per nonbasic
quantity and a row per basic one. The residuals need not be split into two parts: a step passes those that
change sign as long as the unfairness decreases (Barrodale and Roberts, "An improved algorithm for discrete L1
linear approximation", SIAM Journal on Numerical Analysis 1973). A goal that is reached restricts those after
it to its optimal face: quantities with a positive reduced cost stay 0, and residuals keep their sign.

Pages have documents in common, so many residuals are 0 at the same vertex, and a simplex method may cycle.
Every residual is therefore perturbed by a different infinitesimal number, its tilt, which decides between
equal ratios.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rankduel.base.compiling import kernel

_VALUE = 0  # column of the table: the basic quantities at the vertex; nonbasic columns follow, then the tilts
_RESIDUAL = -1  # entry of `basic` and `nonbasic` for a residual; other entries are pages
_SPREAD = -1  # the goal to minimise the spread; other goals are pages
_ZERO = 1e-10  # smaller values are 0
_ZERO_SLOPE = 1e-9  # smaller slopes and pivots are 0


class Programme(NamedTuple):
    """Workspace for a linear programme of at most R residuals; made by `workspace_for`.

    With R' residuals in use, row R' is the page that is basic at the start, and row R' + 1 is the spread.
    """

    table: np.ndarray  # (pages + 1, R + 2) float64
    basic: np.ndarray  # (R + 2,) int64: the page of each row, or _RESIDUAL
    nonbasic: np.ndarray  # (pages + 1,) int64: the page of each column, or _RESIDUAL
    signs: np.ndarray  # (R + 2,) float64: of the residual of each row; 0 for a page
    directions: np.ndarray  # (pages + 1,) float64: the sign that a nonbasic quantity may take; 0: it stays 0
    slopes: np.ndarray  # (pages + 1,) float64: of the goal in each column
    tilts: np.ndarray  # (R + 2,) float64
    ratios: np.ndarray  # (2, R + 2) float64: step length at which each row is 0, and its infinitesimal part
    turns: np.ndarray  # (R + 2,) float64: increase of the goal's slope there; inf if the step has to end
    rows: np.ndarray  # (R + 2,) int64: the rows that a step moves towards 0
    chances: np.ndarray  # (pages,) float64: the solution


def workspace_for(n_pages: int, n_residuals: int) -> Programme:
    """Return workspace for programmes of at most `n_pages` pages and `n_residuals` residuals."""
    n_rows, n_columns = n_residuals + 2, n_pages + 1
    return Programme(
        table=np.zeros((n_columns, n_rows)),
        basic=np.zeros(n_rows, np.int64),
        nonbasic=np.zeros(n_columns, np.int64),
        signs=np.zeros(n_rows),
        directions=np.zeros(n_columns),
        slopes=np.zeros(n_columns),
        tilts=np.random.default_rng(0).uniform(0.5, 1.0, n_rows),
        ratios=np.zeros((2, n_rows)),
        turns=np.zeros(n_rows),
        rows=np.zeros(n_rows, np.int64),
        chances=np.zeros(n_pages),
    )


@kernel
def solve(programme, n_pages, n_residuals):
    """Solve the programme and store the solution in `chances[:n_pages]`.

    On entry `table[page, :n_residuals]` holds the residuals of every page, and `table[page, n_residuals + 1]`
    its spread. The table is overwritten.
    """
    n_rows = n_residuals + 2
    _start(programme, n_pages, n_rows)
    _minimise_unfairness(programme, n_pages, n_rows)
    _minimise(programme, n_pages, n_rows, _SPREAD)
    for page in range(n_pages):
        if _is_settled(programme.directions, n_pages):
            break
        _minimise(programme, n_pages, n_rows, page)
    _read_chances(programme, n_pages, n_rows)


@kernel
def _start(programme, n_pages, n_rows):
    """Start at the vertex at which page 0 has probability 1; residuals are basic, other pages nonbasic."""
    table, first, spread = programme.table, n_rows - 2, n_rows - 1
    largest = 0.0
    for page in range(n_pages):
        table[page, first] = 1.0 if page == 0 else 0.0
        largest = max(largest, table[page, spread])
    for page in range(n_pages):
        programme.nonbasic[page] = page
        if largest > 0.0:
            table[page, spread] /= largest
        if page > 0:
            for row in range(n_rows):
                table[page, row] -= table[_VALUE, row]
    for row in range(n_rows):
        table[n_pages, row] = programme.tilts[row] if row < first else 0.0
        programme.basic[row] = _RESIDUAL
    programme.basic[first] = 0


@kernel
def _minimise_unfairness(programme, n_pages, n_rows):
    table, nonbasic, directions = programme.table, programme.nonbasic, programme.directions
    for _ in range(_most_steps(n_pages, n_rows)):
        _sign_residuals(programme, n_pages, n_rows)
        entering, steepest = 0, -_ZERO_SLOPE
        for column in range(1, n_pages):
            # Moving this quantity x away from 0 changes sum_i |r_i| at the rate sum_i sign(r_i) dr_i/dx. If x
            # is itself a residual, |x| adds 1 in either direction, and the better direction has slope 1 -
            # |sum|.
            slope = _weighted_sum(programme.signs, table, column, n_rows)
            directions[column] = 1.0
            if nonbasic[column] == _RESIDUAL:  # it may take either sign, and adds to the unfairness
                directions[column] = -1.0 if slope > 0.0 else 1.0
                slope = 1.0 - abs(slope)
            programme.slopes[column] = slope
            if slope < steepest:
                entering, steepest = column, slope
        if entering == 0:
            break
        # Along the step the unfairness is convex and piecewise linear: where r_i changes sign, its slope
        # grows by 2 |dr_i/dx|. The step goes on past such points until the slope is no longer negative.
        n_found = _find_ratios(programme, n_pages, n_rows, entering, True)
        _pivot(programme, n_pages, n_rows, entering, _leaving_row(programme, n_found, steepest))
    _keep_face(programme, n_pages)


@kernel
def _minimise(programme, n_pages, n_rows, goal):
    """Minimise the spread, or minus the probability of a page, on the optimal face of all earlier goals."""
    for _ in range(_most_steps(n_pages, n_rows)):
        row = n_rows - 1 if goal == _SPREAD else _row_of(programme.basic, n_rows, goal)
        entering, steepest = 0, -_ZERO_SLOPE
        for column in range(1, n_pages):
            slope = _slope(programme, goal, row, column)
            programme.slopes[column] = slope
            if slope < steepest:
                entering, steepest = column, slope
        if entering == 0:
            break
        n_found = _find_ratios(programme, n_pages, n_rows, entering, False)
        leaving = _leaving_row(programme, n_found, steepest)
        # On the face of earlier goals no residual may change sign. The leaving quantity becomes nonbasic with
        # the sign that it had, and the entering one becomes basic with the sign that it moves to.
        direction, sign = programme.directions[entering], programme.signs[leaving]
        programme.directions[entering] = 1.0 if programme.basic[leaving] != _RESIDUAL else sign
        programme.signs[leaving] = 0.0 if programme.nonbasic[entering] != _RESIDUAL else direction
        _pivot(programme, n_pages, n_rows, entering, leaving)
    _keep_face(programme, n_pages)


@kernel
def _most_steps(n_pages, n_rows):
    """Return a limit far above the steps that are needed, so that rounding errors cannot prevent the end."""
    return 50 * (n_pages + n_rows)


@kernel
def _sign_residuals(programme, n_pages, n_rows):
    """Store the signs of the basic residuals; the sign of a residual of 0 is that of its tilt."""
    table = programme.table
    for row in range(n_rows):
        value, tilt = table[_VALUE, row], table[n_pages, row]
        programme.signs[row] = 1.0 if value > 0.0 or (value == 0.0 and tilt >= 0.0) else -1.0
    programme.signs[n_rows - 1] = 0.0
    for row in range(n_rows - 1):
        if programme.basic[row] != _RESIDUAL:
            programme.signs[row] = 0.0


@kernel
def _weighted_sum(weights, table, column, n_rows):
    """Return the weighted sum of a column. Four partial sums let the processor overlap additions."""
    a = b = c = d = 0.0
    whole = n_rows - n_rows % 4
    for row in range(0, whole, 4):
        a += weights[row] * table[column, row]
        b += weights[row + 1] * table[column, row + 1]
        c += weights[row + 2] * table[column, row + 2]
        d += weights[row + 3] * table[column, row + 3]
    for row in range(whole, n_rows):
        a += weights[row] * table[column, row]
    return (a + b) + (c + d)


@kernel
def _slope(programme, goal, row, column):
    """Return the slope of a goal in a nonbasic quantity; `row` is the row of the goal, or -1."""
    direction = programme.directions[column]
    if goal == _SPREAD:
        return programme.table[column, row] * direction
    if programme.nonbasic[column] == goal:
        return -direction
    return -programme.table[column, row] * direction if row >= 0 else 0.0


@kernel
def _row_of(basic, n_rows, page):
    for row in range(n_rows - 1):
        if basic[row] == page:
            return row
    return -1


@kernel
def _leaving_row(programme, n_found, slope):
    """Return the first row of `_find_ratios`, by ratio, at which the slope is not negative; -1 if none.

    A quickselect: the weighted median of the ratios, without sorting them.
    """
    rows, turns, low, high = programme.rows, programme.turns, 0, n_found
    while low < high:
        rows[high - 1], rows[(low + high) // 2] = rows[(low + high) // 2], rows[high - 1]
        middle, split, before = rows[high - 1], low, slope
        for at in range(low, high - 1):
            row = rows[at]
            if _is_before(programme.ratios, row, middle):
                before += turns[row]
                rows[at], rows[split] = rows[split], row
                split += 1
        rows[high - 1], rows[split] = rows[split], middle
        if before >= -_ZERO_SLOPE:
            high = split
        elif before + turns[middle] >= -_ZERO_SLOPE:
            return middle
        else:
            slope, low = before + turns[middle], split + 1
    return -1


@kernel
def _find_ratios(programme, n_pages, n_rows, column, may_pass):
    """List the rows that a step along a column moves towards 0, and return their number.

    A residual that changes sign adds twice its own slope to that of the unfairness. A probability may not
    change sign.
    """
    table, ratios, n_found = programme.table, programme.ratios, 0
    for row in range(n_rows - 1):
        change = table[column, row] * programme.directions[column]
        is_page = programme.basic[row] != _RESIDUAL
        if change * (1.0 if is_page else programme.signs[row]) < -_ZERO_SLOPE:
            # Row i is value + e tilt + x change, with an infinitesimal e > 0: it is 0 at x = -(value + e
            # tilt) / change. The two parts of x are compared in lexicographic order. Different tilts make all
            # x differ, so that every step improves the goal and no vertex comes back.
            ratios[0, row] = max(0.0, -table[_VALUE, row] / change)
            ratios[1, row] = -table[n_pages, row] / change
            # A residual may be passed at the price of this turn. A probability ends the step.
            programme.turns[row] = 2.0 * abs(change) if may_pass and not is_page else np.inf
            programme.rows[n_found] = row
            n_found += 1
    return n_found


@kernel
def _is_before(ratios, row, other):
    if ratios[0, row] == ratios[0, other]:
        return ratios[1, row] < ratios[1, other]
    return ratios[0, row] < ratios[0, other]


@kernel
def _pivot(programme, n_pages, n_rows, entering, leaving):
    """Exchange the nonbasic quantity of a column and the basic quantity of a row."""
    table, basic, nonbasic = programme.table, programme.basic, programme.nonbasic
    # Solve the row y = ... + p x of the leaving y for the entering x, x = (y - ...) / p, and put this into
    # all other rows. In place: entry a of another row and column becomes a - (its column's entry in the
    # pivot's row) (its row's entry in the pivot's column) / p.
    inverse = 1.0 / table[entering, leaving]
    for column in range(n_pages + 1):
        factor = table[column, leaving] * inverse
        if column != entering and factor != 0.0:
            for row in range(n_rows):
                table[column, row] -= factor * table[entering, row]
            table[column, leaving] = -factor
    for row in range(n_rows):
        table[entering, row] *= inverse
    table[entering, leaving] = inverse
    for row in range(n_rows):
        if abs(table[_VALUE, row]) < _ZERO:
            table[_VALUE, row] = 0.0
    basic[leaving], nonbasic[entering] = nonbasic[entering], basic[leaving]


@kernel
def _keep_face(programme, n_pages):
    """Fix at 0 the quantities that would worsen the goal that was reached."""
    for column in range(1, n_pages):
        # At an optimum a quantity with a positive slope is 0 in every optimal solution. The rest span the
        # face.
        if programme.slopes[column] > _ZERO_SLOPE:
            programme.directions[column] = 0.0


@kernel
def _is_settled(directions, n_pages):
    for column in range(1, n_pages):
        if directions[column] != 0.0:
            return False
    return True


@kernel
def _read_chances(programme, n_pages, n_rows):
    """Store the probabilities without rounding errors: none negative, with sum 1."""
    total = 0.0
    for page in range(n_pages):
        programme.chances[page] = 0.0
    for row in range(n_rows - 1):
        if programme.basic[row] != _RESIDUAL:
            chance = max(0.0, programme.table[_VALUE, row])
            programme.chances[programme.basic[row]] = chance
            total += chance
    for page in range(n_pages):
        programme.chances[page] /= total
