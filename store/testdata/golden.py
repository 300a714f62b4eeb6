"""Writes golden.txt: one entry of each table, encoded from the text of ../doc.go alone.

python3 store/testdata/golden.py > store/testdata/golden.txt

Each line has the entry's name, key and value, the latter in hexadecimal. The key of a capture is that of its URL, whose
hash is not computed here: it is 0123456789abcdef as in all other tables.
"""
import datetime
import hashlib
import struct


def uvarint(n):
    out = b""
    while n >= 0x80:
        out += bytes([n & 0x7F | 0x80])
        n >>= 7
    return out + bytes([n])


def varint(n):
    return uvarint(n * 2 if n >= 0 else -n * 2 - 1)


def text(s):
    return uvarint(len(s)) + s.encode()


def u16(n):
    return struct.pack(">H", n)


def u32(n):
    return struct.pack(">I", n)


def u64(n):
    return struct.pack(">Q", n)


def location(file, offset, length):
    return text(file) + varint(offset) + varint(length)


SECOND = 10**9
noon = int(datetime.datetime(2026, 11, 21, 12, tzinfo=datetime.timezone.utc).timestamp()) * SECOND
key = u64(0x0123456789ABCDEF)
run = u32(2)
url = "http://example.org/a"
digest = hashlib.sha256(b"x").digest()

counts = varint(77) + uvarint(6) + b"".join(varint(n) for n in range(6)) + b"".join(varint(n) for n in range(36))

head = (bytes([2 | 4 | 8 | 16]) + text(url) + varint(noon) + varint(200) + text("") + varint(2 * 10**6)
        + text("192.0.2.1:80") + text("text/html") + text("utf-8") + text("") + text("T") + text('"e"') + text("")
        + varint(1234) + digest + text("") + location("a.warc.gz", 100, 50)
        + text("http://example.org/o") + varint(noon - SECOND) + location("o.warc.gz", 1, 2)
        + text("http://example.org/") + text("L") + text("Gemo")
        + uvarint(3) + bytes([1, 2, 3]) + u64(0x0807060504030201))
# http://example.org/b in a/@href with text "B"; then http://example.org/b.png, the same context, nofollow
links = (bytes([1, 2 | 4]) + uvarint(19) + text("b") + text("a/@href") + text("B")
         + bytes([3, 1]) + uvarint(20) + text(".png") + uvarint(0))

entries = {
    "format": (b"Mformat", uvarint(11)),
    "harvest": (b"Mharvest", b"gemo"),
    "run": (b"R" + run, varint(noon) + varint(0) + b"\x01" + text("yaml")),
    "pending": (b"U" + run + key,
                bytes([2 | 0x10 | 0x20 | 0x40, 0, 1, 2, 3]) + uvarint(1) + uvarint(7) + varint(1000) + varint(-2)
                + uvarint(5) + u64(0x1122334455667788) + bytes([10]) + uvarint(300) + text("LEL") + text("")
                + url.encode()),
    "queue": (b"Q" + run + u32(7) + bytes([255 - 10]) + u64(300), key),
    "skipped": (b"U" + run + key,
                bytes([5, 4, 1 | 64 | 128, 1, 0]) + uvarint(0) + uvarint(0) + varint(0) + varint(0) + uvarint(0)
                + text("L") + text("site Gemo: 9 pages") + url.encode()),
    "host": (b"H" + run + b"example.org",
             uvarint(7) + uvarint(1) + uvarint(2) + uvarint(3) + uvarint(4) + varint(5000) + varint(noon + SECOND)
             + varint(noon) + uvarint(6) + bytes([2]) + varint(3 * SECOND) + varint(0) + b"\0\x1e"
             + varint(noon - SECOND) + uvarint(9) + varint(0) + text("no connection") + text("") + uvarint(8) + bytes([192, 0, 2, 1])),
    "totals": (b"T" + run, counts),
    "site": (b"S" + run + u32(9), counts),
    "visit": (b"V" + run + u64(1) + u16(0), b"\0" + uvarint(1 + 131072 + 4194304) + head + text("Gemo") + text("\1four") + links),
    "open": (b"V" + run + u64(2) + u16(0), b"\0" + uvarint(1 + 4194304) + head + text("\1four") + links),
    "upper": (b"V" + run + u64(3) + u16(0), b"\0" + uvarint(1 + 1048576 + 4194304) + head + text("\1four") + links),
    "ledger": (b"K" + run + key, bytes([14]) + text("http://o.example/a") + varint(noon) + text("level 1")),
    "digest": (b"D" + digest, text(url) + varint(noon) + location("a.warc.gz", 100, 50) + uvarint(2) + uvarint(5)),
    "capture": (b"L" + key,
                text(url) + varint(noon) + varint(200) + text('"e"') + text("") + digest + varint(1234)
                + location("a.warc.gz", 100, 50) + uvarint(2) + uvarint(5)),
    "robots": (b"Bhttp://example.org", b"blob"),
}
for name, (k, v) in entries.items():
    print(name, k.hex(), v.hex())
