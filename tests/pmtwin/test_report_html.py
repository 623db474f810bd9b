"""The report's small pieces: text is escaped, numbers are readable and stand to the right."""

import base64

import pytest

from pmtwin.report.html import cell, image, table


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (True, "yes"),
        (12345, "12,345"),
        (-0.123456, "\u22120.1235"),
        (1234567.8, "1,234,568"),
        ("<b> & 'c'", "&lt;b&gt; &amp; &#x27;c&#x27;"),
    ],
)
def test_cells_are_for_readers_and_escaped(value, shown):
    assert cell(value) == shown


def test_a_column_with_numbers_stands_to_the_right_with_its_heading():
    html = table(("name", "value"), [("a", 1.5), ("b", None)])
    assert '<th>name</th><th class="n">value</th>' in html
    assert '<td>a</td><td class="n">1.5</td>' in html and '<td>b</td><td class="n">–</td>' in html


def test_an_image_is_inside_the_page_and_says_what_it_shows():
    html = image(b"<svg/>", 'a "curve"')
    assert (
        html
        == f'<img alt="a &quot;curve&quot;" src="data:image/svg+xml;base64,{base64.b64encode(b"<svg/>").decode()}">'
    )
