"""Holes are read by a real parser: nesting, commas, escapes; a malformed one is placed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redline.bench.holes import TemplateFault, oddities, parse_template

DEFAULTS = {
    "no hole": (r"\draw (0,0);", r"\draw (0,0);"),
    "def": ("§def(red)", "red"),
    "equal": ("x=§equal(2+3)cm", "x=2+3cm"),
    "range": ("§range(0,2,1.5)", "1.5"),
    "range with blanks": ("§range( 0 , 2 ,\n 1.5 )", "1.5"),
    "negative range": ("§range(-2,-1,-1.5)", "-1.5"),
    "rangei": ("§rangei(0.25,0.05)", "0.25"),
    "choice": ("§choice([red,blue],blue)", "blue"),
    "choice of mixes": ("§choice([red!50,blue!20!white], red!50 )", "red!50"),
    "choice of nothing": ("a§choice([,dashed],)b", "ab"),
    "choice of coordinates": ("§choice([(0,0),(1,1)],(1,1))", "(1,1)"),
    "choice of lists": ("§choice([[a,b],{c,d}],{c,d})", "{c,d}"),
    "parentheses inside": ("§range(0,f(1,2),g(3,(4)))", "g(3,(4))"),
    "braces inside": (r"§def(\textbf{a, (b)})", r"\textbf{a, (b)}"),
    "def keeps commas and blanks": ("[§def( red, thick )]", "[ red, thick ]"),
    "escaped brackets": (r"§choice([\{a\,b\},c\)],c\))", r"c\)"),
    "escaped backslash": (r"§choice([a\\,b],b)", "b"),
    "several": ("(§range(0,1,0),§rangei(2,1))§def(--)", "(0,2)--"),
    "inside a hole": ("§choice([§def(a),b],§def(a))", "a"),
    "deeper": ("§def(x§range(0,§rangei(9,1),§choice([1,2],2)))", "x2"),
    "on several lines": ("a\n§choice([\n red,\n blue\n],\n red)\nb", "a\nred\nb"),
    "blank before the bracket": ("§range (0,2,1)", "1"),
    "a section sign": ("see § 5, §§ 6 and §1(a)", "see § 5, §§ 6 and §1(a)"),
    "a section sign and a word": ("§abc d §", "§abc d §"),
}


@pytest.mark.parametrize("case", DEFAULTS)
def test_a_gold_is_made_at_the_defaults(case: str) -> None:
    text, expected = DEFAULTS[case]
    assert parse_template(text).default() == expected


MALFORMED = {
    "open": ("a\nbc §range(0,1,2", 2, 4, "never ends: ) is missing"),
    "open inside": ("§choice([a,b,c)", 1, 1, "has ) where ] is due"),
    "crossed": ("§def([a)])", 1, 1, "has ) where ] is due"),
    "closing brace": ("§def(a})", 1, 1, "has } where ) is due"),
    "escape at the end": ("§def(a\\", 1, 1, "never ends"),
    "too few": ("§range(0,1)", 1, 1, "has 2 parts instead of 3"),
    "too many": ("§rangei(1,2,3)", 1, 1, "has 3 parts instead of 2"),
    "empty def": ("§def( )", 1, 1, "is empty"),
    "empty part": ("§range(0,,1)", 1, 1, "has an empty part"),
    "no default": ("§choice([a,b],)", 1, 1, "has no default"),
    "no list": ("§choice(a,b)", 1, 1, "has no list in []"),
    "no bracket": ("x §range 3", 1, 3, "is not followed by ("),
    "braces": ("§def{a}", 1, 1, "is not followed by ("),
    "unknown": ("\n\n  §optional{|x|}", 3, 3, "§optional is no known hole"),
    "unknown function": ("§rnage(0,1,2)", 1, 1, "§rnage is no known hole"),
    "inside": ("a\n  §def(b\n§range(1))", 2, 3, "inside it, §range has 1 parts"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_hole_is_told_with_line_and_column(case: str) -> None:
    text, line, column, what = MALFORMED[case]
    with pytest.raises(TemplateFault) as caught:
        parse_template(text)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert what in caught.value.what


def test_holes_nested_beyond_reason_end_in_a_fault() -> None:
    with pytest.raises(TemplateFault):
        parse_template("§def(" * 3000 + "x" + ")" * 3000)


def test_a_hole_says_what_it_admits_and_where_it_stands() -> None:
    (hole,) = parse_template("ab\n c§choice([ red, blue ], red)").holes
    assert (hole.kind, hole.options, hole.default) == ("choice", ("red", "blue"), "red")
    assert (hole.line, hole.column) == (2, 3)
    (hole,) = parse_template("§range(0, 2, 1)").holes
    assert hole.arguments == ("0", "2", "1")


@pytest.mark.parametrize(
    ("text", "odd"),
    [
        ("§range(0,2,3)", True), ("§range(0,2,2)", False), ("§range(0,a,9)", False),
        ("§choice([a,b],c)", True), ("§choice([a,b],b)", False), ("§rangei(1,2)", False),
    ],
)  # fmt: skip
def test_a_default_outside_its_own_hole_is_an_oddity(text: str, odd: bool) -> None:
    assert bool(oddities(parse_template(text))) == odd


# Values as they stand in TikZ: brackets in pairs, commas only inside them, escapes.
word = st.text("abz01.+-*! \n%", min_size=1, max_size=6).filter(lambda t: bool(t.strip()))
value = st.recursive(
    word | st.sampled_from([r"\,", r"\(", r"\]", r"\\", r"\{"]),
    lambda inner: (
        st.tuples(st.sampled_from(["()", "[]", "{}"]), st.lists(inner, min_size=1, max_size=3)).map(
            lambda x: x[0][0] + ",".join(x[1]) + x[0][1]
        )
        | st.lists(inner, min_size=1, max_size=3).map("".join)
    ),
    max_leaves=8,
)
literal = st.text(st.characters(exclude_characters="§", exclude_categories=("Cs",)), max_size=20)


@st.composite
def holes(draw: st.DrawFn) -> tuple[str, str]:
    """A hole and its default, by the table of the format."""
    kind = draw(st.sampled_from(["def", "equal", "range", "rangei", "choice"]))
    a, b, c = draw(value), draw(value), draw(value)
    return {
        "def": (f"§def({a})", a),
        "equal": (f"§equal({a})", a),
        "range": (f"§range({a},{b},{c})", c.strip()),
        "rangei": (f"§rangei({a},{b})", a.strip()),
        "choice": (f"§choice([{a},{b}],{c})", c.strip()),
    }[kind]


@given(st.lists(st.tuples(literal, holes()), max_size=5), literal)
def test_any_text_with_any_holes_comes_out_at_their_defaults(
    pieces: list[tuple[str, tuple[str, str]]], tail: str
) -> None:
    text = "".join(before + hole for before, (hole, _) in pieces) + tail
    expected = "".join(before + default for before, (_, default) in pieces) + tail
    template = parse_template(text)
    assert template.default() == expected
    assert len(template.holes) == len(pieces)


@given(value, value, value)
def test_the_parts_of_a_hole_come_back_as_written(a: str, b: str, c: str) -> None:
    (hole,) = parse_template(f"§range({a},{b},{c})").holes
    assert hole.arguments == (a.strip(), b.strip(), c.strip())
    (hole,) = parse_template(f"§choice([{a},{b}],{c})").holes
    assert hole.options == (a.strip(), b.strip())


@given(st.text(st.sampled_from("§defrangichoquls()[]{},\\ \n1"), max_size=60))
def test_any_text_is_a_template_or_a_placed_fault(text: str) -> None:
    try:
        template = parse_template(text)
    except TemplateFault as e:
        lines = text.split("\n")
        assert lines[e.line - 1][e.column - 1] == "§"
        return
    if not template.holes:
        assert template.default() == text
    assert all(h.default in text for h in template.holes if "§" not in h.default and "§" not in
               "".join(h.arguments))  # fmt: skip


@given(st.text(max_size=60))
def test_text_without_holes_is_unchanged(text: str) -> None:
    text = text.replace("§", "")
    assert parse_template(text).default() == text
