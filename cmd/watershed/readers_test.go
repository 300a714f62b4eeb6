package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/archive"
	"watershed/configs"
	"watershed/configs/peer"
	"watershed/crawler/login"
	"watershed/crawler/robots"
	"watershed/harvest"
	"watershed/lab/kit/bomb"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/mirror"
	"watershed/sitemap"
	"watershed/upload"
)

// TestReaders hands bombs of two million bytes to the readers that have no bomb beside them
// (docs/formats/readers.md). Each gives up, or reads to the end, at a cost that is linear in the
// bomb.
func TestReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("short: bombs of two million bytes")
	}
	deep := func(texts ...string) (list []string) {
		for _, text := range texts {
			list = append(list, string(bomb.Nested(text)[:2_000_000/len(text)*len(text)]))
		}
		return list
	}
	lines := slices.Concat(deep("a", "\t", ",", "\"", "\n", "a\tb\tc\td\n", "a,b\n"),
		[]string{strings.Repeat("a,", 1_000_000) + "\nb"})
	json := append(deep("[", "{\"a\":", "[{\"a\":"), "["+strings.Repeat("1,", 1_000_000))
	for _, r := range []struct {
		name  string
		bombs []string
		most  uint64 // MiB allocated in sum
		read  func(text string) error
	}{
		{
			"a file of cookies", slices.Concat(lines, deep("a.b\tTRUE\t/\tTRUE\t0\tn\tv\n")), 128,
			func(text string) error {
				_, err := login.ReadCookies(strings.NewReader(text))
				return err
			},
		},
		{"the page of a login", deep("<form>", "<form><input name=u>", "<select name=u><option>",
			"<option selected", "<input name=u value='", "<input ", "<textarea name=u>", "&amp;", "<!--",
			"<"), 256, func(text string) error {
			return loggedIn(login.Options{Form: loginForm()}, 200, nil, "u p"+text)
		}},
		{
			"challenges of a login", deep("Digest ", "Digest a=b, ", "a=\"", "\\\"", ","), 512,
			func(text string) error {
				h := http.Header{"Www-Authenticate": {text}}
				return loggedIn(login.Options{Scheme: login.Digest}, 401, h, "")
			},
		},
		{"cookies that are set", []string{"a"}, 512, func(text string) error {
			h := http.Header{}
			for i := range 2999 { // net/http takes 3,000 of an answer
				h.Add("Set-Cookie", fmt.Sprintf("c%d=asecretnumber%d; HttpOnly; Path=/", i, i))
			}
			return loggedIn(login.Options{Form: loginForm()}, 200, h, string(bomb.Nested(text)))
		}},
		{
			"robots.txt", deep("user-agent: *\n", "disallow: /*\n", "*", "sitemap: http://a.example/\n",
				"\n"), 128,
			func(text string) error {
				robots.Parse([]byte(text), "watershed")
				return nil
			},
		},
		{"a harvest", deep("[", "{a: ", "- ", "\n"), 16, func(text string) error {
			_, err := configs.Parse("h.yaml", []byte(text))
			return err
		}},
		{"Heritrix's beans", among("<beans>", deep("<a>", " <b/>", "x<b/>", "<![CDATA[x]]>", "<!---->",
			"<a b='", "&amp;", "<?x?>")), 512, foreign},
		{"HTTrack's log", among("-launch httrack ", deep("\"", "a ", "\\", "+a ", "\n")), 2048, foreign},
		{
			"HTTrack's profile", among("CurrentUrl=a\n", deep("a=b\n", "CurrentUrl=", "%0d%0a", "\n")), 512,
			foreign,
		},
		{"Browsertrix' YAML", among("seeds:\n", deep("- a\n", "[", "- ", "a: ")), 512, foreign},
		{
			"a list of seeds", deep("http://a.example/\n", "(a,b,)\n", "#\n", "a.example\n+", "+"), 512,
			foreign,
		},
		{
			"what is pasted", deep("http://a.example/\n", "a.example ", "\n", "["), 128,
			func(text string) error {
				_, err := peer.Pasted(text)
				return err
			},
		},
		{"a table in CSV", among("from,to,history\n", lines), 512, func(text string) error {
			_, err := replica.ReadCSV(strings.NewReader(text))
			return err
		}},
		{
			"aliases", slices.Concat(lines, deep("a.example = b.example\n", "a.example,", "*.a = b\n")), 512,
			func(text string) error {
				_, err := replica.ReadAliases(strings.NewReader(text), []page.Host{"a.a"}, replica.Change{})
				return err
			},
		},
		{"rows of a table", lines, 1024, func(text string) error {
			return mirror.ReadRows(strings.NewReader(text), 1, func([]string) string { return "" })
		}},
		{"weights", lines, 1024, func(text string) error {
			_, err := mirror.ReadWeights(strings.NewReader(text))
			return err
		}},
		{"collections", slices.Concat(lines, deep("a\tb.example\tc\t1\n")), 256, func(text string) error {
			for _, err := range mirror.ReadCollections(func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(text)), nil
			}) {
				if err != nil {
					return err
				}
			}
			return nil
		}},
		{
			"a sitemap of ours", slices.Concat(json, among(`{"members":`, json), deep("\n")), 256,
			func(text string) error {
				_, err := sitemap.ReadMap(strings.NewReader(text))
				return err
			},
		},
		{
			"a chart", slices.Concat(json, among("{\"version\":1,\"pages\":9}\n", json)), 32,
			func(text string) error {
				_, err := sitemap.ReadChart(strings.NewReader(text))
				return err
			},
		},
		{"an index", slices.Concat(lines[:5], among("a) 20260101000000 ", json),
			deep("a) 20260101000000 {}\n"), among(" CDX ", lines[:5])), 512, func(text string) error {
			for in := archive.NewEntries(strings.NewReader(text)); ; {
				if _, err := in.Next(); err != nil && !errors.Is(err, archive.ErrEntry) {
					return err
				}
			}
		}},
		{"rates of change", append(among(`{"version":1,"runs":`, slices.Concat(json, among(`{"1":[`,
			slices.Concat(json, deep("{},"), []string{manyGroups(40_000) + "]}}"})))),
			`{"version":1,"runs":null}`), 512, func(text string) error {
			folder := harvest.Folder(t.TempDir())
			if err := os.WriteFile(folder.Rates(), []byte(text), 0o666); err != nil {
				return err
			}
			_, err := folder.ReadRates()
			return err
		}},
		{"a line of what was left out", json, 64, func(text string) error {
			_, err := archive.ParseSkipped([]byte(text))
			return err
		}},
		{"what was posted", slices.Concat(json, []string{
			`{"` + strings.Repeat("a", 1_000_000) + `":[` + strings.Repeat("1,", 500_000) + "1]}",
			strings.Repeat("{\"a\":1}\n", 250_000), "[" + strings.Repeat("1e308,", 333_333) + "1]",
		}), 256, func(text string) error {
			archive.AddressOf("POST", "http://a.example/", "application/json", []byte(text))
			archive.AddressOf("POST", "http://a.example/", "application/x-www-form-urlencoded", []byte(text))
			return nil
		}},
		{"a form that was posted", among("--b\r\n", deep("--b\r\n", "a: b\r\n", "\r\n", "\r\n--b",
			"Content-Disposition: form-data; name=x\r\n\r\n\r\n--b\r\n")), 256, func(text string) error {
			archive.AddressOf("POST", "http://a.example/", "multipart/form-data; boundary=b", []byte(text))
			return nil
		}},
		{"the record of an upload", json, 64, func(text string) error {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, upload.RecordName), []byte(text), 0o666); err != nil {
				return err
			}
			_, err := upload.Read(dir)
			return err
		}},
		{
			"what a store answers", slices.Concat(among("<ListMultipartUploadsResult>", deep("<Upload>",
				"<Upload/>", "<a>", "a")), among("<Error>", deep("<Code>", "<Code/>", "a"))), 512,
			func(text string) error {
				return errors.Join(storeSays(t, 200, text), storeSays(t, 403, text))
			},
		},
	} {
		t.Run(r.name, func(t *testing.T) {
			for _, text := range r.bombs {
				bomb.Holds(t, r.most<<20, func() { _ = r.read(text) }) // an error is fine
				if t.Failed() {
					t.Fatalf("of %.60q", text)
				}
			}
		})
	}
}

// among has a beginning before each text.
func among(head string, texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, head+text)
	}
	return list
}

// manyGroups is the list of the rates of so many groups, without its brackets.
func manyGroups(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"group":"g%d"},`, i)
	}
	return strings.TrimSuffix(b.String(), ",")
}

func foreign(text string) error {
	_, err := peer.Read("x", []byte(text), func(string) ([]byte, error) { return []byte(text), nil })
	return err
}

const loginAt = page.URL("http://a.example/login")

// loggedIn is a login of a site that answers with a page and header fields to what is asked for next.
func loggedIn(o login.Options, status int, h http.Header, text string) error {
	o.Origins, o.User, o.Password = []page.URL{loginAt}, "user", "password"
	l, err := login.New(o)
	if err != nil {
		return err
	}
	session := l.Session(loginAt)
	session.Answered(status, h)
	x := &page.Exchange{URL: loginAt, Method: "GET", Status: status, Body: page.Body{Bytes: []byte(text)}}
	if _, due := l.Due(); due {
		l.Took(x)
	}
	session.Judge(x)
	session.Betrays(x)
	session.Fields(http.MethodGet, "/")
	return nil
}

func loginForm() *login.Form {
	return &login.Form{Page: loginAt, Fields: map[string]string{"u": "user", "p": "password"}}
}

// storeSays has a store answer whatever it is asked with a text.
func storeSays(t *testing.T, status int, text string) error {
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text) // a client that went away
	}))
	defer store.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("text"), 0o666); err != nil {
		return err
	}
	_, err := upload.Send(t.Context(), dir, []upload.File{{Path: "x"}}, upload.Options{
		Store: store.URL, Bucket: "b", AccessKey: "k", SecretKey: "s", Attempts: 1, Timeout: time.Minute,
	})
	return err
}
