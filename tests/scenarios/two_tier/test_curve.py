"""The picture of miss ratios by size."""

from pmtwin.scenarios.two_tier.figures.curve import curve


def test_a_line_goes_from_the_smallest_size_to_the_largest_in_whatever_order_they_were_given():
    rows = [
        ("lru", size, lines, ratio, None, None) for size, lines, ratio in (("9", 9, 0.1), ("2", 2, 0.4), ("5", 5, 0.2))
    ]
    drawing = curve(rows)
    (line,) = drawing.figure.axes[0].lines
    assert line.get_xdata().tolist() == [2, 5, 9] and line.get_ydata().tolist() == [0.4, 0.2, 0.1]
    assert drawing.data.rows == rows
