#!/usr/bin/python3
"""Makes the WARC files of this folder with nothing but Python's own gzip, hashlib and base64: the reader must agree with
bytes that the writer had no part in. Run it here; the files are committed."""
import base64, gzip, hashlib, io


def sha1(b):
    return "sha1:" + base64.b32encode(hashlib.sha1(b).digest()).decode()


def sha256(b):
    return "sha256:" + hashlib.sha256(b).hexdigest()


def record(version, fields, block, eol=b"\r\n", tail=b"\r\n\r\n"):
    head = [version] + ["%s: %s" % f for f in fields] + ["Content-Length: %d" % len(block)]
    return eol.join(h.encode() for h in head) + eol + eol + block + tail


def member(b):
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", mtime=0, filename="") as z:
        z.write(b)
    return out.getvalue()


URI = "http://example.org/chunked"
BODY = b"Hello, archive!\n"
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n" \
          b"5;x=y\r\nHello\r\nB\r\n, archive!\n\r\n0\r\nTrailer: t\r\n\r\n"
REQUEST = b"GET /chunked HTTP/1.1\r\nHost: example.org\r\n\r\n"


def ident(n):
    return "<urn:uuid:00000000-0000-4000-8000-%012d>" % n


def good(uri="%s"):
    """warcinfo, response, request, revisit as WARC 1.1 has them."""
    info = b"software: by hand\r\nformat: WARC File Format 1.1\r\n"
    head = CHUNKED[:CHUNKED.index(b"\r\n\r\n") + 4]
    date = "2026-03-04T05:06:07.890Z"
    return [
        record("WARC/1.1", [("WARC-Type", "warcinfo"), ("WARC-Record-ID", ident(1)), ("WARC-Date", date),
                            ("WARC-Filename", "good.warc.gz"), ("Content-Type", "application/warc-fields"),
                            ("WARC-Block-Digest", sha256(info))], info),
        record("WARC/1.1", [("WARC-Type", "response"), ("WARC-Record-ID", ident(2)), ("WARC-Date", date),
                            ("WARC-Target-URI", uri % URI), ("WARC-Warcinfo-ID", ident(1)),
                            ("WARC-Concurrent-To", ident(3)), ("WARC-IP-Address", "192.0.2.7"),
                            ("Content-Type", "application/http; msgtype=response"),
                            ("WARC-Payload-Digest", sha1(BODY)), ("WARC-Block-Digest", sha256(CHUNKED))], CHUNKED),
        record("WARC/1.1", [("WARC-Type", "request"), ("WARC-Record-ID", ident(3)), ("WARC-Date", date),
                            ("WARC-Target-URI", uri % URI), ("WARC-Warcinfo-ID", ident(1)),
                            ("WARC-Concurrent-To", ident(2)), ("WARC-IP-Address", "192.0.2.7"),
                            ("Content-Type", "application/http; msgtype=request"),
                            ("WARC-Block-Digest", sha1(REQUEST))], REQUEST),
        record("WARC/1.1", [("WARC-Type", "revisit"), ("WARC-Record-ID", ident(4)), ("WARC-Date", "2026-03-05T05:06:07Z"),
                            ("WARC-Target-URI", uri % URI), ("WARC-Warcinfo-ID", ident(1)),
                            ("WARC-Profile", "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
                            ("WARC-Refers-To-Target-URI", URI), ("WARC-Refers-To-Date", date), ("WARC-Truncated", "length"),
                            ("Content-Type", "application/http; msgtype=response"),
                            ("WARC-Payload-Digest", sha1(BODY)), ("WARC-Block-Digest", sha256(head))], head),
    ]


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)


records = good()
write("good.warc.gz", b"".join(map(member, records)))
write("plain.warc", b"".join(records))
write("onegzip.warc.gz", member(b"".join(records)))
# the URI in <>, as GNU wget and WARC 1.0's grammar have it; one folded line; bare LF in the header; one line end too few
odd = [r.replace(b"WARC/1.1", b"WARC/1.0") for r in good("<%s>")]
odd[1] = odd[1].replace(b"WARC-IP-Address: 192.0.2.7", b"WARC-IP-Address:\r\n 192.0.2.7")
odd[2] = odd[2].replace(b"\r\n", b"\n", 9)
odd[3] = odd[3][:-2]
write("odd.warc.gz", b"".join(map(member, odd)))
