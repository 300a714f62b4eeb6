package quality

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"watershed/archive"
	"watershed/crawler/draw"
	"watershed/harvest"
	"watershed/lab/kit/archivetest"
	"watershed/page"
)

// TestDamaged: a file whose record is found and cannot be read to its end is missing for that reason,
// though the markup that names it is held.
func TestDamaged(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	const u = "http://a.example/app.js"
	body := make([]byte, 1<<18)
	for i := range body {
		body[i] = byte(i * i >> 3) // what gzip does not make small
	}
	deliver(t, folder.Run(1), []archivetest.Capture{
		{URL: u, Head: "200 OK\r\nContent-Type: text/javascript", Body: string(body)},
	}, "", "")
	files, err := filepath.Glob(filepath.Join(folder.Run(1).Archive(), "*.warc.gz"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	middle := len(data) - len(data)/4
	copy(data[middle:], bytes.Repeat([]byte{0xff}, len(data)/8))
	if err := os.WriteFile(files[0], data, 0o666); err != nil {
		t.Fatal(err)
	}
	s := &shelf{
		folder: folder, at: archivetest.First(), live: &archive.Drawing{}, answers: map[page.URL]*stand{},
	}
	a, err := s.Answer(t.Context(), &draw.Request{Method: http.MethodGet, URL: u})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, a.Body); err == nil {
		t.Fatal("the record is read to its end")
	}
	if err := a.Body.Close(); err != nil && !strings.Contains(err.Error(), "flate") {
		t.Error(err)
	}
	w := walk{
		check: &check{missing: map[page.URL]*Missing{}}, seen: map[page.URL]bool{u: true},
		page: &Page{Requisites: []Requisite{{URL: u, State: Own, As: "script/@src"}}},
	}
	w.asked(&draw.Asked{Method: http.MethodGet, URL: u, Status: 200}, s)
	if m := w.missing[u]; m == nil || m.Reason != damaged || w.page.Verdict() != Lacking {
		t.Errorf("missing %+v, the page is %s", m, w.page.Verdict())
	}
}

// TestAlike: two requests are alike where they differ by values alone that scripts make up.
func TestAlike(t *testing.T) {
	const at = "http://a.example/x?"
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{at + "_=1763912345678", at + "_=1763999999999", true},
		{at + "q=dam&_=5", at + "q=dam&_=6", true},
		{at + "q=dam&_=5", at + "q=weir&_=5", false},
		{at + "q=dam&_=5", at + "q=weir&_=6", false},
		{at + "1763912345678", at + "1763999999999", true},
		{at + "r=0.1234567891", at + "r=0.9876543211", true},
		{at + "s=0123456789abcdef0123", at + "s=fedcba98765432100000", true},
		{at + "s=550e8400-e29b-41d4-a716-446655440000", at + "s=6ba7b810-9dad-11d1-80b4-00c04fd430c8", true},
		{at + "page=1", at + "page=2", false},
		{at + "id=2000000001", at + "id=2000000002", false},
		{at + "callback=jQuery1_2", at + "callback=jQuery3_4", true},
		{at + "Callback=jQuery1_2", at + "callback=jQuery3_4", false},
		{at + "a=1&_=5", at + "_=6", false},
		{at + "_=5", "http://a.example/y?_=6", false},
		{"http://a.example/x", at + "_=6", false},
		{"http://a.example/x", "http://a.example/x", false},
	} {
		if got := alike(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

// TestRecall: a script of data calls the function that is asked for, whose name is made up anew each time;
// any other script stays as it is.
func TestRecall(t *testing.T) {
	const u = "http://a.example/x?_=5&callback=jQuery3_4"
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write([]byte(`/**/ jQuery1_2({"a": 1})`)); err != nil || zip.Close() != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		u                          page.URL
		kind, coding, script, want string
	}{
		{u, "text/javascript", "", `jQuery1_2([1])`, `jQuery3_4([1])`},
		{u, "application/javascript", "gzip", packed.String(), `/**/ jQuery3_4({"a": 1})`},
		{u, "text/javascript", "", `var a = jQuery1_2([1])`, `var a = jQuery1_2([1])`},
		{u, "text/plain", "", `jQuery1_2([1])`, `jQuery1_2([1])`},
		{"http://a.example/x?_=5", "text/javascript", "", `jQuery1_2([1])`, `jQuery1_2([1])`},
	} {
		a := &draw.Answer{Header: http.Header{"Content-Type": {c.kind}}}
		if a.Body = io.NopCloser(strings.NewReader(c.script)); c.coding != "" {
			a.Header.Set("Content-Encoding", c.coding)
		}
		if err := recall(a, c.u); err != nil {
			t.Error(err)
		}
		if got, err := io.ReadAll(a.Body); string(got) != c.want || err != nil {
			t.Errorf("%s: %q, want %q, %v", c.u, got, c.want, err)
		}
	}
}

// TestLost: words that come and go are not lost for being met less often; others are.
func TestLost(t *testing.T) {
	live := strings.Fields("river alpha 0:00 beta river alpha 0:00 gamma alpha weir weir")
	for shown, want := range map[string]int{
		"river gamma 0:00 beta alpha weir": 0, "river gamma 0:00 beta alpha": 2, "": 11,
	} {
		if got := lost(live, strings.Fields(shown)); got != want {
			t.Errorf("%q: %d words are lost, want %d", shown, got, want)
		}
	}
	pressed := &archive.Drawing{Text: "river 12\nweir", Places: []archive.Place{{Text: "beta"}}}
	if got, want := wordsOf(pressed), []string{"river", "00", "beta"}; !slices.Equal(got, want) {
		t.Errorf("words %q, want %q", got, want)
	}
}

// TestFurther: errors count that the live page did not have; where it told more than was listened to,
// nothing is known of that.
func TestFurther(t *testing.T) {
	again := []string{"Uncaught Error: 12", "no. 3", draw.Unheard}
	for _, c := range []struct{ live, want []string }{
		{nil, nil}, // of an archive that says nothing of errors
		{[]string{}, []string{"Uncaught Error: 12", "no. 3"}},
		{[]string{"Uncaught Error: 70"}, []string{"no. 3"}},
		{[]string{"no. 1", draw.Unheard}, nil},
	} {
		if got := further(c.live, slices.Clone(again)); !slices.Equal(got, c.want) {
			t.Errorf("live %q: %q, want %q", c.live, got, c.want)
		}
	}
}

// TestThrown: a page is lacking where a script ends in its replay as it did not live; what it tells the
// console judges nothing.
func TestThrown(t *testing.T) {
	for text, want := range map[string]Verdict{
		"Uncaught TypeError: x is null": Lacking, "no connection": Whole, "": Whole,
	} {
		p := Page{Again: &Again{Errors: []string{text}}}
		if got := p.Verdict(); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
