"""Tables fit the width of the screen."""

import pytest

from rankduel.cli import console


@pytest.mark.parametrize(("width", "gap"), [(40, 2), (27, 1)])
def test_a_wide_table_has_smaller_gaps_instead_of_folded_names(monkeypatch, capsys, width, gap):
    monkeypatch.setattr(console.screen, "width", width)
    table = console.plain_table()
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True)
    table.add_row("self_sparring", "1,234,567,890")
    console.print_fitted(table)
    assert capsys.readouterr().out.strip() == f"self_sparring{' ' * gap}1,234,567,890"
