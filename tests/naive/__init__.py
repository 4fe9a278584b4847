"""Slow, obvious versions of the fast kernels, one file each. They share no code with the kernels.

A ranking is a tuple of documents. A page with its probability is (probability, page, sides). `sides` holds
for each rank 0 or 1, the ranking that contributed the document, or None if neither did. Probabilities are
Fractions if the arguments are.
"""

from naive.balanced import balanced_credit, balanced_pages
from naive.click_patterns import click_patterns, reading_outcomes
from naive.document_constraints import constraints_credit
from naive.interleaving_odds import bias_by_clicks, interleaving_odds
from naive.letor_reader import BadLine, letor_float, read_letor
from naive.letor_text import letor_number, letor_text, parse_letor
from naive.list_ends import filled
from naive.live_duel import live_clicks, live_lead, live_page
from naive.measures import MEASURES, dcg, expected_measure
from naive.optimized import allowed_pages, openness, optimized_credit, sign
from naive.paired_tests import holm, sign_flip_p
from naive.probabilistic import (
    assignments_by_page,
    exploitative_lead,
    marginal_odds,
    posterior,
    probabilistic_pages,
)
from naive.rankers import linear_score
from naive.rankings import (
    positions,
    ranking,
    run_order,
    splitmix_mix,
    text_hash,
    tie_breaks,
    tie_groups,
    tie_marks,
    tied_pairs,
)
from naive.ranklib import ensemble_score, ensemble_text
from naive.synthetic_data import calibrated_query, synthetic_query
from naive.team_draft import team_credit, team_draft_pages
from naive.trec_runs import trec_places, trec_rows

__all__ = [
    "calibrated_query",
    "MEASURES",
    "BadLine",
    "allowed_pages",
    "balanced_credit",
    "balanced_pages",
    "click_patterns",
    "assignments_by_page",
    "bias_by_clicks",
    "constraints_credit",
    "dcg",
    "ensemble_score",
    "ensemble_text",
    "expected_measure",
    "exploitative_lead",
    "filled",
    "holm",
    "interleaving_odds",
    "letor_float",
    "letor_number",
    "letor_text",
    "linear_score",
    "live_clicks",
    "live_lead",
    "live_page",
    "marginal_odds",
    "openness",
    "optimized_credit",
    "parse_letor",
    "positions",
    "posterior",
    "probabilistic_pages",
    "ranking",
    "read_letor",
    "run_order",
    "sign",
    "sign_flip_p",
    "splitmix_mix",
    "synthetic_query",
    "team_credit",
    "team_draft_pages",
    "text_hash",
    "tie_breaks",
    "tie_groups",
    "tie_marks",
    "tied_pairs",
    "trec_places",
    "trec_rows",
    "reading_outcomes",
]
