"""Code differences, similarity and the baselines."""

from hypothesis import given
from hypothesis import strategies as st

from redline.bench.sample import DiagramSample
from redline.diagram.baselines import degraded, identity, oracle
from redline.diagram.codediff import apply, hunks, unified
from redline.diagram.similarity import code_similarity, tokens

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\\draw (0,0);\n"]), max_size=12)


def lcs(a: list[str], b: list[str]) -> int:
    """Longest common subsequence by the textbook table."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i + 1][j + 1] = (
                table[i][j] + 1 if x == y else max(table[i][j + 1], table[i + 1][j])
            )
    return table[-1][-1]


@given(LINES, LINES)
def test_all_hunks_together_make_the_new_code(old: list[str], new: list[str]) -> None:
    a, b = "".join(old), "".join(new)
    assert apply(a, hunks(a, b)) == b
    assert apply(a, ()) == a


def test_a_line_rewritten_in_place_is_a_hunk_of_its_own() -> None:
    assert len(hunks("a\nb\nc\n", "x\ny\nc\n")) == 2
    assert apply("a\nb\nc\n", hunks("a\nb\nc\n", "x\ny\nc\n")[1:]) == "a\ny\nc\n"


def test_equal_codes_have_a_sentence_in_place_of_a_diff() -> None:
    assert "no difference" in unified("a\n", "a\n", "original", "candidate")
    assert "+b" in unified("a\n", "a\nb\n", "original", "candidate").splitlines()


def test_comments_and_white_space_are_no_tokens_but_an_escaped_percent_is() -> None:
    assert tokens("\\draw (0,0)  -- (1.5,a); % way\n") == [
        "\\draw", "(", "0", ",", "0", ")", "-", "-", "(", "1.5", ",", "a", ")", ";",
    ]  # fmt: skip
    assert tokens("50\\% of x") == ["50", "\\%", "of", "x"]
    assert tokens("a \\\\% comment") == ["a", "\\\\"]


@given(LINES, LINES)
def test_similarity_is_twice_the_common_subsequence_over_both_lengths(
    a: list[str], b: list[str]
) -> None:
    x, y = tokens("".join(a)), tokens("".join(b))
    want = 2 * lcs(x, y) / (len(x) + len(y)) if x or y else 1.0
    assert abs(code_similarity("".join(a), ["".join(b)]) - want) < 1e-12


def test_similarity_takes_the_best_gold() -> None:
    assert code_similarity("a b", ["c d", "a b"]) == 1.0


def sample(code: str, gold: str) -> DiagramSample:
    return DiagramSample("s", "ADD", 1, code, (gold,), "add")


def test_oracle_is_the_gold_and_identity_the_original() -> None:
    s = sample("a\n", "b\n")
    assert (oracle(s).code, identity(s).code) == ("b\n", "a\n")


def test_degraded_applies_a_proper_part_that_draws_something_else() -> None:
    s = sample("a\nb\nc\nd\n", "A\nb\nC\nD\n")
    made = degraded(s, lambda code: code.encode())
    assert made.note is None
    assert made.code not in (s.code, s.golds[0])
    assert set(made.code.splitlines()) < {"a", "b", "c", "d", "A", "C", "D"}
    assert made == degraded(s, lambda code: code.encode())


def test_degraded_says_so_where_the_gold_is_one_indivisible_change() -> None:
    s = sample("a\nb\n", "A\nb\n")
    made = degraded(s, lambda code: code.encode())
    assert made.code == s.code
    assert made.note is not None and "identity" in made.note


def test_degraded_passes_over_parts_that_do_not_compile() -> None:
    s = sample("a\nb\nc\n", "A\nB\nc\n")
    made = degraded(s, lambda code: None if "A\nb" in code else code.encode())
    assert made.code == "a\nB\nc\n"
    never = degraded(s, lambda code: code.encode() if code in (s.code, s.golds[0]) else None)
    assert never.code == s.code and never.note


def test_many_hunks_are_tried_in_bounded_number() -> None:
    old = "".join(f"l{i}\n" for i in range(40))
    new = "".join(f"m{i}\n" for i in range(40))
    asked: list[str] = []

    def draws(code: str) -> bytes | None:
        asked.append(code)
        return code.encode() if code in (old, new) else None

    assert degraded(sample(old, new), draws).note
    assert len(asked) <= 2 + 8
