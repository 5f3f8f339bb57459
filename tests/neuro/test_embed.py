"""Embedders: unit vectors, the same everywhere, nothing cut, failures of one text alone."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neuro.embed import wordllama
from neuro.embed.base import CHUNK, Embedder, EmbedderMissing, chunks
from neuro.embed.endpoint import EndpointEmbedder
from neuro.embed.ngrams import DIM, Ngrams
from neuro.provider.messages import Failure
from tests.conftest import REPO

NEAR = [
    ("The quick brown fox jumps over the lazy dog", "A quick brown fox jumped over the lazy dog"),
    ("Machine learning models require training data",
     "Training data is required by machine learning models"),
    ("The meeting with Alice was moved to Tuesday morning",
     "Meeting with Alice moved to Tuesday in the morning"),
]  # fmt: skip
INFLECTED = [
    ("Достоевский написал роман в Петербурге", "Роман написан Достоевским в Петербурге"),
    ("東京で新しい喫茶店を見つけた", "新しい喫茶店を東京で見つけました"),
]
FAR = [(one, other) for (one, _), (_, other) in zip(
    [*NEAR, *INFLECTED], [*INFLECTED, *NEAR], strict=True
)]


def cosine(embedder: Embedder, one: str, other: str) -> float:
    matrix, failed = embedder.embed([one, other])
    assert not failed
    return float(matrix[0] @ matrix[1])


@pytest.mark.parametrize(("one", "other"), NEAR)
def test_ngrams_find_the_same_words_in_another_order_and_form(one: str, other: str) -> None:
    """Near for n-grams: most word stems are shared. Other words for the same thing are not near."""
    assert cosine(Ngrams(), one, other) > 0.75


@pytest.mark.parametrize(("one", "other"), INFLECTED)
def test_ngrams_lose_some_nearness_where_words_bend(one: str, other: str) -> None:
    """Endings, and scripts without blanks where every border moves: less, yet far from apart."""
    assert 0.5 < cosine(Ngrams(), one, other) < 1


@pytest.mark.parametrize(("one", "other"), FAR)
def test_ngrams_keep_other_things_apart(one: str, other: str) -> None:
    assert cosine(Ngrams(), one, other) < 0.4


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8"), max_size=40), max_size=6))
def test_ngrams_of_a_text_do_not_depend_on_its_neighbours(texts: list[str]) -> None:
    """Length 1, or 0 for a text without letters; the same alone as in a batch."""
    matrix = Ngrams().embed(texts).matrix
    assert matrix.shape == (len(texts), DIM) and matrix.dtype == np.float32
    for text, vector in zip(texts, matrix, strict=True):
        assert np.allclose(Ngrams().embed([text]).matrix[0], vector, atol=1e-6)
        length = float(np.linalg.norm(vector))
        assert abs(length - 1) < 1e-5 or (length == 0 and not any(map(str.isalpha, text)))


def test_ngrams_take_a_long_text_whole() -> None:
    long = "alpha beta " * 20_000 + "omega " * 20_000
    alone = Ngrams().embed(["x", long, "y"]).matrix
    assert float(alone[1] @ Ngrams().embed(["omega"]).matrix[0]) > 0.3


PINNED = "7700c5d1"


def ngram_mark() -> str:
    texts = ["The quick brown fox", "東京都", "Москва", "naïve", ""]
    signs = np.round(Ngrams().embed(texts).matrix * 1000).astype(np.int32)
    return hashlib.sha256(signs.astype("<i4").tobytes()).hexdigest()[:8]


def test_ngrams_are_the_same_on_every_machine_and_hash_seed() -> None:
    code = "from tests.neuro.test_embed import ngram_mark; print(ngram_mark())"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(REPO)}
        ran = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True,
            check=True,
        )  # fmt: skip
        assert ran.stdout.strip() == PINNED


# --- pieces -------------------------------------------------------------------------------------


@given(st.text(max_size=300), st.integers(2, 40))
def test_chunks_leave_nothing_out(text: str, size: int) -> None:
    found = chunks(text, size)
    assert "".join(found) == text
    assert all(len(piece) <= size for piece in found)


# --- wordllama ----------------------------------------------------------------------------------


@pytest.fixture
def llama() -> wordllama.Wordllama:
    try:
        return wordllama.Wordllama()
    except EmbedderMissing as error:
        pytest.skip(str(error))


def test_wordllama_knows_words_of_one_meaning(llama: wordllama.Wordllama) -> None:
    near = cosine(llama, "buying groceries", "food shopping")
    assert near > 0.3 > 0.1 > cosine(llama, "buying groceries", "quantum physics")
    for one, other in NEAR[:3]:
        assert cosine(llama, one, other) > 0.75


def test_wordllama_reads_its_files_without_its_package(llama: wordllama.Wordllama) -> None:
    """Its loader would go to the network; nor is a hub's client asked for anything."""
    code = (
        "import sys, socket\n"
        "def refuse(*a, **k): raise AssertionError('a socket')\n"
        "socket.socket.connect = refuse\n"
        "from neuro.embed.wordllama import Wordllama\n"
        "print(Wordllama().embed(['a b', '']).matrix.shape, 'wordllama' in sys.modules)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(REPO)}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "(2, 256) False"


def test_wordllama_takes_the_end_of_a_long_text_in(llama: wordllama.Wordllama) -> None:
    long = "water the garden " * 500
    end = long + "quantum physics " * 500
    assert len(long) > 4 * CHUNK
    physics = "quantum physics"
    assert cosine(llama, end, physics) > cosine(llama, long, physics) + 0.2


def test_a_missing_extra_names_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> None:
        raise wordllama.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(wordllama.metadata, "files", gone)
    with pytest.raises(EmbedderMissing, match=r"pip install passepartout-memex\[embed\]"):
        wordllama.Wordllama()


# --- endpoint -----------------------------------------------------------------------------------


def test_an_endpoint_fails_for_one_text_alone() -> None:
    asked: list[int] = []

    def ask(texts: Sequence[str]) -> list[Sequence[float] | Failure]:
        asked.append(len(texts))
        bad = Failure(reason="http-500", message="no", model="m")
        answers: dict[str, Sequence[float] | Failure] = {
            "bad": bad, "short": [1.0], "nan": [float("nan"), 0.0], "zero": [0.0, 0.0],
        }  # fmt: skip
        return [answers.get(text, [3.0, 4.0]) for text in texts]

    texts = ["good", "bad", "short", "nan", "zero", "x" * (CHUNK * 2 + 5)] + ["more"] * 20
    matrix, failed = EndpointEmbedder("m", ask).embed(texts)
    assert failed == {1: "http-500", 2: "dimension", 3: "empty", 4: "empty"}
    for index in range(len(texts)):
        wanted = [0, 0] if index in failed else [0.6, 0.8]
        assert np.allclose(matrix[index], wanted)
    assert sum(asked) == len(texts) + 2 and max(asked) <= 10


def test_an_endpoint_that_says_nothing_fails_for_all() -> None:
    away = Failure(reason="unreachable", message="away", model="m")
    matrix, failed = EndpointEmbedder("m", lambda texts: [away] * len(texts)).embed(["a", "b"])
    assert failed == {0: "unreachable", 1: "unreachable"} and matrix.shape == (2, 0)
