"""Tokens as terms: the cursor over a file, and what stands between the brackets of an atom."""

from __future__ import annotations

from symbolic.names import fold
from symbolic.records import Name, NameKind, Term, Value, ValueKind
from symbolic.rules.lexer import Kind, Token, unescape
from symbolic.rules.syntax import Argument, Constant, Variable
from symbolic.rules.words import KINDS, MAX_DIGITS, TRUTHS
from symbolic.values import BadValue, literal, name

_AWAY = "Asia/Tokyo"
"""A stamp that reads otherwise here than in UTC depends on a zone, and a rule may not."""


class Mistake(Exception):
    """Leaves a clause that cannot be read; never leaves the parser."""

    def __init__(self, at: Token, message: str, remedy: str) -> None:
        super().__init__(message)
        self.at, self.message, self.remedy = at, message, remedy


class Terms:
    """A cursor over the tokens of a file that reads variables and constants."""

    def __init__(self, found: list[Token]) -> None:
        self._tokens = found
        self._at = 0
        self._fresh = 0

    def _argument(self) -> Argument:
        token = self._peek()
        if self._take(Kind.VARIABLE):
            if token.text != "_":
                return Variable(token.text)
            self._fresh += 1
            return Variable(f"_#{self._fresh}")
        return Constant(self._constant())

    # --- constants ----------------------------------------------------------------------------

    def _constant(self) -> Term:
        token = self._peek()
        self._at += 1
        match token.kind:
            case Kind.WORD if token.text in KINDS and self._is("("):
                return self._kind(token)
            case Kind.WORD if token.text in TRUTHS:
                return Value(ValueKind.BOOLEAN, token.text, token.text)
            case Kind.WORD:
                return Name(NameKind.NAME, fold(token.text), token.text)
            case Kind.QUOTED:
                return self._name(token, NameKind.NAME)
            case Kind.NUMBER:
                kind = ValueKind.DECIMAL if "." in token.text else ValueKind.INTEGER
                return self._value(token, token.text, kind)
        self._at -= 1
        remedy = "write a variable (X), a name ('...'), a number, text(\"...\") or date(2024-02)"
        if token.kind is Kind.STRING:
            remedy = "write text(\"...\") for a text, '...' for a name"
        elif token.kind is Kind.DATE:
            remedy = f"write date({token.text})"
        raise Mistake(
            token, f"a variable or a value is expected here, not {named(token)}", remedy
        )

    def _kind(self, word: Token) -> Term:
        """Read `text("...")` and its like, of which the word has been read."""
        self._mark("(")
        token = self._peek()
        self._at += 1
        found: Term
        if word.text == "q":
            found = self._quantity(token)
        elif word.text == "date" and token.kind in (Kind.DATE, Kind.NUMBER):
            found = self._value(token, token.text, ValueKind.DATE)
        elif token.kind not in (Kind.STRING, Kind.QUOTED):
            self._at -= 1
            raise Mistake(
                token, f"a string is expected in {word.text}(), not {named(token)}",
                "write date(2024-02)" if word.text == "date" else f'write {word.text}("...")',
            )
        elif word.text == "text":
            found = self._value(token, self._unescaped(token), ValueKind.TEXT)
        elif word.text == "date":
            found = self._value(token, self._unescaped(token), ValueKind.DATE)
        else:
            found = self._name(token, NameKind(word.text))
        self._mark(")")
        return found

    def _quantity(self, token: Token) -> Value:
        if token.kind is not Kind.NUMBER:
            self._at -= 1
            raise Mistake(
                token, f"a number is expected in q(), not {named(token)}", "write q(8848, 'm')"
            )
        self._mark(",")
        unit = self._peek()
        if unit.kind not in (Kind.QUOTED, Kind.STRING, Kind.WORD):
            raise Mistake(
                unit, f"a unit is expected in q(), not {named(unit)}", "write q(8848, 'm')"
            )
        self._at += 1
        spelt = unit.text if unit.kind is Kind.WORD else self._unescaped(unit)
        return self._value(token, token.text, ValueKind.QUANTITY, spelt)

    def _value(self, token: Token, raw: str, kind: ValueKind, unit: str | None = None) -> Value:
        if token.kind is Kind.NUMBER and len(raw) > MAX_DIGITS:
            raise Mistake(
                token, f"a number of {len(raw)} digits", f"the most is {MAX_DIGITS} digits"
            )
        try:
            if kind is ValueKind.DATE and literal(raw, kind) != literal(raw, kind, zone=_AWAY):
                raise BadValue(f"the instant '{raw}' has no offset")
            return literal(raw, kind, unit)
        except BadValue as wrong:
            remedy = {
                ValueKind.DATE: "write date(2024), date(2024-02) or date(2024-02-01T10:00Z)",
                ValueKind.QUANTITY: "write a number and a unit that is known: q(8848, 'm')",
            }.get(kind, "write it as in 5000 or 1.5")
            raise Mistake(token, str(wrong), remedy) from wrong

    def _name(self, token: Token, kind: NameKind) -> Name:
        try:
            return name(self._unescaped(token), kind)
        except BadValue as wrong:
            raise Mistake(token, str(wrong), "write what it names") from wrong

    def _unescaped(self, token: Token) -> str:
        found = unescape(token.text)
        if found is None:
            raise Mistake(
                token, "a backslash stands before something it does not escape",
                r"write \\ for a backslash, \' \" \n \r \t or \u{1F600}",
            )
        return found

    # --- tokens -------------------------------------------------------------------------------

    def _peek(self, ahead: int = 0) -> Token:
        return self._tokens[min(self._at + ahead, len(self._tokens) - 1)]

    def _is(self, mark: str) -> bool:
        token = self._peek()
        return token.kind is Kind.MARK and token.text == mark

    def _take(self, kind: Kind) -> bool:
        if self._peek().kind is not kind:
            return False
        self._at += 1
        return True

    def _mark(self, mark: str) -> None:
        if not self._is(mark):
            token = self._peek()
            raise Mistake(
                token, f"'{mark}' is expected here, not {named(token)}",
                "a relation is written with its arguments: p(X, Y)" if mark == "(" else
                "an atom reads p(X, Y), denied(p, X, Y), is_a(X, 'class') or p(X, Y)@S",
            )
        self._at += 1


def named(token: Token) -> str:
    """Return a token as a message names it."""
    if token.kind is Kind.END:
        return token.kind.value
    text = token.text if len(token.text) <= 24 else token.text[:24] + "…"
    shown = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return f"'{shown}'" if token.kind in (Kind.MARK, Kind.BAD, Kind.ARROW) else (
        f"{token.kind.value} '{shown}'"
    )
