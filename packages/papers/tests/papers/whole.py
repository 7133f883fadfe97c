"""What holds of every reproduction, however small its data."""

from __future__ import annotations

import json

from howsure_papers.reproduction import Numbers, Reproduction


def rows_of(table: Numbers) -> list[list[str]]:
    """The cells of a table, as a page shows them."""
    return [list(row) for row in table.table().rows]


def check_whole(result: Reproduction) -> None:
    """Its JSON is plain, every figure is drawn, every table has its cells, and all of it stands on the page."""
    json.dumps(result.to_dict(), allow_nan=False)
    page = result.page("howsure", "folder")
    assert len(result.draw()) == len(result.drawings)
    assert all(f"(folder/{drawing.name}.svg)\n\n*{drawing.caption}*" in page for drawing in result.drawings)
    assert all(quotation in result.text() and quotation not in page for quotation in result.quoted)
    for table in result.tables:
        assert f"## {table.caption}\n" in page
        assert all(len(row) == len(table.shown) for row in rows_of(table))
        assert len({column.name for column in table.shown}) == len(table.shown)
        assert len(table.to_csv().splitlines()) == 1 + len(table.rows)
        assert table.caption.split(":")[0] in result.text()
