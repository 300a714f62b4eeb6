package extract

import (
	"net/textproto"
	"strings"
	"testing"

	"golang.org/x/net/html/charset"

	"watershed/page"
)

// encode writes text in an encoding, as x/text does.
func encode(t testing.TB, label, text string) []byte {
	t.Helper()
	e, _ := charset.Lookup(label)
	if e == nil {
		t.Fatalf("unknown encoding %q", label)
	}
	b, err := e.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The order of precedence is that of the HTML standard, 13.2.3.2.
func TestCharset(t *testing.T) {
	const german, kana, russian = "Größe, naïve façade", "あいうえおかきくけこ", "крещение библиотека"
	tests := []struct {
		name, contentType, in, before, title, want string
	}{
		{"header", "text/html; charset=ISO-8859-1", "windows-1252", "", german, "windows-1252"},
		{"header in quotes", `text/html; Charset="Shift_JIS"`, "shift_jis", "", kana, "shift_jis"},
		{"broken header", "text/html; charset=koi8-r; =", "koi8-r", "", russian, "koi8-r"},
		{"meta", "text/html", "shift_jis", `<meta charset="x-sjis">`, kana, "shift_jis"},
		{
			"pragma", "text/html", "euc-kr",
			`<META HTTP-EQUIV=Content-Type CONTENT="text/html; charset = ks_c_5601-1987">`,
			"도서관 안내", "euc-kr",
		},
		{
			"late meta", "text/html", "koi8-r",
			"<style>" + strings.Repeat("a{}", 1500) + "</style><meta charset=koi8-r>", russian, "koi8-r",
		},
		{
			"header before meta", "text/html; charset=koi8-r", "koi8-r", "<meta charset=utf-8>",
			russian, "koi8-r",
		},
		{"meta in a comment", "text/html", "utf-8", "<!--<meta charset=koi8-r>-->", russian, "utf-8"},
		{"unknown label", "text/html; charset=nonsense", "utf-8", "<meta charset=rubbish>", russian, "utf-8"},
		{"meta says UTF-16", "text/html", "utf-8", "<meta charset=utf-16>", russian, "utf-8"},
		{
			"XML declaration", "text/html", "koi8-r", "<?xml version='1.0' encoding='koi8-r'?>",
			russian, "koi8-r",
		},
		{"XML without one", "application/xhtml+xml", "utf-8", "", russian, "utf-8"},
		{"UTF-16 in the header", "text/html; charset=utf-16be", "utf-16be", "", german, "utf-16be"},
		{"UTF-16 by its form", "text/html", "utf-16le", "", german, "utf-16le"},
		{"UTF-8 by its form", "text/html", "utf-8", "", kana, "utf-8"},
		{"old Japanese mail", "text/html", "iso-2022-jp", "", kana, "iso-2022-jp"},
		{"nothing but ASCII", "text/html", "utf-8", "", "plain", "windows-1252"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			body := encode(t, tt.in, tt.before+"<head><title>"+tt.title+"</title></head><a href=1>x</a>")
			r := extract(t, Options{}, Input{
				Header: textproto.MIMEHeader{"Content-Type": {tt.contentType}},
				Body:   body,
			})
			if r.Charset != tt.want || r.Title != tt.title || len(r.Links) != 1 {
				t.Errorf("charset %q, title %q, %d links; want %q, %q, 1", r.Charset, r.Title, len(r.Links),
					tt.want, tt.title)
			}
		})
	}
}

func TestByteOrderMark(t *testing.T) {
	const text = "<title>Größe</title><a href=1>x</a>"
	for label, mark := range map[string]string{
		"utf-8": "\xef\xbb\xbf", "utf-16le": "\xff\xfe",
		"utf-16be": "\xfe\xff",
	} {
		body := append([]byte(mark), encode(t, label, text)...)
		// The mark comes before whatever else is declared.
		r := extract(t, Options{},
			Input{Header: textproto.MIMEHeader{"Content-Type": {"text/html; charset=koi8-r"}}, Body: body})
		if r.Charset != label || r.Title != "Größe" || len(r.Links) != 1 {
			t.Errorf("%s: charset %q, title %q, %d links", label, r.Charset, r.Title, len(r.Links))
		}
	}
}

// A browser sends the query of a link in the encoding of the page, its path in UTF-8. Source: URL
// standard, "query state", and the web-platform-tests,
// html/infrastructure/urls/resolving-urls/query-encoding.
func TestQueryEncoding(t *testing.T) {
	tests := []struct{ charset, ref, want string }{
		{"utf-8", "/ä?q=ä", "http://example.org/%C3%A4?q=%C3%A4"},
		{"windows-1252", "/ä?q=ä&p=%C3%A4", "http://example.org/%C3%A4?q=%E4&p=%C3%A4"},
		{"windows-1252", "/?q=語", "http://example.org/?q=%26%2335486%3B"},
		{"windows-1252", "/?q=ä語ä", "http://example.org/?q=%E4%26%2335486%3B%E4"},
		{"windows-1252", "/?q=&auml;#ä", "http://example.org/?q=%E4"},
		{"shift_jis", "/?q=あ", "http://example.org/?q=%82%A0"},
		{"gbk", "/?q=中", "http://example.org/?q=%D6%D0"},
		{"gbk", "/?q=中é‰語中", "http://example.org/?q=%D6%D0%A8%A6%A1%EB%D5Z%D6%D0"},
		// as Chromium asks
		{"iso-2022-jp", "/?w=日本-０", `http://example.org/?w=%1B$BF|K\%1B(B-%1B$B%230%1B(B`},
	}
	for _, tt := range tests {
		html := strings.NewReplacer("語", "&#35486;").Replace(`<a href="` + tt.ref + `">x</a>`)
		h := textproto.MIMEHeader{"Content-Type": {"text/html; charset=" + tt.charset}}
		r := extract(t, Options{}, Input{Header: h, Body: encode(t, tt.charset, html)})
		if len(r.Links) != 1 || string(r.Links[0].URL) != tt.want {
			t.Errorf("%s, %q: %swant %s", tt.charset, tt.ref, lines(r.Links), tt.want)
		}
	}
}

func TestStylesheetCharset(t *testing.T) {
	for _, tt := range []struct{ contentType, rule, in, want string }{
		{"text/css", "", "utf-8", "utf-8"},
		{"text/css", `@charset "koi8-r";`, "koi8-r", "koi8-r"},
		{"text/css; charset=windows-1251", `@charset "koi8-r";`, "windows-1251", "windows-1251"},
	} {
		body := encode(t, tt.in, tt.rule+`a{background:url(фон.png)}`)
		r := extract(t, Options{}, Input{
			Header: textproto.MIMEHeader{"Content-Type": {tt.contentType}},
			Body:   body,
		})
		if r.Charset != tt.want || len(r.Links) != 1 ||
			r.Links[0].URL != "http://example.org/dir/%D1%84%D0%BE%D0%BD.png" {
			t.Errorf("%+v: charset %s, links %s", tt, r.Charset, lines(r.Links))
		}
	}
}

// Running text of each language, from the Universal Declaration of Human Rights, article 1 (and 2
// where that is short); public domain.
var declaration = []struct{ charsets, text string }{
	{
		"shift_jis euc-jp",
		"すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられており、互いに同胞の精神をもって行動しなければならない。",
	},
	{"gbk", "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心,并应以兄弟关系的精神相对待。人人有资格享有本宣言所载的一切权利和自由,不分种族、肤色、性别、语言、宗教、政治或其他见解。"},
	{"big5", "人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心,並應以兄弟關係的精神互相對待。人人有資格享有本宣言所載的一切權利和自由,不分種族、膚色、性別、語言、宗教、政治或其他見解。"},
	{"euc-kr", "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며 서로 형제애의 정신으로 행동하여야 한다."},
	{
		"windows-1251 koi8-r iso-8859-5 ibm866",
		"Все люди рождаются свободными и равными в своем достоинстве и правах. Они наделены разумом и " +
			"совестью и должны поступать в отношении друг друга в духе братства.",
	},
	{"windows-1253", "Όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια και τα δικαιώματα. " +
		"Είναι προικισμένοι με λογική και συνείδηση, και οφείλουν να συμπεριφέρονται μεταξύ τους με πνεύμα " +
		"αδελφοσύνης."},
	{"windows-1255", "כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם. כולם חוננו בתבונה ובמצפון, " +
		"לפיכך חובה עליהם לנהוג איש ברעהו ברוח של אחווה."},
	{
		"windows-1252",
		"Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit Vernunft und " +
			"Gewissen begabt und sollen einander im Geiste der Brüderlichkeit begegnen. Größe, Übung, " +
			"heißt, Maß, süß, öfter.",
	},
	{"windows-1252", "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont " +
		"doués de raison et de conscience et doivent agir les uns envers les autres dans un esprit de " +
		"fraternité."},
	{"windows-1252", "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats med " +
		"förnuft och samvete och bör handla gentemot varandra i en anda av gemenskap."},
	{"windows-1252", "Tots els éssers humans neixen lliures i iguals en dignitat i en drets. Són dotats de " +
		"raó i de consciència, i han de comportar-se fraternalment els uns amb els altres. ÀÉÈÍÏÓÒÚÜÇ " +
		"«àéèíïóòúüç»"},
}

func TestDetect(t *testing.T) {
	for _, d := range declaration {
		for want := range strings.FieldsSeq(d.charsets) {
			text := d.text
			if want == "windows-1255" || want == "iso-8859-5" || want == "ibm866" || want == "koi8-r" {
				text = strings.NewReplacer("«", "", "»", "").Replace(text)
			}
			body := encode(t, want, "<html><head><title>t</title></head><body><p>"+text+"</p></body></html>")
			if got := detect(body, "org"); got != want {
				t.Errorf("%.40s in %s is taken for %s", d.text, want, got)
			}
		}
		if got := detect([]byte(d.text), "org"); got != "utf-8" {
			t.Errorf("%.40s in UTF-8 is taken for %s", d.text, got)
		}
	}
	for top, want := range map[string]string{
		"cz": "windows-1250", "org": "windows-1252",
		"tr": "windows-1254", "": "windows-1252",
	} {
		if got := detect([]byte("one \xe9 letter"), top); got != want {
			t.Errorf("one letter under %q is taken for %s, want %s", top, got, want)
		}
	}
}

// A sample that ends within a rune is UTF-8 all the same.
func TestDetectLongText(t *testing.T) {
	for pad := range 4 {
		body := []byte(strings.Repeat("a", pad) + strings.Repeat("あ", sampleBytes))
		if got := detect(body, "jp"); got != "utf-8" {
			t.Errorf("%d bytes before: %s", pad, got)
		}
	}
}

func TestTopLevel(t *testing.T) {
	for host, want := range map[page.Host]string{
		"www.example.ru": "ru", "localhost": "localhost",
		"example.gr:8080": "gr",
	} {
		if got := topLevel(host); got != want {
			t.Errorf("topLevel(%q) = %q, want %q", host, got, want)
		}
	}
}
