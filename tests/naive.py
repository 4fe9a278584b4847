"""Slow, obvious versions of the fast kernels. No cleverness, no sharing."""

import hashlib
import itertools
import math
import re
from fractions import Fraction
from statistics import NormalDist, fmean, pstdev

import numpy as np

# --- synthetic data and text


def letor_number(value):
    """A float as text: whole numbers bare, up to six decimals where that is exact, else repr."""
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
    """(grades, query ids, rows of floats, comments), one entry each per line."""
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


def synthetic_query(seed, query):
    """(grades, {(block, stream) or single: values}) of one query of the standard MSLR-shaped set."""
    rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(query,)))
    n = min(max(round(105 * math.exp(0.55 * rng.standard_normal())), 1), 1251)
    effect, irrelevant = 0.45 * rng.standard_normal(), rng.random() < 0.02
    z = [effect + math.sqrt(1 - 0.45**2) * eps for eps in rng.standard_normal(n)]
    eta, empty = rng.standard_normal((5, n)), rng.random((5, n))
    idf, fresh = rng.standard_normal(5), rng.standard_normal((115 + 11, n))
    cuts = [NormalDist().inv_cdf(share) for share in (0.52, 0.84, 0.97, 0.99)]
    grades = [0 if irrelevant else sum(cut < value for cut in cuts) for value in z]
    mean, sd = fmean(z), pstdev(z)
    streams = {"body": 0.42, "anchor": 0.30, "title": 0.36, "url": 0.24, "whole": 0.46}
    p_empty = {"anchor": 0.55, "title": 0.03}
    five = {"sum": 0, "min": -0.08, "max": 0, "mean": 0}
    blocks = {"covered": -0.14, "ratio": -0.14, "length": -0.30, "idf": 0}
    for name, variance in (("tf", -0.12), ("normalised tf", -0.13), ("tf-idf", -0.14)):
        blocks |= {f"{name} {how}": adjust for how, adjust in five.items()} | {f"{name} variance": variance}
    blocks |= {"boolean": -0.18, "vector space": 0, "bm25": 0.04}
    blocks |= {"lmir.abs": 0.02, "lmir.dir": 0.01, "lmir.jm": 0}
    columns, row = {}, 0
    for block, adjust in blocks.items():
        for s, (stream, load) in enumerate(streams.items()):
            if block == "idf":
                columns[block, stream] = [round(math.exp(0.5 * idf[s]), 6)] * n
                continue
            if block == "ratio":
                columns[block, stream] = [covered / 4 for covered in columns["covered", stream]]
                continue
            rho = max(0.02, load + adjust + (0.12 if (block, stream) == ("bm25", "whole") else 0))
            values = []
            for d in range(n):
                factor = 0.8 * eta[0, d] + 0.6 * eta[4, d] if stream == "whole" else eta[s, d]
                noise = math.sqrt(0.88) * factor + math.sqrt(0.12) * fresh[row, d]
                base = rho * (z[d] - mean) / sd + math.sqrt(1 - rho**2) * noise
                values.append(_synthetic_value(block, base, empty[s, d] < p_empty.get(stream, 0)))
            columns[block, stream] = values
            row += 1
    loads = (0.02, 0.03, 0.12, 0.04, 0.16, 0.13, 0.14, 0.13, 0.34, 0.22, 0.24)
    for k, rho in enumerate(loads):
        noise = math.sqrt(1 - rho**2) * fresh[row + k]
        columns[126 + k] = [rho * (z[d] - mean) / sd + noise[d] for d in range(n)]
    return grades, columns


def _synthetic_value(block, base, is_empty):
    if block.startswith("lmir"):
        return -30.0 if is_empty else round(-math.exp(2.2 - 0.3 * base), 6)
    if is_empty:
        return 0.0
    if block == "covered":
        return min(max(math.floor(1.6 + base), 0), 4)
    if block == "length":
        return math.floor(math.exp(5 + base))
    if block.startswith("tf "):
        return math.floor(math.exp(0.8 + 1.1 * base))
    if block == "boolean":
        return int(base > -0.4)
    return round(math.exp(0.5 * base), 6)


# --- trec


def trec_rows(judgments, runs, candidates, unjudged, ties):
    """[(qid, docno, grade, [score or None per run])]; a run is a list of (qid, docno, score)."""
    rows = []
    for query in dict.fromkeys(q for q, _, _ in judgments):
        grades = {docno: max(grade, 0) for q, docno, grade in judgments if q == query}
        lists = [{docno: score for q, docno, score in run if q == query} for run in runs]
        if ties == "trec_eval":
            lists = [trec_places(scores) for scores in lists]
        docnos = set(grades) if candidates == "judged" else {docno for scores in lists for docno in scores}
        for docno in sorted(docnos):
            if docno in grades or unjudged == "zero":
                rows.append((query, docno, grades.get(docno, 0), [scores.get(docno) for scores in lists]))
    return rows


def trec_places(scores):
    """Place from the bottom, by score and then docno, of each document of one query."""
    return {docno: place for place, docno in enumerate(sorted(scores, key=lambda d: (scores[d], d)), start=1)}


# --- rankings and metrics


def ranking(scores):
    """Document numbers, best score first, equal scores in file order."""
    return sorted(range(len(scores)), key=lambda doc: -scores[doc])


def tie_groups(scores):
    """The documents of each group of equal scores, best group first."""
    groups = []
    for doc in ranking(scores):
        if groups and scores[groups[-1][0]] == scores[doc]:
            groups[-1].append(doc)
        else:
            groups.append([doc])
    return groups


def tie_marks(scores):
    """Per rank: at the first of a group how many follow, later minus the distance to the first."""
    marks = []
    for group in tie_groups(scores):
        marks += [len(group) - 1] + [-distance for distance in range(1, len(group))]
    return marks


def tie_breaks(scores):
    """Every ranking these scores allow; under random ties all are equally likely."""
    choices = itertools.product(*(itertools.permutations(group) for group in tie_groups(scores)))
    return [[doc for group in choice for doc in group] for choice in choices]


def tied_pairs(scores):
    return sum(a == b for a, b in itertools.combinations(scores, 2))


def run_order(scores, *ranker, query):
    """Ties by SplitMix64 keys: the query's stream is seeded by both hashes, document d takes number d."""
    stream = splitmix_mix(text_hash("\0".join(ranker)) ^ text_hash(query))
    key = {doc: splitmix_mix(stream + (doc + 1) * 0x9E3779B97F4A7C15) for doc in range(len(scores))}
    return sorted(range(len(scores)), key=lambda doc: (-scores[doc], key[doc]))


def text_hash(text):
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def splitmix_mix(x):
    x %= 2**64
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def linear_score(rows, doc, weights, normalize):
    """Weighted sum for one document; rows are the query's documents, NaN is missing."""
    total = 0.0
    for feature, weight in enumerate(weights):
        present = [row[feature] for row in rows if not math.isnan(row[feature])]
        if weight == 0 or not present:
            continue
        value = rows[doc][feature]
        if math.isnan(value):
            value = min(present) if weight > 0 else max(present)
        if normalize:
            spread = max(present) - min(present)
            value = (value - min(present)) / spread if spread else 0.0
        total += weight * value
    return total


def dcg(grades, k, discount):
    total = 0.0
    for place, grade in enumerate(grades[:k], 1):
        divisor = math.log2(place + 1) if discount == "log2" else 1 if place == 1 else math.log2(place)
        total += (2**grade - 1) / divisor
    return total


def expected_ndcg(grades, scores, k, discount):
    """Mean over every way to break ties; 0 without a relevant document."""
    ideal = dcg(sorted(grades, reverse=True), k, discount)
    if ideal == 0:
        return 0.0
    values = [dcg([grades[doc] for doc in order], k, discount) / ideal for order in tie_breaks(scores)]
    return sum(values) / len(values)


# --- reading text


class BadLine(Exception):
    """args: line number, byte column"""


def read_letor(
    text, query_by="qid", index_base=1, max_features=100_000, top_grade=127, null=False, huge=False,
    nonfinite="refuse", unjudged="refuse", label_round="refuse", cuts=(),
):  # fmt: skip
    """One (label, query id or None, {index: value}, comment or None, record number) per document kept.

    A value that is missing is NaN. BadLine is raised for the first line that is wrong.
    """
    if text.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise BadLine(1, 1)
    text = text.removeprefix(b"\xef\xbb\xbf")
    documents, record = [], 0
    for number, line in enumerate(text.split(b"\n"), start=1):
        if b"\0" in line:
            raise BadLine(number, line.index(b"\0") + 1)
        body = line.removesuffix(b"\r")
        data, mark, comment = body.partition(b"#")
        end = len(data) + 1 if mark else len(line) + 1
        words = [(match.start() + 1, match.group()) for match in re.finditer(rb"[^ \t]+", data)]
        if not words:
            continue
        column, label = words.pop(0)
        try:
            grade = _letor_grade(label, top_grade, unjudged, label_round, cuts)
        except ValueError:
            raise BadLine(number, column) from None
        column, query = words[0] if words else (end, b"")
        if query_by == "comment" or (query_by == "side file" and not query.startswith(b"qid:")):
            query = None
        elif query.startswith(b"qid:") and query != b"qid:":
            words.pop(0)
        else:
            raise BadLine(number, column)
        row = {}
        for place, word in words:
            try:
                index, value = _letor_pair(word, null, huge, nonfinite)
            except ValueError:
                raise BadLine(number, place) from None
            if not index_base <= index < index_base + max_features or index in row:
                raise BadLine(number, place)
            row[index] = value
        if query_by == "comment":
            query = comment.strip(b" \t")
            if not query:
                raise BadLine(number, end)
            query = _utf8_or_latin1(query)
        elif query is not None:
            try:
                query = query.removeprefix(b"qid:").decode()
            except UnicodeDecodeError:
                if grade is not None:
                    raise BadLine(number, column + 4) from None
        if grade is not None:
            documents.append((grade, query, row, _utf8_or_latin1(comment) if mark else None, record))
        record += 1
    return documents


def letor_float(word):
    """What float() reads, without its underscores, spaces and words."""
    if set(word) - set(b"0123456789+-.eE"):
        raise ValueError(word)
    return float(word)


def _letor_grade(word, top_grade, unjudged, label_round, cuts):
    label = letor_float(word)
    if abs(label) < 5e-308 and word.lower().partition(b"e")[0].strip(b"+-.0"):
        raise ValueError(label)  # next to nothing, which is nobody's grade
    if label == -1 and unjudged != "refuse":
        return None if unjudged == "drop" else 0
    if label < 0:
        raise ValueError(label)
    if cuts:
        return sum(label >= cut for cut in cuts)
    whole = label if label == math.inf else math.floor(label)
    if label != whole and label_round == "refuse":
        raise ValueError(label)
    if label_round == "nearest" and label - whole >= 0.5:
        whole += 1
    if whole > top_grade:
        raise ValueError(label)
    return whole


def _letor_pair(word, null, huge, nonfinite):
    index, _, value = word.partition(b":")
    if not index or set(index) - set(b"0123456789"):
        raise ValueError(word)
    if value == b"NULL" and null:
        return int(index), math.nan
    if value.lower().lstrip(b"+-") in (b"nan", b"inf", b"infinity") and nonfinite == "missing":
        float(value)  # refuses '+-inf'
        return int(index), math.nan
    number = letor_float(value)
    if huge and abs(number) >= 1e300:
        return int(index), math.nan
    if math.isinf(number):
        raise ValueError(word)
    return int(index), number


def _utf8_or_latin1(raw):
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


# --- interleaving
#
# A ranking is a tuple of documents. A page with its chance is (chance, page, side), where `side` is what
# credit may need besides: 0 or 1 per rank for whose document it is, None for nobody's. Chances are Fractions
# wherever the numbers given are.


def balanced_pages(left, right, k):
    shown = []
    for leader in (0, 1):
        page, i, j = [], 0, 0
        while len(page) < min(k, len(left)):
            if i < j or (i == j and leader == 0):
                page += [left[i]] if left[i] not in page else []
                i += 1
            else:
                page += [right[j]] if right[j] not in page else []
                j += 1
        shown.append((Fraction(1, 2), tuple(page), None))
    return shown


def balanced_credit(left, right, page, clicks, lerot=False):
    clicked = [doc for doc, click in zip(page, clicks) if click]
    if not clicked:
        return 0
    looked = clicked if lerot else clicked[-1:]
    depth = min(max(left.index(doc) for doc in looked), max(right.index(doc) for doc in looked))
    one, other = (len({*clicked} & {*ranking[: depth + 1]}) for ranking in (left, right))
    return Fraction(one - other, max(1, one + other))


def team_draft_pages(left, right, k, neutral=False):
    prefix = []
    while neutral and len(prefix) < min(k, len(left)) and left[len(prefix)] == right[len(prefix)]:
        prefix.append(left[len(prefix)])
    stories = [(Fraction(1), tuple(prefix), (None,) * len(prefix))]
    while len(stories[0][1]) < min(k, len(left)):
        grown = []
        for chance, page, teams in stories:
            lead = teams.count(0) - teams.count(1)
            for captain in (0, 1) if lead == 0 else (1,) if lead > 0 else (0,):
                pick = next(doc for doc in (left, right)[captain] if doc not in page)
                grown.append((chance / (2 if lead == 0 else 1), (*page, pick), (*teams, captain)))
        stories = grown
    return stories


def team_credit(teams, clicks):
    return sum({0: 1, 1: -1, None: 0}[team] for team, click in zip(teams, clicks) if click)


def constraints_credit(left, right, page, clicks, kind):
    broken = [0, 0]
    for h in range(len(page)):
        if clicks[h]:
            lows = [t for t in range(h) if not clicks[t]]
            t = h + 1
            while kind == 3 and t < len(page) and clicks[t]:
                t += 1
            if kind >= 2 and t < len(page) and not clicks[t]:
                lows.append(t)
            for t in lows:
                for x, ranking in enumerate((left, right)):
                    broken[x] += ranking.index(page[t]) < ranking.index(page[h])
    return Fraction(broken[1] - broken[0], max(1, sum(broken)))


def probabilistic_pages(left, right, k, tau=3, rate=Fraction(1, 2)):
    """Every page with every sequence of coins; the second ranking draws at this rate."""
    stories = [(Fraction(1), (), ())]
    for _ in range(min(k, len(left))):
        grown = []
        for chance, page, coins in stories:
            for coin, ranking in enumerate((left, right)):
                weights = {d: Fraction(r) ** -tau for r, d in enumerate(ranking, 1) if d not in page}
                for doc, weight in weights.items():
                    share = weight / sum(weights.values()) * (rate if coin else 1 - rate)
                    grown.append((chance * share, (*page, doc), (*coins, coin)))
        stories = grown
    return stories


def coins_by_page(stories):
    """page -> (its chance, the chance of each sequence of coins given the page)."""
    pages = {}
    for chance, page, coins in stories:
        pages.setdefault(page, {})[coins] = chance
    totals = {page: sum(coins.values()) for page, coins in pages.items()}
    return {
        page: (totals[page], {c: p / totals[page] for c, p in coins.items()}) for page, coins in pages.items()
    }


def posterior(coins, rank):
    """The chance that the first ranking filled this rank."""
    return sum(chance for thrown, chance in coins.items() if thrown[rank] == 0)


def marginal_odds(coins, clicks):
    """(loss, tie, win) by the coins, given page and clicks."""
    odds = [0, 0, 0]
    for thrown, chance in coins.items():
        odds[1 + _sign(team_credit(thrown, clicks))] += chance
    return odds


def allowed_pages(left, right):
    """All orders of documents whose every prefix is a prefix of one ranking and a prefix of the other."""
    n = len(left)
    unions = {frozenset(left[:i] + right[:j]) for i in range(n + 1) for j in range(n + 1)}
    return {
        page
        for page in itertools.permutations(sorted({*left, *right}), n)
        if all(frozenset(page[:t]) in unions for t in range(n + 1))
    }


def optimized_credit(left, right, doc, kind):
    a, b = (ranking.index(doc) + 1 if doc in ranking else len(left) + 1 for ranking in (left, right))
    return {"binary": Fraction(_sign(b - a)), "linear": Fraction(b - a), "inverse": Fraction(b - a, a * b)}[
        kind
    ]


def openness(left, right, page):
    """How open the winner of a page is: Radlinski and Craswell's sensitivity, attention 1 / rank."""
    total = sum(1 / t for t in range(1, len(page) + 1))
    sides = [0.0, 0.0]
    for t, doc in enumerate(page, 1):
        credit = optimized_credit(left, right, doc, "binary")
        if credit:
            sides[credit < 0] += 1 / t / total
    return -sum(w * math.log2(w / sum(sides)) for w in sides if w > 0)


def _sign(number):
    return (number > 0) - (number < 0)


def click_stories(grades, p_click, p_stop, attention=(1,), any_stop=False):
    """Every set of clicks a user may leave behind, with its chance: read, click or not, leave or not."""
    done, reading = {}, [(1, ())]
    for rank, grade in enumerate(grades):
        click, stop = attention[min(rank, len(attention) - 1)] * p_click[grade], p_stop[grade]
        still = []
        for chance, clicks in reading:
            for flag, p in ((True, click), (False, 1 - click)):
                leave = stop if flag or any_stop else 0
                after = (*clicks, flag)
                ended = after + (False,) * (len(grades) - len(after))
                done[ended] = done.get(ended, 0) + chance * p * leave
                still.append((chance * p * (1 - leave), after))
        reading = still
    for chance, clicks in reading:
        done[clicks] = done.get(clicks, 0) + chance
    return {clicks: chance for clicks, chance in done.items() if chance}


def interleaving_odds(left, right, k, method, setting, patterns, tau=3, judges=None):
    """(loss, tie, win) for the first: every page, every set of clicks, every coin.

    `setting` is the method's credit, prefix or type; `patterns(page)` gives the chances of clicks; `judges`
    are the rankings that credit looks at, if not those that made the page.
    """
    judge_left, judge_right = judges or (left, right)
    odds = [0, 0, 0]
    for chance, page, verdict in _judged_pages(left, right, k, method, setting, tau, judge_left, judge_right):
        for clicks, p in patterns(page).items():
            for i, share in enumerate(verdict(clicks)):
                odds[i] += chance * p * share
    return odds


def _judged_pages(left, right, k, method, setting, tau, judge_left, judge_right):
    """(chance, page, clicks -> (loss, tie, win)) of every page."""
    if method == "team_draft":
        for chance, page, teams in team_draft_pages(left, right, k, setting == "neutral"):
            yield chance, page, lambda clicks, teams=teams: _for_sure(team_credit(teams, clicks))
    elif method in ("balanced", "document_constraints"):
        for chance, page, _ in balanced_pages(left, right, k):
            if method == "balanced":

                def credit(clicks, page=page):
                    return balanced_credit(judge_left, judge_right, page, clicks, setting == "lerot")
            else:

                def credit(clicks, page=page):
                    return constraints_credit(judge_left, judge_right, page, clicks, int(setting))

            yield chance, page, lambda clicks, credit=credit: _for_sure(credit(clicks))
    else:
        judged = coins_by_page(probabilistic_pages(judge_left, judge_right, k, tau))
        for page, (chance, coins) in coins_by_page(probabilistic_pages(left, right, k, tau)).items():
            coins = coins if setting == "assignment" else judged[page][1]
            yield chance, page, lambda clicks, coins=coins: _probabilistic_verdict(coins, clicks, setting)


def _probabilistic_verdict(coins, clicks, credit):
    loss, tie, win = marginal_odds(coins, clicks)
    if credit == "assignment" or not any(clicks):
        return loss, tie, win
    if credit == "marginal_bernoulli":
        return (1 - win + loss) / 2, 0, (1 + win - loss) / 2
    return _for_sure(win - loss if abs(win - loss) > 1e-12 else 0)


def _for_sure(lead):
    return lead < 0, lead == 0, lead > 0


# --- click models


def user_stories(p_click, p_stop, stop, attention, grades):
    """Every way a user can go through a page: (its probability, how many ranks reached, what was clicked)."""
    stories = []

    def read(rank, chance, clicked):
        if rank == len(grades):
            stories.append((chance, rank, clicked))
            return
        look = attention[rank] if rank < len(attention) else attention[-1]
        click = p_click[grades[rank]]
        for clicks, happens in [(True, look * click), (False, look * (1 - click)), (False, 1 - look)]:
            leave = p_stop[grades[rank]] if clicks or stop == "any" else 0
            if stop in ("first", "never"):
                leave = 1 if clicks and stop == "first" else 0
            rest = [False] * (len(grades) - rank - 1)
            stories.append((chance * happens * leave, rank + 1, (*clicked, clicks, *rest)))
            read(rank + 1, chance * happens * (1 - leave), (*clicked, clicks))

    read(0, 1, ())
    return stories


# --- live duels
#
# `groups` is a ranking with its ties: lists of documents, best first.


def live_lead(rng, first_groups, second_groups, grades, k, method, setting, p_click, p_stop):
    """One impression, all of it: break ties, make the page, let the user click, give credit."""
    left, right = _shuffled(rng, first_groups), _shuffled(rng, second_groups)
    page, sides, shares = live_page(rng, left, right, k, method)
    clicks = live_clicks(rng, [grades[doc] for doc in page], p_click, p_stop)
    if method == "balanced":
        return balanced_credit(left, right, page, clicks, setting == "lerot")
    if method == "document_constraints":
        return constraints_credit(left, right, page, clicks, int(setting))
    if method == "team_draft" or setting == "assignment":
        return team_credit(sides, clicks)
    return _open_coins_lead([share for share, click in zip(shares, clicks) if click])


def live_page(rng, left, right, k, method):
    """(page, whose document each is, the chance that it is the first's given the page)."""
    page, sides, shares = [], [], []
    if method in ("balanced", "document_constraints"):
        return list(balanced_pages(left, right, k)[int(rng.random() < 0.5)][1]), sides, shares
    while len(page) < min(k, len(left)):
        if method == "team_draft":
            lead = sides.count(0) - sides.count(1)
            side = int(rng.random() < 0.5) if lead == 0 else int(lead > 0)
            doc = next(doc for doc in (left, right)[side] if doc not in page)
        else:
            side = int(rng.random() < 0.5)
            soft = [
                {doc: rank**-3 for rank, doc in enumerate(ranking, 1) if doc not in page}
                for ranking in (left, right)
            ]
            doc = _drawn(rng, soft[side])
            u, v = (weights[doc] / sum(weights.values()) for weights in soft)
            shares.append(u / (u + v))
        page.append(doc)
        sides.append(side)
    return page, sides, shares


def live_clicks(rng, grades, p_click, p_stop):
    clicks = [False] * len(grades)
    for rank, grade in enumerate(grades):
        clicks[rank] = rng.random() < p_click[grade]
        if clicks[rank] and rng.random() < p_stop[grade]:
            break
    return clicks


def _shuffled(rng, groups):
    return [group[i] for group in groups for i in (rng.permutation(len(group)) if len(group) > 1 else [0])]


def _drawn(rng, weights):
    docs, running = list(weights), list(itertools.accumulate(weights.values()))
    number = rng.random() * running[-1]
    return next(doc for doc, sum_so_far in zip(docs, running) if sum_so_far > number)


def _open_coins_lead(shares):
    """P(D > 0) - P(D < 0) for D a sum of +1 with these chances, else -1."""
    odds = {0: 1.0}
    for share in shares:
        grown = {}
        for lead, chance in odds.items():
            grown[lead + 1] = grown.get(lead + 1, 0) + chance * share
            grown[lead - 1] = grown.get(lead - 1, 0) + chance * (1 - share)
        odds = grown
    lead = sum(_sign(lead) * chance for lead, chance in odds.items())
    return lead if abs(lead) > 1e-12 else 0
