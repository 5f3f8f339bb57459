"""Word vectors of English from the wheel of `wordllama`: its two files, read directly.

Its own loader goes to the network (it looks for its tokeniser in a folder that the wheel does not
have), so neither the package nor a hub is imported or asked: a vector is the mean of the rows that
the text's tokens have in the table. The installed distribution says where the files are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neuro.embed.base import Embedded, EmbedderMissing, chunks, unit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "wordllama-l2-supercat-256"
REMEDY = "pip install passepartout-memex[embed]"
_WEIGHTS = "l2_supercat_256.safetensors"
_TOKENIZER = "l2_supercat_tokenizer_config.json"


class Wordllama:
    """The embedder of the extra `embed`. Its files are read at the first text.

    Raises EmbedderMissing at once where the extra is not installed.
    """

    name = NAME
    batch = 2048

    def __init__(self) -> None:
        self._paths = _files()

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Return the vectors of `texts`, a long one as the mean over its pieces."""
        import numpy as np  # slow to import: only where vectors are made

        tokenizer, table = _loaded(*self._paths)
        matrix = np.zeros((len(texts), table.shape[1]), dtype=np.float32)
        cut = [(index, piece) for index, text in enumerate(texts) for piece in chunks(text)]
        # All at once: the tokeniser shares a batch out over the processors.
        read = tokenizer.encode_batch_fast([piece for _, piece in cut], add_special_tokens=False)
        for (index, _), piece in zip(cut, read, strict=True):
            if piece.ids:
                rows = table.take(piece.ids, axis=0)
                # A product of ones is the quickest sum over rows there is.
                mean = np.ones(len(rows), dtype=np.float32) @ rows
                matrix[index] += mean / max(float(np.sqrt(mean @ mean)), 1e-12)
        return Embedded(unit(matrix))


def _files() -> tuple[Path, Path]:
    """Return where the weights and the tokeniser of the installed distribution are."""
    try:
        files = metadata.files("wordllama") or []
        metadata.version("tokenizers")
    except metadata.PackageNotFoundError as error:
        raise EmbedderMissing(f"wordllama is not installed: {REMEDY}") from error
    places = {file.name: Path(str(file.locate())) for file in files}
    found = [places[name] for name in (_WEIGHTS, _TOKENIZER) if name in places]
    if len(found) != 2 or not all(path.is_file() for path in found):
        raise EmbedderMissing(
            f"the installed wordllama lacks {_WEIGHTS} or {_TOKENIZER}: {REMEDY}"
        )
    return found[0], found[1]


@cache
def _loaded(weights: Path, tokenizer: Path) -> tuple[Any, NDArray[np.float32]]:
    """Return the tokeniser and the table of word vectors. Raises EmbedderMissing if unreadable."""
    import numpy as np
    from tokenizers import Tokenizer  # an extra

    try:
        data = weights.read_bytes()
        size = int.from_bytes(data[:8], "little")
        entry = json.loads(data[8 : 8 + size])["embedding.weight"]
        first, last = entry["data_offsets"]
        kind = {"F16": "<f2", "F32": "<f4"}[entry["dtype"]]
        flat = np.frombuffer(data[8 + size + first : 8 + size + last], dtype=kind)
        table = flat.reshape(entry["shape"]).astype(np.float32)
        reader = Tokenizer.from_file(str(tokenizer))
    except (OSError, ValueError, KeyError) as error:
        raise EmbedderMissing(f"wordllama's files do not read ({error}): {REMEDY}") from error
    reader.no_padding()
    reader.no_truncation()
    return reader, table
