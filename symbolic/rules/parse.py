"""Text of rules to clauses. No input raises and none is run: what is wrong is a Fault.

::

    RuleFile ──tokens──► clauses between full stops ──► Clause, or a Fault and on to the next

A quoted or bare word is a Name, its kind and unit aside: `symbolic.rules.resolve` types constants
by RANGE, since what a file says must not depend on what is declared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from symbolic.canon import MEMBER
from symbolic.names import fold
from symbolic.records import RuleFile, Value
from symbolic.rules.faults import Fault, Lines
from symbolic.rules.lexer import Kind, Token, tokens
from symbolic.rules.printing import hash_of
from symbolic.rules.printing import print_clause as print_clause
from symbolic.rules.syntax import (
    Absent,
    Argument,
    Atom,
    Clause,
    Compare,
    Constant,
    Head,
    Literal,
    Operator,
    Order,
    Place,
    Reified,
    Relating,
)
from symbolic.rules.terms import Mistake, Terms, named
from symbolic.rules.words import (
    BUILT_IN,
    DENIED,
    IS_A,
    KINDS,
    MAX_CHARACTERS,
    MAX_FAULTS,
    ORDERS,
    RESERVED,
    TRUTHS,
)

_DIRECTIVE = re.compile(r"%\s*(name|domain)\s*:\s*(.*)", re.DOTALL)
_WORD = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a file holds. `domain` is what `% domain: NAME` narrows it to."""

    file: RuleFile
    clauses: tuple[Clause, ...]
    domain: str | None
    faults: tuple[Fault, ...]


def parse(file: RuleFile, *, reified: bool = False) -> Parsed:
    """Return the clauses of `file` and what is wrong with it.

    `reified` lets it name the built-ins of contradictions.dl.
    """
    lines = Lines(file.name, file.text[:MAX_CHARACTERS])
    if len(file.text) > MAX_CHARACTERS:
        fault = lines.fault(
            0, f"the file has {len(file.text)} characters, the most is {MAX_CHARACTERS}",
            "split it into several files of rules; facts belong into notes or imports",
        )
        return Parsed(file, (), None, (fault,))
    reader = _Reader(lines, list(tokens(file.text)), PurePosixPath(file.name).stem, reified)
    reader.read()
    domain = reader.domain
    clauses = tuple(replace(one, domain=domain) for one in reader.clauses)
    return Parsed(file, clauses, domain, tuple(sorted(reader.faults, key=_by_place)))


def _by_place(fault: Fault) -> tuple[int, int]:
    return fault.place.line, fault.place.column


class _Reader(Terms):
    """One pass over the tokens of a file."""

    def __init__(self, lines: Lines, found: list[Token], stem: str, reified: bool) -> None:
        super().__init__([token for token in found if token.kind is not Kind.COMMENT])
        self.lines = lines
        self.stem = stem
        self.reified = reified
        self.domain: str | None = None
        self.clauses: list[Clause] = []
        self.faults: list[Fault] = []
        self._comments = [token for token in found if token.kind is Kind.COMMENT and token.alone]
        self._named: dict[str, int] = {}

    def read(self) -> None:
        """Read all clauses, those after a bad one too."""
        pending: Token | None = None
        comments = iter([*self._comments, Token(Kind.END, "", 1 << 62)])
        comment = next(comments)
        while len(self.faults) < MAX_FAULTS:
            start = self._peek()
            while comment.offset < start.offset:
                pending = self._directive(comment, pending)
                comment = next(comments)
            if start.kind is Kind.END:
                break
            self._fresh = 0
            try:
                self._clause(start, pending)
            except Mistake as wrong:
                self._fault(wrong.at, wrong.message, wrong.remedy)
                self._recover()
            pending = None
            while comment.offset < self._tokens[self._at - 1].offset:
                comment = next(comments)  # inside the clause: an ordinary comment
        if pending is not None and not self.faults:
            self._fault(pending, "this name belongs to no rule", "write it right above its rule")

    def _recover(self) -> None:
        """Go on behind the next full stop that has a blank behind it."""
        while self._peek().kind is not Kind.END:
            token = self._peek()
            self._at += 1
            if token.kind is Kind.MARK and token.text == ".":
                following = self._peek()
                if following.kind is Kind.END or following.offset > token.offset + 1:
                    return

    def _fault(self, at: Token, message: str, remedy: str) -> None:
        if at.kind is Kind.BAD and at.text in ("'", '"'):
            message = f"a quote {at.text} is opened here and not closed in its line"
            remedy = f"close it; inside, write \\{at.text}"
        offset = at.offset
        if at.kind is Kind.END and len(self._tokens) > 1:
            offset = self._tokens[-2].offset  # a place inside the file
        self.faults.append(self.lines.fault(offset, message, remedy))

    # --- directives ---------------------------------------------------------------------------

    def _directive(self, comment: Token, pending: Token | None) -> Token | None:
        """Take in a comment on a line of its own; return the name that waits for its rule."""
        match = _DIRECTIVE.fullmatch(comment.text)
        if match is None:
            return pending
        word = match[2].strip()
        if match[1] == "domain":
            if self.domain is not None and word != self.domain:
                self._fault(comment, "the file is narrowed to two domains", "keep one of them")
            elif not word or " " in word:
                self._fault(comment, f"'{word}' is no domain", "write % domain: memex")
            else:
                self.domain = word
            return pending
        if not _WORD.fullmatch(word):
            self._fault(
                comment, f"'{word}' is no name for a rule",
                "write one word of letters, digits, - and _, or take the colon out of the comment",
            )
            return pending
        if pending is not None:
            self._fault(comment, "the rule below has two names", "keep one of them")
        if word in self._named:
            line = self._named[word]
            self._fault(
                comment, f"the name '{word}' is taken at line {line}", "choose another name"
            )
        self._named.setdefault(word, self.lines.number(comment.offset))
        return replace(comment, text=word)

    # --- clauses ------------------------------------------------------------------------------

    def _clause(self, start: Token, label: Token | None) -> None:
        head: Head | None = None
        if start.kind is not Kind.ARROW:
            head = self._head()
            if self._is("."):
                raise Mistake(
                    start, "a rule needs a body",
                    "write what it follows from after <=; a plain fact belongs into a note",
                )
        if not self._take(Kind.ARROW):
            raise Mistake(
                self._peek(), f"<= is expected here, not {named(self._peek())}",
                "a rule reads: head <= literal & literal.",
            )
        body = [self._literal()]
        while self._is("&"):
            self._at += 1
            body.append(self._literal())
        if not self._is("."):
            raise Mistake(
                self._peek(), f"& or a full stop is expected here, not {named(self._peek())}",
                "join literals with & and end the rule with a full stop",
            )
        self._at += 1
        whole = tuple(body)
        auto = f"{self.stem}/{hash_of(head, whole, None)[:8]}"
        self.clauses.append(Clause(
            name=auto if label is None else label.text, head=head, body=whole,
            place=self._place(start),
        ))

    def _head(self) -> Head:
        first = self._peek()
        found = self._literal()
        if isinstance(found, Atom) or (isinstance(found, Reified) and not found.absent):
            return found
        raise Mistake(
            first, "this cannot be concluded", "a head is p(X, Y), denied(p, X, Y) or p(X, Y)@S"
        )

    def _literal(self) -> Literal:
        first = self._peek()
        if self._is("~"):
            self._at += 1
            return self._absent(first)
        following = self._peek(1)
        called = following.kind is Kind.MARK and following.text == "("
        if first.kind is Kind.WORD and called:
            if first.text in ORDERS:
                return self._order(first)
            if self.reified and first.text not in (KINDS | TRUTHS | {IS_A, DENIED}):
                return self._built_in(first)
            quantity = first.text == "q" and self._peek(2).kind is Kind.NUMBER
            if first.text not in KINDS or (first.text == "q" and not quantity):
                return self._atom()
        elif first.kind is Kind.QUOTED and called:
            return self._atom()
        return self._compare(first)

    def _absent(self, mark: Token) -> Literal:
        first = self._peek()
        if self._is("~"):
            raise Mistake(first, "what is absent is denied twice", "write ~ once")
        inner = self._literal()
        if isinstance(inner, Reified) and not inner.absent:
            return replace(inner, absent=True)
        if not isinstance(inner, Atom):
            raise Mistake(
                first, "only p(X, Y) or denied(p, X, Y) can be absent",
                "turn a comparison round instead: ~X = Y is X != Y",
            )
        if inner.spell is not None:
            raise Mistake(
                mark, "what is absent has no spell to bind", f"leave @{inner.spell} away"
            )
        return Absent(atom=inner)

    def _order(self, word: Token) -> Order:
        self._at += 1
        self._mark("(")
        left = self._spell()
        self._mark(",")
        right = self._spell()
        self._mark(")")
        return Order(
            relating=Relating(word.text), left=left, right=right, place=self._place(word)
        )

    def _spell(self) -> str:
        token = self._peek()
        if not self._take(Kind.VARIABLE) or token.text == "_":
            raise Mistake(
                token, f"a variable that binds a spell is expected here, not {named(token)}",
                "bind it with @: p(X, Y)@S & q(X, Z)@T & before(S, T)",
            )
        return token.text

    def _built_in(self, word: Token) -> Reified:
        self._at += 1
        self._mark("(")
        found = [self._argument()]
        while self._is(","):
            self._at += 1
            found.append(self._argument())
        self._mark(")")
        return Reified(name=word.text, arguments=tuple(found), place=self._place(word))

    # --- atoms --------------------------------------------------------------------------------

    def _atom(self) -> Atom:
        first = self._peek()
        denied = first.kind is Kind.WORD and first.text == DENIED
        if denied:
            self._at += 1
            self._mark("(")
        relation = self._relation()
        self._mark("," if denied else "(")
        entity = self._entity()
        self._mark(",")
        value = self._argument()
        if self._is(","):
            raise Mistake(
                self._peek(), "a relation has two arguments", "write relation(ENTITY, VALUE)"
            )
        self._mark(")")
        spell = None
        if self._is("@"):
            self._at += 1
            spell = self._spell()
        return Atom(
            relation=relation, entity=entity, value=value, denied=denied, spell=spell,
            place=self._place(first),
        )

    def _relation(self) -> str:
        token = self._peek()
        if self._take(Kind.QUOTED):
            raw = self._unescaped(token)
            if not raw.strip():
                raise Mistake(token, "a relation cannot be empty", "name it")
            return fold(raw)
        if not self._take(Kind.WORD):
            raise Mistake(
                token, f"a relation is expected here, not {named(token)}",
                "a relation begins with a small letter or stands in single quotes",
            )
        if token.text == IS_A:
            return MEMBER
        if token.text in BUILT_IN:
            raise Mistake(
                token, f"'{token.text}' is a word of the shipped contradictions.dl alone",
                f"put your own relation in quotes: '{token.text}'",
            )
        if token.text in RESERVED:
            raise Mistake(
                token, f"'{token.text}' is a reserved word",
                f"put a relation of that name in quotes: '{token.text}'",
            )
        return fold(token.text)

    def _entity(self) -> Argument:
        token = self._peek()
        found = self._argument()
        if isinstance(found, Constant) and isinstance(found.term, Value):
            raise Mistake(
                token, "the first argument is an entity, which is a name",
                "put a name in single quotes; numbers, dates and texts are values",
            )
        return found

    def _compare(self, first: Token) -> Compare:
        left = self._argument()
        token = self._peek()
        if token.kind is Kind.ARROW:
            operator = Operator.LE  # the first <= of a clause is the arrow, later ones compare
        elif token.kind is Kind.OPERATOR:
            operator = Operator(token.text)
        else:
            raise Mistake(
                token, f"a comparison is expected here, not {named(token)}",
                "after a value write = != < =< > or >=; a relation needs its arguments: p(X, Y)",
            )
        self._at += 1
        return Compare(
            operator=operator, left=left, right=self._argument(), place=self._place(first)
        )

    def _place(self, token: Token) -> Place:
        return self.lines.place(token.offset)
