"""V6, A27: after a run no vector is missing, all have the model's dimension, what is near is near.

A failed text is only pending; another provider makes all anew; nothing is sent that may not be.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from neuro.near.store import Near
from neuro.provider.scripted import Server, serve
from tests.cli import Json, Memex, org

NOTES = {
    "fox.org": org("""
        * Fox
        The quick brown fox jumps over the lazy dog.
        * The fox again
        A quick brown fox jumped over the lazy dog.
        * Garden
        Water the tomatoes every second evening in July.
        """),
    "deep.org": org("""
        #+title: Deep
        * One
        ** Two
        *** 東京都
        中央区
        * Empty
        """),
}


@pytest.fixture
def notes(memex: Memex) -> Memex:
    for path, text in NOTES.items():
        memex.write(path, text)
    return memex.init()


def near_of(memex: Memex) -> Near:
    return Near.open(memex.state, mend=False)


def synced(memex: Memex, *flags: str) -> Json:
    near: Json = memex.run("sync", "--json", *flags).expect(0).one["near"]
    return near


def cosines(memex: Memex, model: str, one: str, other: str) -> float:
    with near_of(memex) as near:
        ids, matrix = near.vectors(model)
        rows = near.rows(int(number) for number in ids if number)
        by_title = {rows[int(n)].title: matrix[at] for at, n in enumerate(ids) if n}
        return float(by_title[one] @ by_title[other])


def heading_count() -> int:
    return sum(text.count("\n*") + text.startswith("*") for text in NOTES.values()) + len(NOTES)


@pytest.mark.parametrize(("provider", "model", "apart"), [
    ("hashing", "hashing-ngrams-1", 0.45), ("wordllama", "wordllama-l2-supercat-256", 0.45),
])  # fmt: skip
def test_v6_no_vector_is_missing_and_the_near_pair_is_near(
    notes: Memex, monkeypatch: pytest.MonkeyPatch, provider: str, model: str, apart: float
) -> None:
    if provider == "wordllama":
        pytest.importorskip("tokenizers")
    monkeypatch.setenv("EMBEDDING_PROVIDER", provider)
    near = synced(notes)
    count = heading_count()
    assert near == {
        "headings": count, "vectors": count, "pending": 0, "model": model, "dimension": 256,
        "held": {}, "warnings": [],
    }
    with near_of(notes) as index:
        ids, matrix = index.vectors(model)
        assert (np.count_nonzero(ids), matrix.shape[1]) == (count, 256)
        assert np.allclose(np.linalg.norm(matrix[ids > 0], axis=1), 1, atol=1e-5)
    assert cosines(notes, model, "Fox", "The fox again") > 0.75
    assert cosines(notes, model, "Fox", "Garden") < apart


def test_v6_a_second_run_makes_nothing(notes: Memex) -> None:
    synced(notes)
    before = (notes.state / "near.f32").read_bytes()
    assert "made" not in notes.run("sync").expect(0).out
    assert (notes.state / "near.f32").read_bytes() == before


def test_v6_only_what_changed_is_embedded_again(notes: Memex) -> None:
    synced(notes)
    notes.write("fox.org", NOTES["fox.org"].replace("July", "August"))
    assert "vectors: 1 made by hashing-ngrams-1, 0 pending" in notes.run("sync").expect(0).out
    (notes.root / "fox.org").rename(notes.root / "moved.org")
    assert "made" in notes.run("sync").expect(0).out, "its file's own title is another one"


# --- an endpoint --------------------------------------------------------------------------------


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a local endpoint that fails for texts that say so, and let the settings name it."""
    with serve({"replies": [], "embeddings": {"dimension": 48, "refuse": ["Garden"]}}) as server:
        monkeypatch.setenv("EMBEDDING_PROVIDER", "local")
        monkeypatch.setenv("LOCAL_BASE_URL", server.url)
        monkeypatch.delenv("PP_NO_MODEL")
        yield server


def test_v6_a_failed_text_is_only_pending(notes: Memex, server: Server) -> None:
    """The batch goes on without it, the next run tries it again, status says why."""
    near = synced(notes)
    count = heading_count()
    assert (near["vectors"], near["pending"], near["dimension"]) == (count - 1, 1, 48)
    assert list(near["held"].values()) == [1]
    assert notes.status()["near"]["held"] == near["held"]
    notes.write("fox.org", NOTES["fox.org"].replace("Garden", "Orchard"))
    near = synced(notes)
    assert (near["vectors"], near["pending"], near["held"]) == (count, 0, {})
    assert cosines(notes, near["model"], "Fox", "The fox again") > 0.75


def test_v6_another_provider_embeds_all_anew(
    notes: Memex, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = heading_count()
    monkeypatch.setenv("EMBEDDING_PROVIDER", "hashing")
    assert synced(notes)["dimension"] == 256
    monkeypatch.setenv("EMBEDDING_PROVIDER", "local")
    assert notes.status()["near"]["pending"] == count
    near = synced(notes)
    assert (near["dimension"], near["pending"]) == (48, 1)
    monkeypatch.setenv("EMBEDDING_PROVIDER", "hashing")
    assert notes.status()["near"]["pending"] == count - 1
    assert synced(notes)["pending"] == 0


def test_v6_a_dimension_that_changed_makes_the_old_vectors_pending(
    notes: Memex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One heading is new; the model now answers in another dimension: all are made again."""
    monkeypatch.setenv("EMBEDDING_PROVIDER", "local")
    monkeypatch.delenv("PP_NO_MODEL")
    for dimension in (48, 32, 64):
        with serve({"replies": [], "embeddings": {"dimension": dimension}}) as server:
            monkeypatch.setenv("LOCAL_BASE_URL", server.url)
            notes.write(f"n{dimension}.org", f"* New {dimension}\n")
            near = synced(notes)
            assert (near["dimension"], near["pending"]) == (dimension, 0)


def test_v6_a_model_that_is_away_leaves_all_pending_and_the_facts_done(
    notes: Memex, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.stop()
    ran = notes.run("sync", "--json").expect(0)
    near = ran.one["near"]
    assert near["held"] == {"unreachable": heading_count()} and near["vectors"] == 0
    assert "no vectors are made" in near["warnings"][0]
    assert ran.one["files"]["read"] == len(NOTES)
    assert notes.rebuild()["N"]["result"] == "not compared"
    monkeypatch.setenv("EMBEDDING_PROVIDER", "hashing")
    assert synced(notes)["pending"] == 0


def test_v6_no_model_means_no_request(
    notes: Memex, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PP_NO_MODEL", "1")
    assert synced(notes)["held"] == {"forbidden": heading_count()}
    assert server.bytes_received == 0
    monkeypatch.setenv("EMBEDDING_PROVIDER", "hashing")
    assert synced(notes)["pending"] == 0, "the built-in one is no model call"


def test_v6_what_is_private_is_not_sent_away(
    notes: Memex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A remote endpoint gets the rest; the private heading stays pending and says why."""
    notes.write("private.org", "* Diary :@personal:\nNobody reads this line.\n** Below\nnor this\n")
    notes.write(".passepartout.toml", "[models]\ncloud = true\n")
    with serve({"replies": [], "embeddings": {"dimension": 16}}) as server:
        monkeypatch.setenv("EMBEDDING_PROVIDER", "openai")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        monkeypatch.delenv("PP_NO_MODEL")
        # The server stands on this machine: only the test says that it does not.
        monkeypatch.setattr("bridge.locality.is_loopback", lambda address: False)
        monkeypatch.setenv("EMBEDDING_BASE_URL", server.url)
        near = synced(notes)
        sent = "\n".join(request.text for request in server.requests)
    assert near["pending"] == 2
    assert all("withheld" in reason and "private" in reason for reason in near["held"])
    assert "Nobody reads" not in sent and "nor this" not in sent and "quick brown fox" in sent


def test_v6_a_missing_extra_is_said_with_its_remedy(
    notes: Memex, monkeypatch: pytest.MonkeyPatch
) -> None:
    from neuro.embed import wordllama

    def gone(name: str) -> None:
        raise wordllama.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(wordllama.metadata, "files", gone)
    monkeypatch.setenv("EMBEDDING_PROVIDER", "wordllama")
    ran = notes.run("sync", "--json").expect(0)
    assert "pip install passepartout-memex[embed]" in ran.one["near"]["warnings"][0]
    assert ran.one["near"]["pending"] == heading_count()
    doctor = notes.run("doctor").expect(1)
    assert "pip install passepartout-memex[embed]" in doctor.out


def test_v6_a_long_note_is_embedded_whole(notes: Memex, server: Server) -> None:
    """230,000 characters go out in pieces of bounded size, and none of them is left out."""
    text = " ".join(f"word{number}" for number in range(25_000))
    notes.write("long.org", f"* Long\n{text}\n")
    assert synced(notes)["pending"] == 1, "the garden alone"
    pieces = [piece for request in server.requests for piece in request.parsed["input"]]
    assert max(map(len, pieces)) <= 2000
    said = "".join(piece for piece in pieces if "word" in piece)
    assert all(f"word{number}" in said for number in range(0, 25_000, 97))


def test_v6_the_state_folder_may_be_thrown_away(notes: Memex, tmp_path: Path) -> None:
    synced(notes)
    number = notes.status()["near"]["N"]
    rebuilt = notes.rebuild()
    assert rebuilt["N"] == {"before": number, "after": number, "result": "equal"}
