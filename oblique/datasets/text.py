"""From the bytes of a file to its text."""

from __future__ import annotations

import codecs
import gzip
import re
import warnings
import zlib

# control characters that text does not hold; tab, line feed, carriage return, form feed are fine
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f]")
_GZIP = b"\x1f\x8b"


def decode_text(raw: bytes, label: str, encoding: str | None = None) -> str:
    r"""Decode a file's bytes and bring its line ends to ``\n``.

    Parameters
    ----------
    raw : bytes
        Content of the file; unpacked first when it is gzip-ed.
    label : str
        How messages name the file.
    encoding : str, optional
        Codec of the file. By default a byte order mark decides, then UTF-8 is tried, then
        Latin-1 with a warning.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        The file is empty, is no text, is a broken gzip file, or has another encoding than the
        one asked for.
    """
    if raw.startswith(_GZIP):
        raw = _unzip(raw, label)
    text = _decode(raw, label, encoding)
    if not text.strip():
        raise ValueError(f"{label} is empty")
    found = _CONTROL.search(text)
    if found:
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(
            f"{label}, line {line}: {found.group()!r} is no character of a text; is this a text "
            "table, and is its encoding the one given?"
        )
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _unzip(raw: bytes, label: str) -> bytes:
    try:
        return gzip.decompress(raw)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"{label} is not a complete gzip file: {error}") from error


def _decode(raw: bytes, label: str, encoding: str | None) -> str:
    if encoding is None:
        if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            encoding = "utf-16"
        else:
            try:
                return raw.decode("utf-8-sig")
            except UnicodeDecodeError as error:
                return _decode_latin(raw, label, error)
    try:
        return raw.decode(encoding)
    except LookupError as error:
        raise ValueError(f"encoding {encoding!r} is unknown to Python") from error
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{label} is not in the encoding {encoding!r}: byte {error.start} cannot be decoded"
        ) from error


def _decode_latin(raw: bytes, label: str, error: UnicodeDecodeError) -> str:
    # every byte string is Latin-1, so binary files are told apart by their control characters
    text = raw.decode("latin-1")
    if not _CONTROL.search(text):
        line = raw.count(b"\n", 0, error.start) + 1
        warnings.warn(
            f"{label} is not UTF-8 (line {line}) and is read as Latin-1; say encoding=... if it "
            "has another encoding",
            stacklevel=2,
        )
    return text
