package archive

import (
	"bytes"
	"encoding/base64"
	"io"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"watershed/page"
)

// revisitProfile begins the profiles of WARC 1.1.
const revisitProfile = "http://netpreserve.org/warc/1.1/revisit/"

// text writes a draft as it would stand in a file, ids replaced by their place in the capture.
func text(t *testing.T, drafts []Draft, i int) string {
	t.Helper()
	var b bytes.Buffer
	if err := drafts[i].write(&b, "<urn:uuid:info>"); err != nil {
		t.Fatal(err)
	}
	s := b.String()
	for j, d := range drafts {
		s = strings.ReplaceAll(s, d.ID(), "<"+string(rune('A'+j))+">")
	}
	return strings.ReplaceAll(s, "\r\n", "\n")
}

// Digests and lengths were made with Python's hashlib from the blocks as they stand below, with
// CRLF for their line ends, and from "Hello, archive!\n".
func TestCaptureText(t *testing.T) {
	x := exchange("https://example.org/chunked", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked",
		"5\r\nHello\r\nb\r\n, archive!\n\r\n0\r\n\r\n")
	x.Remote = netip.MustParseAddrPort("[2001:0db8:0::7]:443")
	x.TLS = &page.TLS{
		Version: "tls/1.3", CipherSuite: "TLS_AES_128_GCM_SHA256", Issuer: "Test CA",
		Names: []string{"example.org", "www.example.org"},
	}
	x.Duration = 321 * time.Millisecond
	drafts := capture(t, x, Meta{
		Via: "https://example.org/", Hops: "LLR", Charset: "utf-8", Site: "Example", Excess: 12.5,
		Type: "document",
		Outlinks: []page.Link{
			{URL: "https://example.org/next", Kind: page.Navigation, Context: "a/@href"},
			{URL: "https://cdn.example/x.png", Kind: page.Embed, Context: "img @src\n"},
			{URL: "https://example.org/feed", Kind: page.Feed},
		},
	}, page.Origin{})
	if len(drafts) != 3 {
		t.Fatalf("%d drafts", len(drafts))
	}
	for i, want := range []string{`WARC/1.1
WARC-Type: response
WARC-Record-ID: <A>
WARC-Date: 2026-03-04T05:06:07.890Z
WARC-Target-URI: https://example.org/chunked
WARC-IP-Address: 2001:db8::7
WARC-Concurrent-To: <B>
WARC-Concurrent-To: <C>
WARC-Protocol: http/1.1
WARC-Protocol: tls/1.3
WARC-Cipher-Suite: TLS_AES_128_GCM_SHA256
WARC-Resource-Type: document
WARC-JSON-Metadata: {"ipType":"Public","cert":{"issuer":"Test CA"},"pixelRatio":1}
Content-Type: application/http; msgtype=response
WARC-Warcinfo-ID: <urn:uuid:info>
WARC-Payload-Digest: sha256:3879bc820566fdae36e4d4eee7b90958d7cac5fde1b1494bb67abf03ec21989c
WARC-Block-Digest: sha256:ff8d916145aecb30e5c45e9a6c0f8a0be227f6035bfcdd41a48a991d6a66cb91
Content-Length: 78

HTTP/1.1 200 OK
Transfer-Encoding: chunked

5
Hello
b
, archive!

0



`, `WARC/1.1
WARC-Type: request
WARC-Record-ID: <B>
WARC-Date: 2026-03-04T05:06:07.890Z
WARC-Target-URI: https://example.org/chunked
WARC-IP-Address: 2001:db8::7
WARC-Concurrent-To: <A>
WARC-Protocol: http/1.1
WARC-Protocol: tls/1.3
WARC-Cipher-Suite: TLS_AES_128_GCM_SHA256
WARC-Resource-Type: document
Content-Type: application/http; msgtype=request
WARC-Warcinfo-ID: <urn:uuid:info>
WARC-Block-Digest: sha256:58fbc6af75891ca47f3550583af8ff4ef6902a85c51a44801b4f93a9942a3a18
Content-Length: 62

GET /chunked HTTP/1.1
Host: example.org
User-Agent: test



`, `WARC/1.1
WARC-Type: metadata
WARC-Record-ID: <C>
WARC-Date: 2026-03-04T05:06:07.890Z
WARC-Target-URI: https://example.org/chunked
WARC-IP-Address: 2001:db8::7
WARC-Concurrent-To: <A>
Content-Type: application/warc-fields
WARC-Warcinfo-ID: <urn:uuid:info>
WARC-Block-Digest: sha256:1fab928a85663b0cc0701eb8936fe1fab05800d8d94b80ac54d49fa3ce95b6f4
Content-Length: 316

via: https://example.org/
hopsFromSeed: LLR
fetchTimeMs: 321
charsetForLinkExtraction: utf-8
site: Example
excess: 12.5
tlsIssuer: Test CA
tlsNames: example.org www.example.org
outlink: https://example.org/next L a/@href
outlink: https://cdn.example/x.png E img_@src
outlink: https://example.org/feed M -


`} {
		if diff := cmp.Diff(want, text(t, drafts, i)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestCaptureKinds(t *testing.T) {
	origin := page.Origin{
		URL: "http://example.org/first", Time: start.Add(-time.Hour),
		Digest: page.SumDigest([]byte("old")),
	}
	ok := "HTTP/1.1 200 OK\nContent-Type: text/plain"
	for _, tt := range []struct {
		name    string
		x       *page.Exchange
		origin  page.Origin
		edit    func(*page.Exchange)
		fields  map[string]string // "" for one that must not be there
		block   string
		payload string // digest of it; "-" for none
	}{
		{
			name: "empty body", x: exchange("http://example.org/", ok, ""),
			fields: map[string]string{
				"WARC-Type": "response", "WARC-Truncated": "",
				"WARC-IP-Address": "192.0.2.7",
			}, payload: "",
		},
		{
			name: "truncated", x: exchange("http://example.org/", ok, "abc"),
			edit:   func(x *page.Exchange) { x.Truncated = page.CutTime },
			fields: map[string]string{"WARC-Type": "response", "WARC-Truncated": "time"}, payload: "abc",
		},
		{
			name: "proxied", x: exchange("http://example.org/", ok, "abc"),
			edit:   func(x *page.Exchange) { x.Proxied = true },
			fields: map[string]string{"WARC-IP-Address": ""}, payload: "abc",
		},
		{
			name: "address with zone, mapped", x: exchange("http://example.org/", ok, "abc"),
			edit: func(x *page.Exchange) {
				x.Remote = netip.MustParseAddrPort("[::ffff:192.0.2.9%eth0]:80")
			},
			fields: map[string]string{"WARC-IP-Address": "192.0.2.9"}, payload: "abc",
		},
		{
			name: "HEAD", x: exchange("http://example.org/", ok+"\nContent-Length: 77", ""),
			edit:   func(x *page.Exchange) { x.Method = "HEAD" },
			fields: map[string]string{"WARC-Type": "response", "WARC-Truncated": ""}, payload: "-",
		},
		{
			name: "204", x: exchange("http://example.org/", "HTTP/1.1 204 No Content", ""),
			fields: map[string]string{"WARC-Type": "response"}, payload: "-",
		},
		{
			name:   "304 without an origin",
			x:      exchange("http://example.org/", "HTTP/1.1 304 Not Modified", ""),
			fields: map[string]string{"WARC-Type": "response", "WARC-Profile": ""}, payload: "-",
		},
		{
			name: "304", x: exchange("http://example.org/first", "HTTP/1.1 304 Not Modified\nETag: x", ""),
			origin: origin,
			fields: map[string]string{
				"WARC-Type":                 "revisit",
				"WARC-Profile":              revisitProfile + "server-not-modified",
				"WARC-Truncated":            "",
				"WARC-Refers-To-Target-URI": "http://example.org/first",
				"WARC-Refers-To-Date":       "2026-03-04T04:06:07.890Z",
			},
			block: "none", payload: "old",
		},
		{
			name: "identical payload", x: exchange("http://example.org/again", ok, "same"), origin: origin,
			fields: map[string]string{
				"WARC-Type":                 "revisit",
				"WARC-Profile":              revisitProfile + "identical-payload-digest",
				"WARC-Truncated":            "length",
				"WARC-Refers-To-Target-URI": "http://example.org/first",
				"WARC-Refers-To-Date":       "2026-03-04T04:06:07.890Z",
				"Content-Type":              "application/http; msgtype=response",
			},
			block: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n", payload: "same",
		},
		{
			name:    "chunks that are none",
			x:       exchange("http://example.org/", ok+"\nTransfer-Encoding: chunked", "plain text"),
			payload: "plain text",
		},
		{
			name:   "wrong chunks, and said so",
			x:      exchange("http://example.org/", ok+"\nTransfer-Encoding: chunked", "2\r\nab\r\nxx"),
			edit:   func(x *page.Exchange) { x.Truncated = page.CutUnknown },
			fields: map[string]string{"WARC-Truncated": "unspecified"}, payload: "-",
		},
		{
			name:    "chunks cut within one",
			x:       exchange("http://example.org/", ok+"\nTransfer-Encoding: chunked", "2\r\nab\r\n3\r\ncd"),
			edit:    func(x *page.Exchange) { x.Truncated = page.CutConnected },
			payload: "abcd",
		},
		{
			name:    "chunks without the last",
			x:       exchange("http://example.org/", ok+"\nTransfer-Encoding: chunked", "2\r\nab\r\n"),
			edit:    func(x *page.Exchange) { x.Truncated = page.CutConnected },
			payload: "ab",
		},
		{
			name:    "chunks cut behind one",
			x:       exchange("http://example.org/", ok+"\nTransfer-Encoding: chunked", "2\r\nab"),
			edit:    func(x *page.Exchange) { x.Truncated = page.CutConnected },
			payload: "-",
		},
		{
			name:    "chunks cut within a size",
			x:       exchange("http://example.org/", ok+"\nTransfer-Encoding: chunked", "2\r\nab\r\n1"),
			edit:    func(x *page.Exchange) { x.Truncated = page.CutConnected },
			payload: "-",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.edit != nil {
				tt.edit(tt.x)
			}
			drafts := capture(t, tt.x, Meta{}, tt.origin)
			d := drafts[0]
			for name, want := range tt.fields {
				if got := d.Header.Get(name); got != want || want == "" && d.Header.Has(name) {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			block, err := io.ReadAll(d.Block)
			if err != nil {
				t.Fatal(err)
			}
			if tt.block == "none" && len(block) > 0 ||
				tt.block != "" && tt.block != "none" && tt.block != string(block) {
				t.Errorf("block %q, want %q", block, tt.block)
			}
			switch {
			case tt.payload == "-" && d.Payload != nil:
				t.Errorf("has a payload digest")
			case tt.payload != "-" &&
				(d.Payload == nil || d.Payload.SHA256 != page.SumDigest([]byte(tt.payload))):
				t.Errorf("payload %v, want that of %q", d.Payload, tt.payload)
			}
		})
	}
}

func TestNotModifiedHeadIsKept(t *testing.T) {
	x := exchange("http://example.org/", "HTTP/1.1 304 Not Modified\nETag: \"x\"", "")
	drafts := capture(t, x, Meta{}, page.Origin{URL: "http://example.org/", Time: start})
	block, err := io.ReadAll(drafts[2].Block)
	if err != nil {
		t.Fatal(err)
	}
	got := ParseFields(block).All("notModifiedHead")
	if diff := cmp.Diff([]string{"HTTP/1.1 304 Not Modified", `ETag: "x"`}, got); diff != "" {
		t.Error(diff)
	}
}

// The trailer is in the metadata, as the response has none.
func TestReceivedTrailerIsKept(t *testing.T) {
	x := exchange("http://example.org/", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked", "0\r\n\r\n")
	for _, trailer := range []string{"", "A: b\nC"} {
		x.Rechunked, x.Trailer = true, []byte(trailer)
		block, err := io.ReadAll(capture(t, x, Meta{}, page.Origin{})[2].Block)
		if err != nil {
			t.Fatal(err)
		}
		f := ParseFields(block)
		got, err := base64.StdEncoding.DecodeString(f.Get("receivedTrailer"))
		if err != nil || string(got) != trailer || f.Get("chunkLines") != "repaired" {
			t.Errorf("%q, %v; %q", got, err, block)
		}
	}
}

// The head as it came is in the metadata where the response has it repaired.
func TestReceivedHeadIsKept(t *testing.T) {
	x := exchange("http://example.org/", "HTTP/1.1 200 OK\nContent-Type: text/html", "page")
	for _, raw := range [][]byte{nil, []byte("HTTP/2 200\nContent-Type: text/html\n\n")} {
		x.RawHead = raw
		block, err := io.ReadAll(capture(t, x, Meta{}, page.Origin{})[2].Block)
		if err != nil {
			t.Fatal(err)
		}
		got, err := base64.StdEncoding.DecodeString(strings.Join(ParseFields(block).All("receivedHead"), "|"))
		if err != nil || string(got) != string(raw) {
			t.Errorf("%q, %v; want %q", got, err, raw)
		}
	}
}

func TestNoResponseNoRecords(t *testing.T) {
	for name, edit := range map[string]func(*page.Exchange){
		"no response": func(x *page.Exchange) { x.Response, x.Status = nil, 0 },
		"half a head": func(x *page.Exchange) { x.Head = 0 },
		"no status":   func(x *page.Exchange) { x.Status = 0 },
	} {
		x := exchange("http://example.org/", "HTTP/1.1 200 OK", "")
		edit(x)
		if drafts := capture(t, x, Meta{}, page.Origin{}); drafts != nil {
			t.Errorf("%s: %d drafts", name, len(drafts))
		}
	}
}

func TestDedupe(t *testing.T) {
	ok := "HTTP/1.1 200 OK"
	held := page.Origin{URL: "http://example.org/first", Time: start.Add(-48 * time.Hour)}
	from := origins{page.SumDigest([]byte("payload")): held, page.EmptyDigest: held}
	for _, tt := range []struct {
		name string
		d    Dedupe
		x    *page.Exchange
		edit func(*page.Exchange)
		want bool
	}{
		{"same payload", Dedupe{}, exchange("http://b.example/", ok, "payload"), nil, true},
		{"same payload in chunks", Dedupe{}, exchange("http://b.example/", ok+"\nTransfer-Encoding: chunked",
			chunks("payload", 3)), nil, true},
		{"same payload of a 404", Dedupe{}, exchange("http://b.example/", "HTTP/1.1 404 Not Found",
			"payload"), nil, true},
		{"other payload", Dedupe{}, exchange("http://b.example/", ok, "other"), nil, false},
		{"empty", Dedupe{}, exchange("http://b.example/", ok, ""), nil, false},
		{
			"part",
			Dedupe{},
			exchange("http://b.example/", "HTTP/1.1 206 Partial Content", "payload"), nil,
			false,
		},
		{
			"truncated",
			Dedupe{},
			exchange("http://b.example/", ok, "payload"),
			func(x *page.Exchange) { x.Truncated = page.CutLength }, false,
		},
		{
			"answer to HEAD with a body",
			Dedupe{},
			exchange("http://b.example/", ok, "payload"),
			func(x *page.Exchange) { x.Method = "HEAD" }, false,
		},
		{"not modified, with a body", Dedupe{}, exchange("http://b.example/", "HTTP/1.1 304 Not Modified",
			"payload"), nil, false},
		{"off", Dedupe{Off: true}, exchange("http://b.example/", ok, "payload"), nil, false},
		{
			"young enough",
			Dedupe{MaxAge: 48 * time.Hour},
			exchange("http://b.example/", ok, "payload"), nil,
			true,
		},
		{"too old", Dedupe{MaxAge: 47 * time.Hour}, exchange("http://b.example/", ok, "payload"), nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.edit != nil {
				tt.edit(tt.x)
			}
			p, err := SumPayload(tt.x)
			if err != nil {
				t.Fatal(err)
			}
			o, err := tt.d.Origin(tt.x, p, from)
			if err != nil || (o == held) != tt.want {
				t.Errorf("origin %v, %v; want one: %v", o, err, tt.want)
			}
		})
	}
}

type origins map[page.Digest]page.Origin

func (o origins) Origin(d page.Digest) (page.Origin, bool, error) {
	found, ok := o[d]
	return found, ok, nil
}

// A certificate may name who has signed it at any length; the record is read all the same.
func TestLongIssuer(t *testing.T) {
	x := exchange("https://example.org/", "HTTP/1.1 200 OK", "text")
	x.TLS = &page.TLS{Version: "tls/1.3", Issuer: strings.Repeat("<", 200_000)}
	for _, d := range capture(t, x, Meta{Type: "document"}, page.Origin{}) {
		var b bytes.Buffer
		if err := d.write(&b, "<urn:uuid:info>"); err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(&b, "x.warc")
		if err != nil {
			t.Fatal(err)
		}
		if rec, err := r.Next(); err != nil || rec.ID() != d.ID() {
			t.Errorf("the %s: %v", d.Type(), err)
		}
	}
}
