"""LETOR text, value by value."""

import math


def letor_number(value):
    """Return a float as text: an integer without a point, up to six decimals if exact, otherwise its repr."""
    if value == int(value) and abs(value) < 2**53:
        return ("-" if math.copysign(1, value) < 0 else "") + str(abs(int(value)))
    six = f"{value:.6f}"
    if abs(value) * 1e6 < 2**50 and float(six) == value:
        return six.rstrip("0")
    return repr(value)


def letor_text(letor, sparse=False, missing="NULL"):
    lines = []
    for q in range(letor.n_queries):
        for doc in range(letor.offsets[q], letor.offsets[q + 1]):
            words = [str(letor.labels[doc]), f"qid:{letor.query_ids[q]}"]
            for i, column in enumerate(letor.columns):
                value = float(column[doc])
                if sparse and value == 0 and math.copysign(1, value) > 0:
                    continue
                text = missing if math.isnan(value) else letor_number(value)
                words.append(f"{letor.feature_names[i]}:{text}")
            comment = letor.comments[doc].as_py() if letor.comments is not None else ""
            lines.append(" ".join(words) + (f" #{comment}" if comment else "") + "\n")
    return "".join(lines)


def parse_letor(text, n_features, index_base=1, missing="NULL"):
    """Return lists of grades, query ids, rows of floats, and comments, with one entry per line."""
    grades, queries, rows, comments = [], [], [], []
    for line in text.split("\n")[:-1]:
        data, _, comment = line.partition("#")
        grade, query, *pairs = data.split()
        row = [0.0] * n_features
        for pair in pairs:
            index, value = pair.split(":")
            row[int(index) - index_base] = math.nan if value == missing else float(value)
        grades.append(int(grade))
        queries.append(query.removeprefix("qid:"))
        rows.append(row)
        comments.append(comment)
    return grades, queries, rows, comments
