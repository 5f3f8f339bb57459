"""Search over generated headings: laws of finding, order, snippets and queries."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neuro.embed.ngrams import Ngrams
from neuro.near.fuse import LISTS, WEIGHTS, fuse, spread
from neuro.near.query import BadQuery, Query, parse
from neuro.near.rows import Link, Row
from neuro.near.search import Found, Hit, search
from neuro.near.store import Near
from neuro.near.tokens import normal
from tests.neuro.nearby import embed_all, row

WORDS = [f"{a}{b}" for a in ("lan", "har", "vel", "cop", "spar", "tun") for b in (
    "tern", "bour", "vet", "per", "row", "nel", "dow")]
RARE = [f"quarz{number:02}" for number in range(60)]
HEADINGS = 240
EMBEDDER = Ngrams()


def pair(at: int) -> tuple[str, str]:
    """Return the two words that stand in heading 10 * `at` only."""
    return RARE[2 * at], RARE[2 * at + 1]


def generated() -> dict[str, tuple[str, list[Row]]]:
    """Return some files of headings: common words, a rare phrase each tenth, links, tags."""
    chance = random.Random(7)
    files: dict[str, list[Row]] = {}
    for number in range(HEADINGS):
        path = f"{'trips' if number % 3 else 'work'}/file{number % 7}.org"
        title = " ".join(chance.choices(WORDS, k=2))
        body = " ".join(chance.choices(WORDS, k=chance.randint(3, 40)))
        if number % 10 == 0:
            first, second = pair(number // 10)
            body += f"\nThe *{first} {second}* /gleams/ below.\n"
        if number % 2:
            body += " everywhere"
        one = row(
            f"{title} {number}", f"{body}\n", path=path, key=f"k{number}", line=number + 1,
            above=("Ledger",) if number % 4 else (), file_title=path,
            links=(Link("heading", f"k{chance.randrange(HEADINGS)}"),) if number % 5 else (),
        )
        files.setdefault(path, []).append(one)
    return {path: (path, rows) for path, rows in files.items()}


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Near]:
    """Return an index of the generated headings, read only."""
    with Near.open(tmp_path_factory.mktemp("near")) as made:
        made.apply(generated())
        embed_all(made)
        yield made


def ask(near: Near, text: str, limit: int = 10) -> Found:
    """Return what is found for a query that asks for something."""
    found = search(near, text, limit=limit, embedder=EMBEDDER)
    assert isinstance(found, Found), found
    return found


def keys(hits: tuple[Hit, ...]) -> list[str]:
    """Return the keys of hits."""
    return [hit.key for hit in hits]


dear = settings(max_examples=settings.default.max_examples // 2)
"""Half as many: each example lists everything."""

queries = st.lists(st.sampled_from([*WORDS, *RARE]), min_size=1, max_size=5).map(" ".join)
hostile = st.lists(
    st.one_of(
        st.sampled_from([
            "NEAR(", ")", "*", '"', '""', "AND", "OR", "NOT", "-", "--", "^", "title:", "{body}",
            ":", "tag:", "path:", "-tag:", "lantern", "\0", "\ud800", "+", "'", "日本", "-lantern",
            '-"', 'tag:"', "a-b", "%", "_", "🙂", "ß", "İ", "\u0301", "字",
        ]),
        st.text(max_size=8),
    ),
    max_size=8,
).flatmap(lambda parts: st.sampled_from(["".join(parts), " ".join(parts)]))


# --- what is asked --------------------------------------------------------------------------------


@given(text=hostile)
def test_any_text_is_answered_and_none_is_syntax(near: Near, text: str) -> None:
    """Quotes, operators, NUL and lone surrogates find something or nothing; they never raise."""
    found = search(near, text, limit=0, embedder=EMBEDDER)
    asked = parse(text)
    assert isinstance(found, BadQuery) == isinstance(asked, BadQuery)
    if isinstance(asked, Query) and not (asked.terms or asked.tags or asked.paths):
        pytest.fail(f"{text!r} asks for nothing")


@pytest.mark.parametrize("text", ["", "  \n", "?!", '""', "-lantern", '-"two words"', "-tag:work"])
def test_a_query_that_asks_for_nothing_is_told_so(near: Near, text: str) -> None:
    """A mistake is a value, with what to do instead."""
    bad = search(near, text)
    assert isinstance(bad, BadQuery)
    assert bad.message and bad.remedy


@pytest.mark.parametrize("text", [
    "lantern " * 20_000, " ".join(f"word{n}" for n in range(12_000)), "字" * 34_000,
    "привет" * 9_000, '"a" ' * 25_000, '"' + "lantern " * 12_000 + '"', '"' * 100_000,
    "a-b-c " * 16_000, " ".join(f"-x{n}" for n in range(14_000)) + " lantern",
    "".join(map(chr, range(0x4E00, 0x9E00))), " ".join(f'"a{n}"' for n in range(14_000)),
    "(" * 100_000 + "a", "a_" * 50_000,
])  # fmt: skip
def test_a_query_of_a_hundred_kilobytes(near: Near, text: str) -> None:
    """It is answered in short time, cut where it has to be."""
    search(near, text, embedder=EMBEDDER)


def test_words_that_most_headings_have_are_left_out(near: Near) -> None:
    """Unless nothing else is left."""
    assert ask(near, f"everywhere {RARE[3]}").left_out == ("everywhere",)
    alone = ask(near, "everywhere", limit=0)
    assert alone.left_out == ()
    assert alone.lists["words"] == HEADINGS // 2


def test_quotes_exclusions_and_filters(near: Near) -> None:
    """Each does what the help says."""
    first, second = pair(2)
    found = ask(near, f'"{first} {second}"', 0)
    assert [hit.line for hit in found.hits if hit.parts[0].name == "words"] == [21]
    assert not ask(near, f'"{second} {first}"', 0).hits
    everything = ask(near, f"{WORDS[0]} {WORDS[1]}", 0)
    without = ask(near, f"{WORDS[0]} {WORDS[1]} -{WORDS[1]}", 0)
    assert without.hits and len(without.hits) < len(everything.hits)
    for hit in without.hits:
        assert WORDS[1] not in words_of(near, hit)
    inside = ask(near, f"{WORDS[0]} path:TRIPS -path:file3", 0)
    assert inside.hits
    assert all("trips/" in hit.path and "file3" not in hit.path for hit in inside.hits)


def test_filters_alone_list_headings_in_file_order(tmp_path: Path) -> None:
    """`tag:` and `path:` without words are a list, by path and line."""
    with Near.open(tmp_path) as near:
        rows = [row("One", key="a", line=9), row("Two", key="b", line=3)]
        tagged = [Row(**{**vars_of(one), "tags": ("Work",)}) for one in rows]
        near.apply({"a.org": ("1", tagged), "b.org": ("2", [row("Three", path="b.org")])})
        assert keys(ask(near, "tag:work").hits) == ["b", "a"]
        assert keys(ask(near, "tag:work -three two").hits) == ["b"]
        assert keys(ask(near, "path:B.ORG").hits) == ["b.org#Three#1"]
        assert not ask(near, "tag:wor").hits


def vars_of(one: Row) -> dict[str, object]:
    """Return the fields of a row."""
    return {name: getattr(one, name) for name in one.__slots__}


def words_of(near: Near, hit: Hit) -> list[str]:
    """Return the words of a hit's heading."""
    number = near.ids_of([hit.key])[hit.key]
    held = near.rows([number])[number]
    return normal(" ".join((held.title, *held.ancestors, held.text))).split()


# --- what is found --------------------------------------------------------------------------------


@given(at=st.integers(0, HEADINGS // 10 - 1))
def test_a_rare_phrase_is_found(near: Near, at: int) -> None:
    """A heading that holds all words of the query, markup between, is the first by words."""
    found = ask(near, f"{' '.join(pair(at))} gleams", 3)
    best = next(hit for hit in found.hits if hit.line == at * 10 + 1)
    assert best.parts[0].name == "words" and best.parts[0].rank == 1
    assert set(pair(at)) <= set(best.snippet.text.split())


@dear
@given(text=queries, small=st.integers(1, 30), more=st.integers(0, 70))
def test_the_best_n_are_the_first_n_of_the_best_m(
    near: Near, text: str, small: int, more: int
) -> None:
    """Whatever the limit, also where word hits beyond the depth of the lists are listed."""
    shallow = replace(WEIGHTS, word_depth=60, near_depth=5)
    few, many = (
        search(near, text, limit=limit, embedder=EMBEDDER, weights=shallow)
        for limit in (small, small + more)
    )
    assert isinstance(few, Found) and isinstance(many, Found)
    assert few.hits == many.hits[:small]
    scores = [hit.score for hit in many.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(set(keys(many.hits))) == len(many.hits)


def test_without_a_limit_every_word_hit_is_listed(near: Near) -> None:
    """`--limit 0`, in the order of the best n."""
    text = " ".join(WORDS[:6])
    every = ask(near, text, 0)
    assert len(every.hits) >= every.lists["words"] > WEIGHTS.word_depth
    assert every.hits[:210] == ask(near, text, 210).hits
    for name in LISTS[1:]:
        assert WEIGHTS.of(name) / (WEIGHTS.k + WEIGHTS.near_depth) > WEIGHTS.words / (
            WEIGHTS.k + WEIGHTS.word_depth
        )


@dear
@given(text=queries)
def test_the_lists_add_up_to_the_score(near: Near, text: str) -> None:
    """What --why shows is all there is."""
    found = ask(near, text, 0)
    for name in LISTS:
        ranks = [part.rank for hit in found.hits for part in hit.parts if part.name == name]
        count = found.lists.get(name, 0)
        known = min(count, WEIGHTS.word_depth)
        assert sorted(ranks)[:known] == list(range(1, known + 1))
        assert len(set(ranks)) == len(ranks) <= count
    for hit in found.hits:
        assert hit.score == pytest.approx(sum(part.share for part in hit.parts))


@dear
@given(text=queries)
def test_a_snippet_shows_a_word_of_the_query(near: Near, text: str) -> None:
    """Where one stands in the heading's own text below its title, and marks show where."""
    wanted = set(text.split())
    for hit in ask(near, text).hits:
        number = near.ids_of([hit.key])[hit.key]
        body = near.rows([number])[number].text.partition("\n")[2]
        shown = hit.snippet.text
        assert len(shown) < 200
        assert {normal(shown[a:b]) for a, b in hit.snippet.marks} <= wanted
        if wanted & set(body.replace("*", " ").split()):
            assert hit.snippet.marks
        assert not set("*/") & set(shown)


def test_a_rebuilt_index_answers_in_the_same_order(near: Near, tmp_path: Path) -> None:
    """Ties are broken by path and line, not by the order in which files were read."""
    with Near.open(tmp_path) as other:
        for path, (token, rows) in sorted(generated().items(), reverse=True):
            other.apply({path: (token, rows)})
        embed_all(other)
        chance = random.Random(3)
        for _ in range(30):
            text = " ".join(chance.choices(WORDS, k=3))
            assert ask(other, text, 40).hits == ask(near, text, 40).hits


def test_what_is_gone_is_not_found(tmp_path: Path) -> None:
    """A heading taken out of a file, and a file taken away, leave no hit behind."""
    with Near.open(tmp_path) as near:
        one, two = row("Lantern", "oil"), row("Lamp", "lantern light", line=4)
        near.apply({"a.org": ("1", [one, two]), "b.org": ("1", [row("Lantern", path="b.org")])})
        embed_all(near)
        assert len(ask(near, "lantern", 0).hits) == 3
        near.apply({"a.org": ("2", [one])}, ["b.org"])
        assert keys(ask(near, "lantern", 0).hits) == [one.key]


def test_titles_ancestors_and_words_joined(tmp_path: Path) -> None:
    """A named title comes first; ancestors' titles count; what a piece joins counts joined."""
    with Near.open(tmp_path) as near:
        rows = [
            row("Winter, by boat (2004)", "Cold.", key="named"),
            row("Notes", "winter by the sea, winter on a boat, winter and 2004", key="loud"),
            row("Fares", "ten", key="child", above=("Winter ferries",)),
            row("A", "org text and then ql", key="apart"),
            row("B", "use org-ql here", key="joined"),
        ]
        lined = [Row(**{**vars_of(one), "line": line}) for line, one in enumerate(rows)]
        near.apply({"a.org": ("1", lined)})
        assert keys(ask(near, "who wrote winter, by boat (2004)?").hits)[0] == "named"
        assert "child" in keys(ask(near, "ferries").hits)
        assert keys(ask(near, "org-ql").hits)[:2] == ["joined", "apart"]


def test_links_bring_neighbours_in_either_direction(tmp_path: Path) -> None:
    """A heading tied to the best hit is found though it holds no word of the query."""
    with Near.open(tmp_path) as near:
        rows = [
            row("Lantern", "by Petra", key="seed", links=(Link("heading", "out"),)),
            row("Petra", "a person", key="out", line=2), row("Far", "nothing", key="far", line=3),
            row("Shelf", "things", key="in", line=4, links=(Link("heading", "seed"),)),
        ]
        near.apply({"a.org": ("1", rows)})
        found = ask(near, "lantern", 0)
        assert keys(found.hits) == ["seed", "out", "in"]
        facts = {"seed": ["far", "no"]}
        tied = search(near, "lantern", limit=0, ties=lambda key: facts.get(key, ()))
        assert isinstance(tied, Found)
        assert keys(tied.hits) == ["seed", "out", "in", "far"]
        assert tied.lists["facts"] == 1


def test_words_alone_answer_where_there_are_no_vectors(tmp_path: Path) -> None:
    """Pending vectors, no embedder and an empty index are no error."""
    with Near.open(tmp_path) as near:
        assert ask(near, "lantern").hits == ()
        near.apply({"a.org": ("1", [row("Lantern", "oil")])})
        assert len(ask(near, "lantern").hits) == 1
        assert len(search(near, "lantern").hits) == 1  # type: ignore[union-attr]


# --- fusing ---------------------------------------------------------------------------------------


@given(
    lists=st.dictionaries(
        st.sampled_from(LISTS), st.lists(st.integers(1, 12), unique=True, max_size=8)
    )
)
def test_a_better_rank_in_every_list_is_a_better_rank(lists: dict[str, list[int]]) -> None:
    """Who stands before another in each list that has either, stands before it in the end."""
    parts = fuse(lists)
    rank = {name: {one: at for at, one in enumerate(ids)} for name, ids in lists.items()}
    total = {one: sum(part.share for part in found) for one, found in parts.items()}
    for one in total:
        for other in total:
            if one != other and all(
                one in found and found[one] < found.get(other, 1 << 30)
                for found in rank.values() if one in found or other in found
            ):
                assert total[one] > total[other]


def test_a_hub_gives_each_neighbour_less() -> None:
    """More neighbours, less for each; a heading is no neighbour of itself."""
    few = spread({1: 1.0}, {1: {1, 2}})
    many = spread({1: 1.0}, {1: set(range(2, 102))})
    assert few == {2: 1.0}
    assert many[2] == pytest.approx(100 ** -WEIGHTS.fan)
