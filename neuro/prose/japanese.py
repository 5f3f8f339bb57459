"""The Japanese copula: XはYです and XはYである, where Y ends in a word for a class.

Adjectives take the same copula (シンプルである), so what Y ends in decides: a word in katakana or a
kanji that names a kind. Nothing with a particle inside is read, nor any other ending.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from neuro.prose.lexicon import words

_KANJI, _KATAKANA = "\u3400-\u9fff々", "ァ-ヶー・"
_LETTER = rf"{_KANJI}{_KATAKANA}A-Za-z0-9"
_KIND = "家者人国語駅社師員士県市町村島山川湖機器型式法"
_NAMED = re.compile(rf"[{_LETTER}\uac00-\ud7af .+#_-]+")
_COPULA = re.compile(
    rf"(?P<x>[{_LETTER}][{_LETTER} .+#_-]{{0,40}})は、?"
    rf"(?P<y>[{_LETTER} ]{{0,24}}(?:[{_KATAKANA}]{{3}}|関数|言語|[{_KIND}]))"
    r"(?:です|である|だ)(?=[。！]|\Z)"
)
_NOBODY = words("""
    私 僕 俺 彼 彼女 我々 誰 何 今日 昨日 明日 今 今回 次 前 後 上 下 中 以上 以下 最初 最後 例 他
    本人 自分 一つ 問題 目的 理由 結果 基本 方法 名前 場合
""")
_NO_CLASS = words("""
    シンプル クール ユニーク カラフル パワフル スムーズ コンパクト フリー オープン オフ オン メイン
    デフォルト ポイント メリット デメリット オススメ ダメ イメージ チャンス 方法 必要 本人 他人 別人
    日本人 大人
""")


class Copula(NamedTuple):
    """X and Y of a sentence, and where Y ends."""

    entity: str
    value: str
    end: int


def copula(form: str, start: int) -> Copula | None:
    """Return what a sentence that begins at `start` says, None if it is no such sentence."""
    match = _COPULA.match(form, start)
    if match is None or match["y"] in _NO_CLASS or not names(match["x"]):
        return None
    return Copula(match["x"].strip(), match["y"], match.end("y"))


def names(text: str) -> bool:
    """Return whether a run of letters may be a name: no particle in it, no pronoun."""
    return _NAMED.fullmatch(text) is not None and text not in _NOBODY
