"""The report's small pieces: text is escaped, numbers are readable and stand to the right, drawings follow the page."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import pmtwin.figures.page
from pmtwin.figures.drawing.style import styled, svg_bytes
from pmtwin.figures.page.markup import card, cell, folded, items, page, paragraph, section, table
from pmtwin.figures.page.svg import THEME, inline

STYLE = (Path(pmtwin.figures.page.__file__).parent / "templates" / "style.css").read_text()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (True, "yes"),
        (12345, "12,345"),
        (-0.123456, "\u22120.1235"),
        (1234567.8, "1,234,568"),
        (-1.07e-07, "0"),
        ("<b> & 'c'", "<b> & 'c'"),
    ],
)
def test_cells_are_for_readers(value, shown):
    assert cell(value) == shown


def test_texts_are_escaped_and_pieces_are_not_escaped_twice():
    assert "&lt;b&gt; &amp;" in table(("a",), [("<b> &",)])
    assert "<b>5 &lt; 6</b>" in card("5 < 6")
    assert section("x", "A & B", paragraph("c < d")) == '<section id="x"><h2>A &amp; B</h2><p>c &lt; d</p></section>'
    assert items([paragraph("a")]) == "<ul><li><p>a</p></li></ul>"
    assert folded("more", "") == items([]) == ""


def test_a_column_with_numbers_stands_to_the_right_with_its_heading():
    html = table(("name", "value"), [("a", 1.5), ("b", None)], marked=[False, True])
    assert '<th>name</th><th class="n">value</th>' in html
    assert '<tr><td>a</td><td class="n">1.5</td></tr>' in html
    assert '<tr class="poor"><td>b</td><td class="n">–</td></tr>' in html


def test_a_row_of_a_short_table_with_many_columns_becomes_a_list_on_a_telephone():
    header = tuple("abcdef")
    assert '<table class="stacked">' in table(header, [range(6)]) and 'data-name="f">5<' in table(header, [range(6)])
    assert "stacked" not in table(header, [range(6)] * 9) + table(header[:5], [range(5)])
    assert "@media screen and (max-width: 560px)" in STYLE and "content: attr(data-name)" in STYLE


def test_the_head_says_what_the_results_rest_on_and_what_made_them():
    html = page("t", "a", [], facts={"device_profile": "x<y", "seed": 3}, command="pmtwin validate --json")
    assert "<dt>device profile</dt><dd>x&lt;y</dd>" in html and "<dt>seed</dt><dd>3</dd>" in html
    assert "made by <code>pmtwin validate --json</code>" in html
    assert "made by" not in page("t", "a", []) and "<dl" not in page("t", "a", [])


@pytest.fixture(scope="module")
def drawing():
    """SVG of a line, a bar and a scatter."""
    with styled() as plt:
        figure, (left, right) = plt.subplots(1, 2, figsize=(3.4, 2.0))
        left.plot([1, 2, 3], [10.0, 20.0, 15.0], "o-", label="measured")
        left.set(xlabel="threads", ylabel="GiB/s")
        left.text(1, 12, "note")
        right.bar([0, 1], [3.0, 4.0], label="store")
        right.set_xticks([0, 1], ["map", "pmemkv"])
        return svg_bytes(figure)


def test_values_show_where_the_pointer_rests(drawing):
    root = ElementTree.fromstring(drawing)
    titles = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == [
        *("measured; threads 1; GiB/s 10", "measured; threads 2; GiB/s 20", "measured; threads 3; GiB/s 15"),
        *("store; map; 3", "store; pmemkv; 4"),
    ]


def test_a_value_lies_on_its_marker(drawing):
    circles = [tuple(map(float, place)) for place in re.findall(rb'<circle cx="([\d.]+)" cy="([\d.]+)"', drawing)]
    use = rb'<use xlink:href="#m[^>]*? x="([\d.]+)" y="([\d.]+)"'
    markers = [tuple(map(float, place)) for place in re.findall(use, drawing)]
    assert len(circles) == 3
    for x, y in circles:
        assert min(abs(x - u) + abs(y - v) for u, v in markers) < 0.02


def test_the_same_drawing_gives_the_same_bytes(drawing):
    assert drawing.count(b"<title>") == 5 and b"<dc:date>" not in drawing


def test_a_drawing_in_a_page_follows_its_colours_and_keeps_its_identifiers_apart(drawing):
    svg = inline(drawing, "one", 'a "curve"')
    assert svg.startswith("<svg") and 'aria-label="a &#34;curve&#34;"' in svg and "width=" not in svg[: svg.index(">")]
    assert "var(--label)" in svg and "#222222" not in svg
    identifiers = set(re.findall(r'id="([^"]+)"', svg))
    assert identifiers and all(name.startswith("one-") for name in identifiers)
    assert set(re.findall(r'href="#([^"]+)"', svg)) | set(re.findall(r"url\(#([^)]+)\)", svg)) <= identifiers


def test_every_colour_of_a_drawing_is_one_of_the_page():
    assert {name for value in THEME.values() for name in re.findall(r"--[\w-]+", value)} <= set(_schemes()["light"])


def test_a_page_needs_nothing_else():
    html = page("A <title>", "about", [])
    assert "A &lt;title&gt;" in html and "<style>" in html
    assert not re.search(r'(src|href)="(?!#|data:)', html) and "@import" not in html


def _schemes() -> dict[str, dict[str, str]]:
    """Scheme -> variable -> colour; the dark one with what it takes from the light one."""
    light, dark = re.findall(r":root \{(.*?)\}", STYLE, re.DOTALL)
    texts = {"light": light, "dark": dark}
    values = {name: dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", text)) for name, text in texts.items()}
    return {"light": values["light"], "dark": values["light"] | values["dark"]}


def _luminance(colour: str) -> float:
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    """Of WCAG 2.2, section 1.4.3."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


PAIRS = [
    (ink, paper)
    for ink in ("ink", "soft", "accent", "good", "bad", "label", "axis", "grey")
    for paper in ("paper", "wash")
]
PAIRS += [("badge-ink", "badge"), ("ink", "poor"), ("ink", "middling"), ("label", "poor"), ("label", "worst")]
PAIRS += [("label", f"shade-{number}") for number in (1, 2, 3, 4)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("ink", "paper"), PAIRS)
def test_texts_have_the_contrast_of_level_aa(scheme, ink, paper):
    colours = _schemes()[scheme]
    assert _contrast(colours[f"--{ink}"], colours[f"--{paper}"]) >= 4.5


def test_the_measure_of_contrast_tells_poor_from_good():
    assert _contrast("#777777", "#ffffff") < 4.5 < _contrast("#767676", "#ffffff") < 4.6
