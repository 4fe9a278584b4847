"""Records of checks: written and read back, and refused if damaged."""

import json

import pytest
from support.check_results import CLEAR, RCS, RUCB, verdict

from rankduel.base.errors import RecordsError
from rankduel.experiments.studies.study import Between, Exact, Measure, Order
from rankduel.experiments.studies.verdicts import read_records, summary, write_records

ABOUT = {"study": "s", "title": "t", "source": "s", "tier": "quick"}


def test_records_are_read_back(tmp_path):
    records = [
        verdict(test, CLEAR) for test in (Order(RCS, RUCB), Exact(Measure("c", "x"), 3), Between(RUCB, 0))
    ]
    write_records(records, tmp_path / "checks.json", ABOUT)
    about, back = read_records(tmp_path / "checks.json")
    assert about == ABOUT
    assert [str(record) for record in back] == [
        str(record) for record in records
    ]  # compared as text, as NaN is not equal to itself
    assert summary(back) == "3 hold"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("{", "Expecting"),
        ("[]", "a list; expected a table"),
        ("null", "nothing; expected a table"),
        ("[" * 20_000, "nested too deeply"),
        ('{"checks": []}', "'study' is missing"),
        ({"checks": 5}, "checks is 5; expected a list"),
        ({"checks": [5]}, "checks 1 is 5; expected a table"),
        ({"tier": "shorter"}, "tier is the text 'shorter'"),
        ({"title": 5}, "title is 5"),
        ({"title": "\ud800"}, "title is the text '?'"),
        ({"more": 5}, "no field 'more'"),
        ({"id": 5}, "checks 1: id is 5; expected text"),
        ({"verdict": "maybe"}, "verdict is the text 'maybe'; expected holds or"),
        ({"lhs": [1]}, "lhs is a list; expected a number"),
        ({"lhs": 10**400}, "lhs is a huge number; expected a number"),
        ({"z": "1"}, "z is the text '1'; expected a number"),
        ({"n_lhs": 1.5}, "n_lhs is 1.5; expected a whole number"),
    ],
)
def test_damaged_records_are_refused(tmp_path, change, reason):
    path = tmp_path / "checks.json"
    write_records([verdict(Order(RCS, RUCB), CLEAR)], path, ABOUT)
    if isinstance(change, dict):
        about = json.loads(path.read_text())
        row = {key: value for key, value in change.items() if key in about["checks"][0]}
        about["checks"] = [about["checks"][0] | row]
        change = json.dumps(about | (change if not row else {}))
    path.write_text(change)
    with pytest.raises(RecordsError) as refused:
        read_records(path)
    message = str(refused.value)
    assert message.startswith(f"{path}: damaged (") and reason in message and "study check" in message
