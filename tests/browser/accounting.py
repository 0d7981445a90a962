"""Every number and every word of the model that a page holds, and the accounts that a test gives of them.

`ledger(page)` reads the whole document: texts, accessible names and descriptions, tooltips, inside every shadow root, and
what each figure says when it is pointed at. `account(page, …)` holds it against what the test has worked out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tests.browser.golden_model import NAME, SHOWN, SOURCE, TARGET

if TYPE_CHECKING:
    from playwright.sync_api import Page

# One entry for each text between blocks, each attribute that is read out, each sentence of a figure. `path` holds the names
# by which the place is known: classes that the app gives, Streamlit's keys, data-* names, from the outermost to the innermost.
_READ = r"""() => {
  const found = [];
  const names = (element) => {
    const own = [...element.classList].filter((each) => !/^(st-emotion|e[0-9a-z]{6,}|st-[a-z0-9]{2}$|css-)/.test(each));
    const test = element.dataset?.testid;
    if (test) own.push(test);
    for (const [key, value] of Object.entries(element.dataset ?? {})) if (key !== 'testid') own.push(`${key}=${value}`);
    if (element.getAttribute('role')) own.push(`role=${element.getAttribute('role')}`);
    return [element.tagName.toLowerCase(), ...own];
  };
  const inline = (element) => element.namespaceURI.endsWith('xhtml')
    ? /^(inline|contents)/.test(getComputedStyle(element).display) && !['BUTTON', 'SELECT', 'INPUT', 'TEXTAREA'].includes(element.tagName)
    : ['tspan', 'a'].includes(element.tagName);
  const skip = new Set(['STYLE', 'SCRIPT', 'NOSCRIPT', 'TEMPLATE', 'style', 'script']);
  const plain = (text) => text.replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim();
  const keep = (path, how, text) => { const words = plain(text); if (words) found.push([path.join(' '), how, words]); };
  const ATTRIBUTES = ['aria-label', 'aria-description', 'aria-valuetext', 'title', 'alt', 'placeholder', 'data-tip', 'data-told', 'data-help', 'data-note'];
  const walk = (node, path) => {
    let text = '';
    const flush = () => { keep(path, 'text', text); text = ''; };
    const gather = (parent, under) => {
      for (const child of parent.childNodes) {
        if (child.nodeType === Node.TEXT_NODE) { text += child.textContent; continue; }
        if (child.nodeType !== Node.ELEMENT_NODE || skip.has(child.tagName)) continue;
        for (const name of ATTRIBUTES) if (child.hasAttribute(name)) keep([...under, ...names(child)], name, child.getAttribute(name));
        if (child.matches('input:not([type=checkbox]):not([type=radio]), textarea')) keep([...under, ...names(child)], 'value', child.value);
        if (child.classList.contains('js-plotly-plot')) figure(child, [...under, ...names(child)]);
        if (child.shadowRoot) { flush(); walk(child.shadowRoot, [...under, ...names(child)]); continue; }
        if (inline(child)) {
          if (parseFloat(getComputedStyle(child).marginLeft) > 0) text += ' '; // set apart
          gather(child, [...under, ...names(child)]);
          continue;
        }
        flush();
        walk(child, [...under, ...names(child)]);
      }
    };
    gather(node, path);
    flush();
  };
  const figure = (plot, path) => {
    for (const [n, trace] of (plot._fullData ?? []).entries())
      for (const part of ['hovertext', 'customdata', 'text']) {
        const told = trace[part];
        for (const one of Array.isArray(told) || ArrayBuffer.isView(told) ? [...told].flat(2) : [told])
          if (typeof one === 'string') keep([...path, `trace=${n}`, `name=${trace.name ?? ''}`], part, one.replace(/<br>/g, ' · ').replace(/<[^>]*>/g, ''));
      }
  };
  walk(document.body, []);
  return found;
}"""


class Entry(NamedTuple):
    """A text with the names of its place, and whether it is text, or what attribute holds it."""

    path: str
    how: str
    text: str


def ledger(page: Page) -> list[Entry]:
    """Every text of the page as it is now, in the order of the document."""
    return [Entry(*each) for each in page.evaluate(_READ)]


# -- what a text holds ------------------------------------------------------------------------------------------

STILL_FOR = 12  # looks without a change after which a page counts as whole
_NUMBER = r"(?<![\w.,])[+−-]?(?:\d+(?:,\d{3})*(?:\.\d+)?|\.\d+)(?:e[−+-]?\d+)?(?!\w)"
_PROSE = {"while", "over", "there", "falls"}  # words of the model that are English, too: they count in quotes
_SPOKEN = {
    "the end token": "⟨end⟩",
    "the start token": "⟨start⟩",
    "the words before": "⟨prefix⟩",
    "the source": "⟨source⟩",
}
MODELS = {NAME, "en-fr"}
SIDES = {
    *("first sentence", "second sentence", "the correct model", "the code as written"),
    *("when predicted", "when fed back"),
}
"""What is named beside a number where two things have one each."""
_WORDS = sorted(
    {*SOURCE[4:], *TARGET[4:], *SHOWN.values(), "⟨prefix⟩", "⟨source⟩", *MODELS, *SIDES},
    key=len,
    reverse=True,
)
_TOKEN = re.compile(
    rf"(?P<less>less than |<\s?)?(?P<number>{_NUMBER})(?P<percent>\s?%)?|(?<!\w)(?P<word>{'|'.join(map(re.escape, _WORDS))})(?!\w)"
    rf"|(?P<spoken>{'|'.join(_SPOKEN)})(?! word|’|')"
)


class Token(NamedTuple):
    """A number (with its unit where that is %) or a word of the model, as a text shows it."""

    shown: str
    percent: bool = False
    less: bool = False  # than what is shown

    @property
    def is_word(self) -> bool:
        return not any(letter.isdigit() for letter in self.shown)


def tokens(text: str, spoken: bool = True) -> list[Token]:
    """The numbers and the model's words of a text, in order; `spoken`: words such as “the end token” stand for a token."""
    sentences = [(0, len(text)), *(each.span(1) for each in re.finditer("“([^”]*)”", text))]
    sentences = [(first, last) for first, last in sentences if _only_words(text[first:last])]
    found = []
    for each in _TOKEN.finditer(text):
        if each["number"]:
            number = each["number"]
            if number[0] == "+" and text[: each.start()].rstrip()[-1:].isdigit():  # 2 + 3
                number = number[1:]
            found.append(Token(number, each["percent"] is not None, each["less"] is not None))
        elif each["spoken"]:
            if spoken:
                found.append(Token(_SPOKEN[each["spoken"]]))
        elif (
            each["word"] not in _PROSE
            or text[each.start() - 1 : each.start()] in ("“", "‘")
            or any(first <= each.start() < last for first, last in sentences)
        ):
            found.append(Token(each["word"]))
    return found


def _only_words(text: str) -> bool:
    """Whether a text is words of the model, with their positions, and nothing else."""
    return all(
        word in _WORDS or word in ("→", "·") or word.isdecimal() for word in text.replace("→", " → ").split()
    )


# -- accounts ---------------------------------------------------------------------------------------------------


class Number(NamedTuple):
    """A value that a text shows rounded, with a % behind it where `percent`; `near` is what single precision may lose."""

    value: float
    percent: bool = False
    near: float = 0.02

    def fits(self, token: Token) -> bool:
        if token.is_word or token.percent != self.percent:
            return False
        mantissa, _, power = token.shown.replace(",", "").replace("−", "-").partition("e")
        if token.less:
            return 0 <= self.value < float(mantissa)
        digits = len(mantissa.partition(".")[2])
        scale = 10.0 ** int(power or 0)
        return (
            abs(float(mantissa) * scale - self.value)
            <= (0.5 + self.near) * 10.0**-digits * scale + 1e-9 * scale
        )


class Name(NamedTuple):
    """What has to be shown letter for letter: a head (“1.2”), a layer, a word of the model."""

    text: str

    def fits(self, token: Token) -> bool:
        return token.shown == self.text


Item = Number | Name
Fact = tuple[Item, ...]
"""Things that belong together: a word and its share, a head and its score. In a text its parts stand beside each other,
words among words and numbers among numbers in this order. What could be taken for one another (before and after, two
scores) is one fact: facts of a text may come in any order."""


def share(value: float) -> Number:
    """A share of 1 that is shown in %."""
    return Number(100 * value, percent=True)


def fact(*items: Item | float | str) -> Fact:
    """A fact from words, names of heads (strings with a digit, too), whole numbers, and values that are rounded."""
    return tuple(_item(each) for each in items)


def _item(item: Item | float | str) -> Item:
    if isinstance(item, str | int):
        return Name(str(item))
    return Number(item) if isinstance(item, float) else item


@dataclass
class Account:
    """What the texts of a place hold: `rows` in the order of the document, each some facts in any order.

    `where` are names of the place's path (`Entry.path`), all of which it has ("card_*" is any that begins so); `how` is "text" or the attribute. One row with
    `every` is that of every text there. `rows` None: what stands there is no result (`why`).
    """

    where: str
    rows: Sequence[Sequence[Fact]] | None
    how: str = ""
    every: bool = False
    why: str = ""
    met: list[Entry] = field(default_factory=list)

    def holds(self, entry: Entry) -> bool:
        names = entry.path.split()
        return self.how in ("", entry.how) and all(
            any(each.startswith(name[:-1]) for each in names) if name.endswith("*") else name in names
            for name in self.where.split()
        )


def no_result(where: str, why: str, how: str = "") -> Account:
    """A place whose numbers are none that were computed."""
    return Account(where, None, how, why=why)


def is_told(shown: Sequence[Token], facts: Sequence[Fact]) -> bool:
    """Whether a text is these facts, in some order, and nothing else."""
    if not facts:
        return not shown
    for place, one in enumerate(facts):
        part = shown[: len(one)]
        if (
            len(part) == len(one)
            and _fits(part, one)
            and is_told(shown[len(one) :], [*facts[:place], *facts[place + 1 :]])
        ):
            return True
    return False


def _fits(part: Sequence[Token], one: Fact) -> bool:
    """Words with words and numbers with numbers, each in their order."""
    for words in (True, False):
        shown = [token for token in part if token.is_word == words]
        wanted = [item for item in one if _is_word(item) == words]
        if len(shown) != len(wanted) or not all(
            item.fits(token) for item, token in zip(wanted, shown, strict=True)
        ):  # type: ignore[union-attr]
            return False
    return True


def _is_word(item: Item) -> bool:
    return isinstance(item, Name) and not any(letter.isdigit() for letter in item.text)


def faults(entries: Sequence[Entry], accounts: Sequence[Account]) -> list[str]:
    """Every text that no account holds, or that says another thing, and every account that met too little."""
    found = []
    for account in accounts:
        account.met.clear()
    for entry in entries:
        # Elsewhere they are words of an explanation.
        shown = tokens(entry.text, "readout" in entry.path or "picture" in entry.path)
        if not shown:
            continue
        account = next((each for each in accounts if each.holds(entry)), None)
        if account is None:
            found.append(
                f"nobody accounts for {entry.text!r} ({entry.how}) at {' '.join(entry.path.split()[-8:])}"
            )
            continue
        account.met.append(entry)
        if account.rows is None:
            continue
        place = 0 if account.every else len(account.met) - 1
        wanted = account.rows[place] if place < len(account.rows) else ()
        if not is_told(shown, wanted):
            found.append(f"{account.where}, number {place}: {entry.text!r} is not {wanted}")
    found += [
        f"{account.where} {account.how}: {len(account.met)} of {len(account.rows)} texts are there"
        for account in accounts
        if account.rows is not None and len(account.met) < (1 if account.every else len(account.rows))
    ]
    return found


def account(page: Page, *accounts: Account) -> None:
    """Hold a whole page against its accounts, once nothing more changes on it."""
    last: list[Entry] = []
    for _ in range(STILL_FOR):
        while (now := ledger(page)) != last:
            last = now
            page.wait_for_timeout(150)
        missing = faults(now, accounts)
        if not missing:
            return
        page.wait_for_timeout(150)
    assert not missing, "\n".join(missing)
