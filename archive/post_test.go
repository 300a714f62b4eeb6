package archive

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/page"
)

const multipartForm = "--b\r\nContent-Disposition: form-data; name=\"q\"\r\n\r\nmore^data\r\n" +
	"--b\r\nContent-Disposition: form-data; name=\"test\"; filename=\"t\"\r\n\r\nsome data\r\n--b--\r\n"

// TestPost: a body becomes the arguments that pywb and cdxj-indexer make of it.
// Sources of the cases: pywb, pywb/warcserver/test/test_inputreq.py and
// pywb/indexer/test/test_indexing.py; cdxj-indexer, test/test_postappend.py; told again by hand.
func TestPost(t *testing.T) {
	const form, text, binary = "application/x-www-form-urlencoded", "text/plain", "application/octet-stream"
	for name, tt := range map[string]struct{ mime, body, want string }{
		"form":           {form, "foo=bar&dir=%2Fbaz", "foo=bar&dir=/baz"},
		"form, cut":      {form, "foo=bar&dir=%2", "foo=bar&dir=%2"},
		"form, no UTF-8": {form, "\x816l`L\xa04P\x0e", "__wb_post_data=gTZsYEygNFAO"},
		"form, charset":  {form + "; charset=UTF-8", "a=b+c", "a=b c"},
		"json":           {"application/json", `{"a": "b", "c": {"a": 2}, "d": "e"}`, "a=b&a.2_=2&d=e"},
		"json, list": {
			"application/json", `[{"a": "b", "c": {"a": 2}}, {"d": "e"}, "ignored", false, null, 0]`,
			"a=b&a.2_=2&d=e",
		},
		"json, lines": {
			"application/json", "{\"a\": \"b\"}\n{\"c\": {\"a\": 2}, \"d\": \"e\"}", "a=b&a.2_=2&d=e",
		},
		"json, kinds": {
			"application/json",
			`{"type": "event", "id": 44.0, "float": 35.7, "values": [true, false, null], ` +
				`"source": {"type": "component", "id": "a+b&c= d", "values": [3, 4]}}`,
			"type=event&id=44&float=35.7&values=true&values.2_=false&values.3_=null&type.2_=component&" +
				"id.2_=a%2Bb%26c%3D+d&values.4_=3&values.5_=4",
		},
		"json that is none": {"application/json", "{a", ""},
		"text of JSON":      {text, `{"a": 1}`, "a=1"},
		"text":              {text, "foo=bar&dir=%2Fbaz", "__wb_post_data=Zm9vPWJhciZkaXI9JTJGYmF6"},
		"binary":            {binary, "foo=bar&dir=%2Fbaz", "__wb_post_data=Zm9vPWJhciZkaXI9JTJGYmF6"},
		"no type":           {"", "foo=bar&dir=%2Fbaz", "__wb_post_data=Zm9vPWJhciZkaXI9JTJGYmF6"},
		"parts": {
			"multipart/form-data; boundary=b", multipartForm,
			"q=more%5Edata&test=some+data",
		},
		"parts, quoted": {
			`multipart/form-data; boundary="b"`, multipartForm,
			"q=more%5Edata&test=some+data",
		},
		"no boundary": {"multipart/form-data", "foo=bar", "__wb_post_data=Zm9vPWJhcg=="},
		"nothing":     {form, "", ""},
	} {
		if got, _ := bodyArguments(tt.mime, []byte(tt.body)); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	a := asked{method: "POST", query: "foo=bar"}
	for uri, want := range map[string]string{
		"http://example.com/":         "com,example)/?__wb_method=post&foo=bar",
		"http://example.com/?123=ABC": "com,example)/?123=abc&__wb_method=post&foo=bar",
	} {
		if got := a.key(uri); got != want {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

func httpRecord(kind, id, other, uri, block string) string {
	mime := "application/http; msgtype=" + kind
	return fmt.Sprintf("WARC/1.1\r\nWARC-Type: %s\r\nWARC-Record-ID: <urn:%s>\r\n"+
		"WARC-Concurrent-To: <urn:%s>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: %s\r\n"+
		"Content-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n", kind, id, other, uri, mime,
		len(block), block)
}

// TestPaired: an answer is found under its request, whichever comes first; a request of another
// answer marks nothing.
func TestPaired(t *testing.T) {
	const uri, answer = "http://a.example/x", "HTTP/1.1 200 OK\r\n\r\nyes"
	ask := func(method, body string) string {
		return fmt.Sprintf("%s /x HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
			"Content-Length: %d\r\n\r\n%s", method, len(body), body)
	}
	resp := func(id, other string) string { return httpRecord("response", id, other, uri, answer) }
	req := func(id, other, block string) string { return httpRecord("request", id, other, uri, block) }
	const plain, post = "example,a)/x", "example,a)/x?__wb_method=post&q=1"
	posted := req("q", "r", ask("POST", "q=1"))
	fields := strings.Replace(httpRecord("metadata", "m", "r", uri, ""), "application/http; msgtype=metadata",
		"application/warc-fields", 1)
	for name, tt := range map[string]struct{ file, want string }{
		"behind":  {resp("r", "q") + posted, post + " POST q=1"},
		"before":  {posted + resp("r", "q"), post + " POST q=1"},
		"get":     {resp("r", "q") + req("q", "r", ask("GET", "")), plain + "  "},
		"head":    {resp("r", "q") + req("q", "r", ask("HEAD", "")), plain + "  "},
		"no verb": {resp("r", "q") + req("q", "r", ask("GETX", "")), plain + "  "},
		"empty":   {resp("r", "q") + req("q", "r", ask("PUT", "")), plain + "?__wb_method=put PUT "},
		"delete": {resp("r", "q") + req("q", "r", ask("DELETE", "")), plain +
			"?__wb_method=delete DELETE "},
		"of another":  {resp("r", "q") + req("z", "y", ask("POST", "q=1")), plain + "  "},
		"metadata":    {resp("r", "q") + fields + posted, post + " POST q=1"},
		"two answers": {resp("a", "") + resp("r", "q") + posted, plain + "  , " + post + " POST q=1"},
	} {
		path := filepath.Join(t.TempDir(), "x.warc")
		if err := os.WriteFile(path, []byte(tt.file), 0o666); err != nil {
			t.Fatal(err)
		}
		var got []string
		err := indexWARC(path, func(e Entry) error {
			again, err := parseEntry(e.Append(nil))
			if err != nil || again.Extra["method"] != e.Extra["method"] {
				t.Errorf("%+v, %v", again, err)
			}
			got = append(got, e.Key+" "+e.Extra["method"]+" "+e.Extra["requestBody"])
			return nil
		})
		if strings.Join(got, ", ") != tt.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", name, got, err, tt.want)
		}
	}
}

// TestFindPost: the index finds an answer to a POST by its address with the arguments, and by no
// other.
func TestFindPost(t *testing.T) {
	a := asked{method: "POST", query: "foo=bar&data=^ x"}
	e := Entry{Timestamp: "20260101000000", URL: "http://a.example/Post?z=1", File: "x.warc"}
	a.mark(&e)
	line := e.Append(nil)
	x := &Index{r: bytes.NewReader(line), size: int64(len(line))}
	for text, want := range map[string]int{
		"http://a.example/Post?z=1":                                     0,
		"http://a.example/Post?z=1&__wb_method=POST&foo=bar&data=^ x":   1,
		"http://a.example/Post?z=1&__wb_method=POST&foo=bar&data=%5E+x": 0,
		"http://a.example/Post?z=1&__wb_method=PUT&foo=bar&data=^ x":    0,
	} {
		u, err := page.ParseURL(text)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, err := range x.URL(u) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		if n != want {
			t.Errorf("%s: %d entries, want %d", text, n, want)
		}
	}
}

func FuzzPost(f *testing.F) {
	f.Add("multipart/form-data; boundary=b", multipartForm)
	f.Add("application/json", `[{"a": [1, {"b": null}]}, 2.50]`)
	f.Add("application/x-www-form-urlencoded", "a=%zz+b")
	f.Fuzz(func(t *testing.T, mime, body string) {
		text, _ := bodyArguments(mime, []byte(body))
		text = cutRunes(text, 16)
		if len([]rune(text)) > 16 {
			t.Fatalf("%q", text)
		}
	})
}

// TestAddressOf: bodies that their arguments do not tell apart have addresses of their own, and a form
// has one whatever boundary its browser drew.
func TestAddressOf(t *testing.T) {
	const long = 5000
	of := func(mime, body string) string {
		u, err := page.ParseURL(AddressOf("POST", "http://a.example/p", mime, []byte(body)))
		if err != nil {
			t.Error(err)
		}
		return string(u)
	}
	form := func(boundary string) string {
		part := "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + strings.Repeat("x", long)
		return of("multipart/form-data; boundary="+boundary, "--"+boundary+part+"\r\n--"+boundary+"--\r\n")
	}
	field := func(body string) string { return of("application/x-www-form-urlencoded", body) }
	plain := strings.Repeat("x", long)
	for _, x := range []struct {
		a, b string
		same bool
	}{
		{of("application/json", "[1]"), of("application/json", "[2]"), false},
		{of("application/json", `{"a":1}`), of("application/json", `{ "a": 1 }`), true},
		{of("text/plain", plain+"1"), of("text/plain", plain+"2"), false},
		{
			of("application/x-www-form-urlencoded", "a="+plain+"1"),
			of("application/x-www-form-urlencoded", "a="+plain+"2"), false,
		},
		{form("----first"), form("----second"), true},
		{field("q=C%23"), field("q=C"), false},
		{field("q=C%23"), field("q=C%23+"), false},
		{field("a=1%26b=2"), field("a=1&b=2"), false},
		{field("a=%3D&b"), field("a==&b"), false},
		{field("q=a+b"), field("q=a%20b"), true},
	} {
		if (x.a == x.b) != x.same {
			t.Errorf("%s\nand\n%s", x.a, x.b)
		}
	}
}
