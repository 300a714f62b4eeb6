package extract

import (
	"net/textproto"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"watershed/lab/kit/bomb"
	"watershed/page"
)

const (
	typeHLS  = "application/vnd.apple.mpegurl"
	typeDASH = "application/dash+xml; charset=utf-8"
)

// filmLinks are what a list names, below the folder of the list.
func filmLinks(t *testing.T, mime, body string) (got []string) {
	t.Helper()
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := e.Extract(Input{
		URL: "http://film.example/v/all", Body: []byte(body),
		Header: textproto.MIMEHeader{"Content-Type": {mime}},
	})
	if r.Err != nil || !r.Read {
		t.Errorf("read %v: %v", r.Read, r.Err)
	}
	for _, l := range r.Links {
		if l.Kind != page.Embed {
			t.Errorf("%s is %v", l.URL, l.Kind)
		}
		got = append(got, strings.TrimPrefix(string(l.URL), "http://film.example/v/"))
	}
	return got
}

// TestFilm: of a film in pieces all are found, in the size that programs for replay play. The sizes of
// HLS are those that ReplayWeb.page 2.5.3 left of such lists; the sections are those of RFC 8216 and ISO/IEC
// 23009-1.
func TestFilm(t *testing.T) {
	const sizes = `#EXTM3U
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="low",NAME="en",URI="a-low.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="high",NAME="en",DEFAULT=YES,URI="a-high.m3u8"
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="en",URI="subs.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360,AUDIO="low",SUBTITLES="subs"
360.m3u8
#EXT-X-STREAM-INF:AVERAGE-BANDWIDTH=9,BANDWIDTH=2800000,RESOLUTION=1280x720,AUDIO="high",SUBTITLES="subs"
720.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=3800000,RESOLUTION=1280x720,AUDIO="high"
720-more.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=5000000,RESOLUTION=1920x1080,AUDIO="high"
1080.m3u8
`
	mpd := func(inner string) string {
		return `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" ` +
			`mediaPresentationDuration="PT0H0M10.5S">` + inner + `</MPD>`
	}
	for _, c := range []struct {
		name, mime, body string
		want             []string
	}{
		{"sizes, 4.3.4.2", typeHLS, sizes, []string{"a-high.m3u8", "subs.m3u8", "720.m3u8"}},
		{
			"all too large", typeHLS, `#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=9000000,RESOLUTION=3840x2160
2160.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=5000000,RESOLUTION=1920x1080
1080.m3u8`, []string{"1080.m3u8"},
		},
		{
			"sound alone", typeHLS, "#EXTM3U\r\n#EXT-X-STREAM-INF:BANDWIDTH=64000\r\nlow.m3u8\r\n" +
				"#EXT-X-STREAM-INF:BANDWIDTH=128000\r\nhigh.m3u8\r\n", []string{"low.m3u8"},
		},
		{
			"pieces, 4.3.2", "audio/mpegurl", `#EXTM3U
#EXT-X-KEY:METHOD=AES-128,URI="/key",IV=0x1
#EXT-X-MAP:URI="init.mp4",BYTERANGE="720@0"
#EXTINF:4.0,
1.ts?x=1

#EXTINF:4.0,a title
http://film.example/v/2.ts
#EXT-X-ENDLIST`, []string{"http://film.example/key", "init.mp4", "1.ts?x=1", "2.ts"},
		},
		{"as text", "text/plain", "#EXTM3U\n#EXTINF:4.0,\n1.ts\n", []string{"1.ts"}},
		{
			"times, 5.3.9.6", typeDASH, mpd(`<Period><AdaptationSet>
<SegmentTemplate timescale="10" initialization="$RepresentationID$.init"
media="$RepresentationID$-$Time$.m4s">
<SegmentTimeline><S t="0" d="40" r="1"/><S d="25"/></SegmentTimeline></SegmentTemplate>
<Representation id="lo" bandwidth="90000" width="160" height="90"/>
<Representation id="hi" bandwidth="900000" width="1280" height="720"></Representation>
<Representation id="top" bandwidth="5000000" width="1920" height="1080"/></AdaptationSet></Period>`),
			[]string{"hi.init", "hi-0.m4s", "hi-40.m4s", "hi-80.m4s"},
		},
		{
			"numbers, 5.3.9.5", typeDASH, mpd(`<BaseURL>films/</BaseURL><Period><AdaptationSet>
<Representation id="x" bandwidth="9"><BaseURL>x/</BaseURL>
<SegmentTemplate duration="4" startNumber="0" media="$$-$Number%03d$.m4s"/>
</Representation></AdaptationSet></Period>`),
			[]string{"films/x/$-000.m4s", "films/x/$-001.m4s", "films/x/$-002.m4s"},
		},
		{
			"a list, 5.3.9.3", typeDASH, mpd(`<Period><AdaptationSet>
<Representation id="x" bandwidth="9"><SegmentList>
<Initialization sourceURL="i.mp4"/><SegmentURL media="1.m4s"/><SegmentURL media="2.m4s"/></SegmentList>
</Representation></AdaptationSet></Period>`), []string{"i.mp4", "1.m4s", "2.m4s"},
		},
		{
			"one file, 5.3.9.2", typeDASH, mpd(`<Period><AdaptationSet><Representation id="x" bandwidth="9">
<BaseURL>x.mp4</BaseURL><SegmentBase indexRange="1-2"/></Representation></AdaptationSet>
<AdaptationSet><Representation id="y" bandwidth="3000"><BaseURL>y.mp4</BaseURL></Representation>
<Representation id="z" bandwidth="9000"><BaseURL>z.mp4</BaseURL></Representation></AdaptationSet></Period>`),
			[]string{"x.mp4", "z.mp4"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, filmLinks(t, c.mime, c.body)); diff != "" {
				t.Error(diff)
			}
			one := OneSize(c.mime, []byte(c.body))
			if again := OneSize(c.mime, one); string(again) != string(one) {
				t.Errorf("of one size another is left:\n%s", again)
			}
		})
	}
	text := "#EXTM3U as words"
	if string(OneSize("text/html", []byte(text))) != text || IsFilm("text/plain") {
		t.Error("a page is a list")
	}
}

// FuzzFilm: no list makes more pieces than there may be, whatever it says.
func FuzzFilm(f *testing.F) {
	f.Add(true, `<MPD><Period duration="P9DT9H"><AdaptationSet><SegmentTemplate media="$Number%09d$" `+
		`duration="1" timescale="9999999"/><Representation/></AdaptationSet></Period></MPD>`)
	f.Add(false, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=9x9")
	f.Fuzz(func(t *testing.T, isDASH bool, body string) {
		e, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		mime := typeHLS
		if isDASH {
			mime = typeDASH
		}
		e.Extract(Input{
			URL: "http://film.example/", Body: []byte(body),
			Header: textproto.MIMEHeader{"Content-Type": {mime}},
		})
		if one := OneSize(mime, []byte(body)); len(one) > len(body) {
			t.Errorf("%q became longer: %q", body, one)
		}
	})
}

// TestFilmWork: lists of films whose parts multiply each other, or have long bases, end early.
func TestFilmWork(t *testing.T) {
	set := func(inner, one string) string {
		return `<MPD mediaPresentationDuration="PT9H"><Period><AdaptationSet>` + inner +
			strings.Repeat(one, (3<<20-len(inner))/len(one)) + `</AdaptationSet></Period></MPD>`
	}
	long := strings.Repeat("a", 2<<20)
	for name, x := range map[string][2]string{
		"a long base": {typeDASH, set(`<BaseURL>http://film.example/`+long+`/</BaseURL><SegmentTemplate `+
			`media="$Number$" duration="1"/>`, `<Representation id="a"/>`)},
		"files of all": {typeDASH, set(`<SegmentList>`+strings.Repeat(`<SegmentURL/>`, 1<<16)+
			`</SegmentList>`, `<Representation/>`)},
		"times of all": {typeDASH, set(`<SegmentTemplate media="$Time$"><SegmentTimeline>`+
			strings.Repeat(`<S/>`, 1<<17)+`</SegmentTimeline></SegmentTemplate>`, `<Representation/>`)},
		"sets of a size": {typeHLS, "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1," + long + "\nlist\n" +
			strings.Repeat("#EXT-X-MEDIA:GROUP-ID=\"x\",URI=\"y\"\n", 1<<16)},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{Header: textproto.MIMEHeader{"Content-Type": {x[0]}}, Body: []byte(x[1])}
			bomb.Holds(t, 512<<20, func() { checkResult(t, extract(t, Options{}, in), defaultMaxLinks) })
		})
	}
}
