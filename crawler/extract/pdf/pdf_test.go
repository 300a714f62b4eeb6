package pdf

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// build makes a file of objects, without the tables of references that Text does not read.
func build(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.5\n%\xe2\xe3\xcf\xd3\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	b.WriteString("trailer <</Root 1 0 R>>\n%%EOF\n")
	return b.Bytes()
}

// content is a stream, packed or not.
func content(dict, text string, packed bool) string {
	if packed {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		_, _ = w.Write([]byte(text)) // to memory
		_ = w.Close()                // to memory
		text, dict = z.String(), dict+"/Filter/FlateDecode"
	}
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", dict, len(text), text)
}

// onePage is a file of one page with that content and fonts.
func onePage(text, fonts string, more ...string) []byte {
	return build(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1/Resources<</Font<<" + fonts + ">>/XObject<</X 5 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents 4 0 R>>",
		content("", text, true),
	}, more...)...)
}

func read(t testing.TB, b []byte, o Options) (string, error) {
	t.Helper()
	var out []byte
	err := Text(b, o, func(p []byte) { out = append(out, p...) })
	return strings.TrimSpace(string(out)), err
}

const plain = "/F<</Subtype/Type1/Encoding/WinAnsiEncoding>>"

func TestText(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		file         []byte
		want         string
	}{
		{"strings", "ISO 32000-1, 7.3.4", onePage(`BT /F 10 Tf (a\(b\)\\ \101\
c) Tj <4 1 4 2> Tj ET`, plain), `a(b)\ AcAB`},
		{"operators", "9.4.3", onePage("BT /F 10 Tf 12 TL (one) Tj T* (two) Tj (three) ' 0 0 (four) \" ET",
			plain), "one\ntwo\nthree\nfour"},
		{
			"gaps", "9.4.3", onePage("BT /F 10 Tf [(wo) -20 (rd) -300 (next)] TJ 0 -12 Td (line) Tj ET",
				plain),
			"word next\nline",
		},
		{
			"words set one by one", "9.4.2",
			onePage("BT /F 10 Tf 1 0 0 1 0 0 Tm (ab) Tj 1 0 0 1 10 0 Tm (cd) Tj 1 0 0 1 23 0 Tm (ef) Tj ET",
				plain), "abcd ef",
		},
		{
			"turned", "9.4.2",
			onePage("BT /F 10 Tf 0 1 -1 0 50 0 Tm (ab) Tj 0 1 -1 0 50 10 Tm (cd) Tj 0 1 -1 0 38 0 Tm "+
				"(ef) Tj ET", plain), "abcd\nef",
		},
		{
			"encoding", "9.6.6", onePage("BT /F 10 Tf (\\001\\002\\003 \\344) Tj ET",
				"/F<</Subtype/Type1/Encoding<</BaseEncoding/WinAnsiEncoding/"+
					"Differences[1/ffi/uni20AC/eacute]>>>>"),
			"ffi€e\u0301 ä",
		},
		{"TeX's ligatures", "TeXbook, appendix F", onePage("BT /F 10 Tf (\\013\\014\\015\\016\\017) Tj ET",
			"/F<</Subtype/Type1>>"), "fffiflffiffl"},
		{"two bytes", "9.10.3", onePage("BT /F 10 Tf <000100020003> Tj ET",
			"/F<</Subtype/Type0/ToUnicode 5 0 R>>",
			content("", "1 beginbfchar <0001> <4E2D> endbfchar 1 beginbfrange <0002> <0003> <00410042> "+
				"endbfrange", true)), "中ABAC"},
		{"form", "8.10", onePage("BT /F 10 Tf (a) Tj ET /X Do", plain,
			content("/Subtype/Form", "BT /F 10 Tf 0 -20 Td (in a form) Tj ET /X Do", false)), "a\nin a form"},
		{
			"image", "8.9.7", onePage("BT /F 10 Tf (a) Tj ET BI /W 1 ID (((EI EI BT /F 10 Tf (b) Tj ET",
				plain),
			"ab",
		},
		{"no catalog", "", build("<</Type/Page/Contents 2 0 R/Resources<</Font<<"+plain+">>>>>>",
			content("", "BT /F 9 Tf (found) Tj ET", true)), "found"},
		{"wrong length", "7.3.8", build("<</Type/Page/Contents 2 0 R/Resources<</Font<<"+plain+">>>>>>",
			"<</Length 99999>>stream\nBT /F 9 Tf (whole) Tj ET\nendstream"), "whole"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(t, tt.file, Options{})
			if tt.name == "form" { // it shows itself, eight times at most
				if !strings.HasPrefix(got, tt.want) || strings.Count(got, "form") != maxForms {
					t.Errorf("%q", got)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("%q, %v, want %q (%s)", got, err, tt.want, tt.source)
			}
		})
	}
}

// TestObjectStream: objects are found in a stream of objects, but not where one of the same number
// stands outside.
func TestObjectStream(t *testing.T) {
	inside := []string{
		"<</Type/Catalog/Pages 11 0 R>>", "<</Kids[12 0 R]>>",
		"<</Contents 13 0 R/Resources<</Font<<" + plain + ">>>>>>", "<</Type/Page/Contents 99 0 R>>",
	}
	head, body := "", ""
	for i, o := range inside {
		head += fmt.Sprintf("%d %d ", i+10, len(body))
		body += o + " "
	}
	head = strings.Replace(head, "13 ", "1 ", 1) // the number of the stream itself, which stands outside
	b := build(content(fmt.Sprintf("/Type/ObjStm/N %d/First %d", len(inside), len(head)), head+body, true))
	b = append(b, []byte("13 0 obj "+content("", "BT /F 9 Tf (in a stream) Tj ET", true))...)
	if got, err := read(t, b, Options{}); err != nil || got != "in a stream" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	bomb := onePage("BT "+strings.Repeat("(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ", 1<<16), plain)
	for _, tt := range []struct {
		name string
		file []byte
		o    Options
		want error
	}{
		{"html", []byte("<html>%PDF"), Options{}, ErrFormat},
		{"empty", nil, Options{}, ErrFormat},
		{"no page", build("<</Type/Catalog>>"), Options{}, ErrFormat},
		{
			"encrypted", append(onePage("", ""), []byte("trailer <</Encrypt 9 0 R>>")...),
			Options{},
			errEncrypted,
		},
		{"too large", bomb, Options{MaxUnpacked: 1 << 20}, ErrTooLarge},
	} {
		if _, err := read(t, tt.file, tt.o); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestHostile: what is built to take long comes to its end, long before the test is given up.
func TestHostile(t *testing.T) {
	many := strings.Repeat("[", 1<<16)
	fonts := "/F<</Subtype/Type1/Encoding<</Differences[0" + strings.Repeat("/a", 1<<16) + "]>>>>"
	for name, b := range map[string][]byte{
		"deep lists":   build("<</Type/Catalog/Pages " + many),
		"deep content": onePage(many, plain),
		"pages in a ring": build("<</Type/Catalog/Pages 2 0 R>>", "<</Kids[2 0 R 2 0 R 3 0 R]>>",
			"<</Kids[2 0 R 3 0 R]>>"),
		"references in a ring":     build("<</Type/Catalog/Pages 2 0 R>>", "3 0 R", "2 0 R"),
		"one font again and again": onePage(strings.Repeat("/F 1 Tf ", 1<<16), fonts),
		"forms that show forms": onePage(strings.Repeat("/X Do ", 1<<10), plain,
			content("/Subtype/Form", strings.Repeat("/X Do ", 1<<10), true)),
		"streams without end": bytes.Repeat([]byte("1 0 obj <<>> stream\n"), 1<<15),
		"a wide map": onePage("BT /F 1 Tf <0001> Tj", "/F<</Subtype/Type0/ToUnicode 5 0 R>>",
			content("", strings.Repeat("1 beginbfrange <0000> <ffff> <0041> endbfrange ", 1<<10), true)),
		"wide widths": onePage("BT /F 1 Tf <0001> Tj",
			"/F<</Subtype/Type0/DescendantFonts[<</W[0 1e9 1]>>]>>"),
	} {
		b = append([]byte("%PDF-1.4\n"), b...)
		text, err := read(t, b, Options{MaxUnpacked: 4 << 20})
		if len(text) > 4<<20 {
			t.Errorf("%s: %d bytes of text, %v", name, len(text), err)
		}
	}
}

// The seeds are small: what fuzzing finds in a file of half a kilobyte it shortens for minutes.
func FuzzText(f *testing.F) {
	for _, s := range []string{
		tiny("", "BT/F 9 Tf(x)Tj ET"), tiny("", "BT[(a)-20<62>]TJ/X Do BI ID x EI"),
		"%PDF-1\n1 0 obj" + content("/Type/ObjStm/N 1/First 4", "2 0 <</Type/Page>>", false) + "endobj",
		"1 0 obj<</W[1[2 3]4 5 6]/DW 7>>endobj<00> <01> [<0041>] endbfrange",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(readAnything)
}

// tiny is a file of one page in as few bytes as can be read.
func tiny(dict, text string) string {
	return "%PDF-1\n1 0 obj<</Type/Page/Contents 2 0 R/Resources<</Font<</F<<>>>>>>>>endobj\n2 0 obj\n" +
		content(dict, text, false) + "\nendobj\n"
}

func TestReadAnything(t *testing.T) {
	if got, err := read(t, []byte(tiny("", "BT/F 9 Tf(x)Tj ET")), Options{}); got != "x" || err != nil {
		t.Errorf("the seed of FuzzText has %q, %v", got, err)
	}
	for _, b := range [][]byte{
		onePage("BT /F 10 Tf [(wo) -20 (rd)] TJ ET /X Do BI ID x EI", plain,
			content("/Subtype/Form", "(x) '", true)),
		onePage("BT /F 10 Tf <0001> Tj ET", "/F<</Subtype/Type0/ToUnicode 5 0 R/DescendantFonts[<</W[1[2 "+
			"3]4 5 6]/DW 7>>]>>", content("", "<00> <01> [<0041>] endbfrange", false)),
		build(content("/Type/ObjStm/N 1/First 4", "2 0 <</Type/Page/Contents 1 0 R>>", true)),
	} {
		readAnything(t, b)
	}
}

// readAnything reads a file: its pieces have something, and its errors say what it is.
func readAnything(t *testing.T, b []byte) {
	err := Text(b, Options{MaxUnpacked: 1 << 20}, func(p []byte) {
		if len(p) == 0 {
			t.Error("an empty piece")
		}
	})
	if err != nil && !errors.Is(err, ErrFormat) && !errors.Is(err, errEncrypted) &&
		!errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
}
