"""Plain tables of numbers, as html in which every word is escaped."""

from __future__ import annotations

import html
from typing import Final


def plain_table(caption: str, head: list[str], rows: list[tuple[str, list[str]]]) -> str:
    """The html of a table: rows and columns have headings, so that a screen reader says where a number stands.

    Args:
        caption: what it shows.
        head: the columns' names, that of the rows' names first.
        rows: the name and the cells of each.
    """
    top = "".join(f"<th scope='col'>{html.escape(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr><th scope='row'>{html.escape(name)}</th>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>"
        for name, cells in rows
    )
    title = f"<caption>{html.escape(caption)}</caption>"
    return (
        f"{_TABLE_STYLE}<div class='msviz-table' tabindex='0' role='group' aria-label='{html.escape(caption)}'>"
        f"<table>{title}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


_TABLE_STYLE: Final = """<style>
.msviz-table { overflow-x: auto; }
.msviz-table table { border-collapse: collapse; font-size: .9375rem; font-variant-numeric: tabular-nums; }
.msviz-table caption { text-align: left; font-weight: 600; padding: .2rem 0; white-space: nowrap; }
.msviz-table :is(th, td) { padding: .15rem .7rem; text-align: right; white-space: nowrap; }
.msviz-table tr { border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); }
@media (max-width: 640px) {
  .msviz-table :is(caption, th[scope=row]) { white-space: normal; }
  .msviz-table th[scope=row] { min-width: 7rem; }
  .msviz-table :is(th, td) { padding: .15rem .4rem; }
}
.msviz-table th[scope=row], .msviz-table thead th:first-child { text-align: left; font-weight: 400; }
</style>"""
