"""How a secret may be written, and where on a disk it could lie: what `canary` shares with itself.

Every form is made here with Python's own libraries, so that piton is not asked how it would escape something.
"""
import base64
import html
import json
import re
import shlex
import sqlite3
import subprocess
import urllib.parse
from pathlib import Path

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


def core(encode, secret, before):
    """What `secret` alone determines of an encoded text, `before` bytes into it: cut off what depends on its neighbours."""
    encoded = encode(b"\0" * before + secret).rstrip(b"=")
    other = encode(b"\xff" * before + secret + b"\xff\xff\xff\xff\xff")
    start = next(at for at in range(len(encoded)) if encoded[at:at + 6] == other[at:at + 6])
    end = len(encoded)
    while encoded[start:end] not in other:
        end -= 1
    return encoded[start:end]


def lines_of(text, width):
    return b"\n".join(text[at:at + width] for at in range(0, len(text), width))


def chars(text, form):
    return "".join(form(ord(char)) for char in text)


def forms(secret):
    """{name: (what a program prints, what must not be found)}."""
    raw, quoted = secret.encode(), urllib.parse.quote
    text = {
        "plain": secret,
        "url": quoted(secret, safe=""),
        "url-path": quoted(secret),
        "url-lower": re.sub("%..", lambda match: match[0].lower(), quoted(secret, safe="")),
        "url-form": urllib.parse.quote_plus(secret),
        "url-all": "".join(f"%{byte:02X}" for byte in raw),
        "url-twice": quoted(quoted(secret, safe=""), safe=""),
        "json": json.dumps(secret)[1:-1],
        "json-utf8": json.dumps(secret, ensure_ascii=False)[1:-1],
        "json-slash": json.dumps(secret)[1:-1].replace("/", "\\/"),
        "json-twice": json.dumps(json.dumps(secret))[1:-1],
        "json-all": "".join(f"\\u{unit:04x}" for unit in utf16(secret)),
        "js-hex": chars(secret, lambda code: f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"),
        "js-braces": chars(secret, lambda code: f"\\u{{{code:x}}}"),
        "python-repr": repr(secret)[1:-1],
        "c-octal": "".join(f"\\{byte:03o}" for byte in raw),
        "html": html.escape(secret),
        "html-decimal": chars(secret, lambda code: f"&#{code};"),
        "html-hex": chars(secret, lambda code: f"&#x{code:X};"),
        "html-twice": html.escape(html.escape(secret)),
        "shell-single": shlex.quote(secret)[1:-1] if shlex.quote(secret) != secret else secret,
        "shell-backslash": re.sub(r"([^\w])", r"\\\1", secret, flags=re.ASCII),
        "sql": secret.replace("'", "''"),
        "csv": secret.replace('"', '""'),
        "mail": "".join(chr(byte) if 33 <= byte <= 126 and byte != 61 else f"={byte:02X}" for byte in raw),
        "mail-broken": secret[:9] + "=\r\n" + secret[9:],
        "broken-line": secret[:9] + "\n" + secret[9:],
        "continued-line": secret[:9] + "\\\n" + secret[9:],
        "coloured": secret[:5] + "\x1b[01;31m" + secret[5:9] + "\x1b[m" + secret[9:],
        "reversed": secret[::-1],
        "hex": raw.hex(),
        "hex-upper": raw.hex().upper(),
        "hex-colons": raw.hex(":"),
        "hex-blanks": raw.hex(" "),
        "hex-bytes": ", ".join(f"0x{byte:02x}" for byte in raw),
        "hex-lines": lines_of(raw.hex().encode(), 20).decode(),
    }
    found = {name: (form.encode(), form.encode()) for name, form in text.items()}
    for name, encode in {
        "base64": base64.b64encode,
        "base64-url": base64.urlsafe_b64encode,
        "base32": base64.b32encode,
        "base64-twice": lambda bytes_: base64.b64encode(base64.b64encode(bytes_)),
    }.items():
        for before in range(5 if name == "base32" else 3):
            found[f"{name}-at-{before}"] = (encode(b"x" * before + raw), core(encode, raw, before))
    unpadded = base64.b64encode(raw).rstrip(b"=")
    found["base64-unpadded"] = (unpadded, core(base64.b64encode, raw, 0))
    broken = lines_of(unpadded, 16)
    found["base64-lines"] = (broken, broken)
    escaped = quoted(base64.b64encode(raw).decode(), safe="").encode()
    found["base64-in-url"] = (escaped, escaped.rstrip(b"%3D")[:-1])
    for name in ("utf-16-le", "utf-16-be"):
        found[name] = (secret.encode(name), secret.encode(name))
    return found


def utf16(text):
    bytes_ = text.encode("utf-16-be")
    return [bytes_[at] << 8 | bytes_[at + 1] for at in range(0, len(bytes_), 2)]


def spread(needle):
    """A needle as it stands in a file: as it is, and in one or two strings of JSON."""
    ways = {needle}
    for _ in range(2):
        for way in list(ways):
            try:
                text = way.decode()
            except UnicodeDecodeError:
                continue
            ways |= {json.dumps(text)[1:-1].encode(), json.dumps(text, ensure_ascii=False)[1:-1].encode()}
    return ways


class Haystack:
    """All bytes below some directories: files, what is compressed in them, rows of databases, names."""

    def __init__(self, places, apart=()):
        self.parts = []
        self.bytes = self.unpacked = 0
        for place in places:
            for path in [Path(place), *sorted(Path(place).rglob("*"))]:
                name = str(path)
                if any(part in name for part in apart):
                    continue
                self.take(f"the name {path.name}", path.name.encode())
                if path.is_symlink() or not path.is_file():
                    continue
                self.take(name, path.read_bytes())
                if path.name.endswith(".db"):
                    for number, row in enumerate(rows(path)):
                        self.take(f"{name}, value {number}", row)

    def take(self, where, bytes_):
        self.parts.append((where, bytes_))
        self.bytes += len(bytes_)
        for at in re.finditer(re.escape(ZSTD_MAGIC), bytes_):
            unpacked = subprocess.run(["zstd", "-dcq"], input=bytes_[at.start():], capture_output=True).stdout
            if unpacked:
                self.unpacked += 1
                self.take(f"{where}, unpacked", unpacked)

    def join(self):
        """Searched as one, so that a needle is looked for once."""
        whole, starts, at = [], [], 0
        for where, bytes_ in self.parts:
            starts.append((at, where))
            whole += [bytes_, b"\0|\0"]
            at += len(bytes_) + 3
        self.whole, self.starts = b"".join(whole), starts

    def find(self, needle):
        at = self.whole.find(needle)
        if at < 0:
            return None
        return [where for start, where in self.starts if start <= at][-1]


def rows(path):
    """Every value of every table, read without piton: a payload that goes over several pages is in one piece here."""
    try:
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        for (table,) in database.execute("select name from sqlite_master where type = 'table'").fetchall():
            for row in database.execute(f'select * from "{table}"'):
                yield from (value if isinstance(value, bytes) else value.encode() for value in row if isinstance(value, (bytes, str)))
        database.close()
    except sqlite3.Error:
        return
