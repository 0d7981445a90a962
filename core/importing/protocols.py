"""Pickles of protocol 3, 4 and 5 written again as protocol 2, which torch reads with weights_only=True.

`torch.save(…, pickle_protocol=4)` writes instructions that torch's own safe reader does not know. Each has an equivalent in
protocol 2: strings stand where they are used, sets become lists, and bytes are encoded text, as protocol 2 writes them.
Nothing is run here; what comes out is checked and read as any other file is.
"""

from __future__ import annotations

import io
import pickletools
import struct
from collections.abc import Iterator
from typing import Any, Final

from torch._weights_only_unpickler import Unpickler

_BYTES: Final = ("SHORT_BINBYTES", "BINBYTES", "BINBYTES8", "BYTEARRAY8")
_TEXTS: Final = ("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8")
_OTHERS: Final = {"EMPTY_SET": b"]", "ADDITEMS": b"e", "FROZENSET": b"t", "PROTO": b"\x80\x02"}


class NotWrittenAgainError(Exception):
    """A pickle has an instruction without an equivalent, or would be too long."""


def is_newer(program: bytes) -> bool:
    """Whether a pickle is of protocol 3 or later."""
    return len(program) > 1 and program[0] == 0x80 and program[1] > 2


def as_protocol_two(program: bytes, most_bytes: int, most_instructions: int) -> bytes:
    """The same pickle in protocol 2; unchanged if it is one. Raises NotWrittenAgainError, and ValueError for a damaged one."""
    if not is_newer(program):
        return program
    written = bytearray()
    recent: list[tuple[int, str]] = []  # the texts pushed last with nothing after them, and where each begins
    texts: dict[int, str] = {}  # those that the pickle keeps under a number
    count = 0  # of all that it keeps

    def push(text: str) -> None:
        recent.append((len(written), text))
        written.extend(_text(text))

    for name, argument, instruction in _instructions(program, most_instructions):
        if name in _TEXTS:
            push(argument)
        elif name in ("MEMOIZE", "BINPUT", "LONG_BINPUT"):
            number = count if name == "MEMOIZE" else argument
            count += 1
            if recent:
                texts[number] = recent[-1][1]
            else:
                texts.pop(number, None)
                written += b"r" + struct.pack("<I", number)
        elif name in ("BINGET", "LONG_BINGET") and argument in texts:
            push(texts[argument])
        elif name == "STACK_GLOBAL":
            if len(recent) < 2:
                raise NotWrittenAgainError
            (start, module), (_, attribute) = recent[-2:]
            if "\n" in module + attribute:
                raise NotWrittenAgainError
            written[start:] = f"c{module}\n{attribute}\n".encode()
            recent.clear()
        elif name in ("NEWOBJ_EX", "NEXT_BUFFER", "READONLY_BUFFER"):
            raise NotWrittenAgainError
        elif name != "FRAME":
            recent.clear()
            if name in _BYTES:
                encoded = _text(bytes(argument).decode("latin-1")) + _text("latin1")
                written += b"c_codecs\nencode\n" + encoded + b"\x86R"
            else:
                written += _OTHERS.get(name, instruction)
        if len(written) > most_bytes:
            raise NotWrittenAgainError
    return bytes(written)


def _instructions(program: bytes, most: int) -> Iterator[tuple[str, Any, bytes]]:
    """The name, the argument and the bytes of each instruction."""
    last: tuple[str, Any, int] | None = None
    for count, (instruction, argument, start) in enumerate(pickletools.genops(program)):
        if count >= most:
            raise NotWrittenAgainError
        if last is not None:
            yield last[0], last[1], program[last[2] : start]
        last = (instruction.name, argument, start or 0)
    if last is not None:
        yield last[0], last[1], program[last[2] :]


def _text(text: str) -> bytes:
    encoded = text.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(encoded)) + encoded


class UnpicklerOfLaterProtocols(Unpickler):
    """torch's safe reader, given pickles of a later protocol as protocol 2. Stands in for it while one archive is read."""

    def __init__(self, file: Any, **options: Any) -> None:
        program = file.read()
        super().__init__(io.BytesIO(as_protocol_two(program, len(program) * 64, len(program))), **options)
