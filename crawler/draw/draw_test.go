package draw

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"watershed/page"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// web answers the browser out of a table, by method and URL; a page is HTML unless its name says
// otherwise.
type web struct {
	pages map[string]string
	wait  time.Duration
	slow  bool // it is the servers that have the browser wait

	mu    sync.Mutex
	asked []string // method, URL and body
	most  int      // at once
	now   int
}

func (w *web) Answer(ctx context.Context, q *Request) (*Answer, error) {
	w.mu.Lock()
	w.asked = append(w.asked, strings.TrimSpace(q.Method+" "+string(q.URL)+" "+string(q.Body)))
	w.now++
	w.most = max(w.most, w.now)
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.now--
	}()
	if w.slow {
		q.Began()
	}
	if w.wait > 0 {
		select {
		case <-time.After(w.wait):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	body, ok := w.pages[string(q.URL)]
	if !ok {
		if before, _, cut := strings.Cut(string(q.URL), "?"); cut {
			body, ok = w.pages[before+"?"]
		}
	}
	if !ok {
		return nil, errors.New("not in this web")
	}
	mime := "text/html; charset=utf-8"
	for suffix, m := range map[string]string{
		".js": "text/javascript", ".json": "application/json", ".png": "image/png", ".css": "text/css",
		".svg": "image/svg+xml", ".xml": "text/xml", ".xsl": "text/xml", "events": "text/event-stream",
	} {
		if strings.HasSuffix(string(q.URL), suffix) {
			mime = m
		}
	}
	return &Answer{
		Status: http.StatusOK, Header: http.Header{"Content-Type": {mime}},
		Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

func (w *web) log() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.Clone(w.asked)
	slices.Sort(list)
	return slices.Compact(list)
}

// start gives a tab of a browser. Where there is none the test is skipped, or fails, as the tests of
// the desk do.
func start(t *testing.T, o Options) *Tab {
	t.Helper()
	if testing.Short() {
		t.Skip("short: no browser is started")
	}
	o.UserAgent, o.Program = "watershed/1 (+https://crawl.example/)", os.Getenv("WATERSHED_CHROMIUM")
	o.Patience = cmp.Or(o.Patience, time.Minute) // a busy machine is no silent browser
	b, err := New(o)
	if errors.Is(err, ErrNoBrowser) && os.Getenv("WATERSHED_BROWSER") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	tab, err := b.Tab()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(tab.Close(), b.Close()); err != nil {
			t.Error(err)
		}
	})
	return tab
}

func drawn(t *testing.T, tab *Tab, u string, w *web) *Drawing {
	t.Helper()
	d, err := tab.Draw(t.Context(), page.URL(u), w)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func linksOf(d *Drawing) (list []string) {
	for _, l := range d.Links {
		list = append(list, string(l.URL)+" "+l.Context)
	}
	return list
}

// TestDraw: what scripts add is seen, what a reader does is done, and what a reader must not do is
// not. No selector of the page is known to behave.js.
func TestDraw(t *testing.T) {
	t.Parallel()
	const host = "http://shop.example"
	w := &web{pages: map[string]string{
		host + "/": `<!doctype html><title>shell</title><div id=app></div><div style="height:3000px"></div>
<div id=end></div>
<div role=dialog><p>Delete this account for good?</p>
<button onclick="fetch('/deleted')">OK</button></div>
<div style="position:fixed;top:0"><p>We use cookies, in order to count who likes us</p>
<button id=b1>Accept all</button></div>
<form action=/order method=post><button>Send</button></form>
<button onclick="fetch('/deleted')">Delete all</button>
<p hx-get="/part" onclick="fetch('/part')">Part</p>
<p><a href="#" aria-label="Zoom in" onclick="show(1)">+</a>
<a href="#" title="Zoom out" onclick="show(-1)">-</a>
<details ontoggle="fetch('/api/details.json')"><summary>Terms</summary>hidden</details>
<script>
b1.onclick = () => { b1.parentNode.remove(); fetch('/api/consent.json') };
let scale = 5;
const show = by => { event && event.preventDefault(); scale += by; fetch('/tile/' + scale) };
show(0);
let page = 0;
const more = async () => {
  const r = await fetch('/api/items.json?page=' + page++);
  for (const x of await r.json())
    app.insertAdjacentHTML('beforeend', '<a href="/item/' + x + '">item ' + x + '</a>');
  if (page > 2) button.remove();
};
const button = document.createElement('button');
button.textContent = 'Load more';
button.onclick = more;
app.after(button);
more();
fetch('/graphql', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{"q":"words"}'})
  .then(r => r.json()).then(r => { document.title = r.title; });
let lazy = false;
new IntersectionObserver(e => {
  if (e[0].isIntersecting && !lazy) { lazy = true; fetch('/api/end.json') }
}).observe(end);
const root = document.createElement('div');
root.attachShadow({mode: 'open'}).innerHTML = '<a href="/shadow">words in the shadow</a>';
document.body.append(root);
</script>`,
		host + "/graphql":          `{"title":"Shop of words"}`,
		host + "/api/items.json?":  `[1,2]`,
		host + "/api/end.json":     `{}`,
		host + "/api/consent.json": `{}`,
		host + "/api/details.json": `{}`,
		host + "/part":             `words of a part`,
		host + "/tile/5":           `of the scale at which the map opens`,
		host + "/tile/6":           `of the next one`,
	}}
	d := drawn(t, start(t, Options{}), host+"/", w)
	if d.Title != "Shop of words" || !strings.Contains(d.Text, "item 2") ||
		!strings.Contains(d.Text, "words in the shadow") || d.Cut != "" {
		t.Errorf("title %q, text %q, cut %q", d.Title, d.Text, d.Cut)
	}
	want := []string{
		"GET " + host + "/", "GET " + host + "/api/consent.json", "GET " + host + "/api/details.json",
		"GET " + host + "/api/end.json", "GET " + host + "/api/items.json?page=0",
		"GET " + host + "/api/items.json?page=1", "GET " + host + "/api/items.json?page=2",
		"GET " + host + "/part", "GET " + host + "/tile/5", "GET " + host + "/tile/6",
		"POST " + host + `/graphql {"q":"words"}`,
	}
	got := slices.DeleteFunc(w.log(), func(s string) bool { return strings.HasSuffix(s, "/favicon.ico") })
	if !slices.Equal(got, want) {
		t.Errorf("asked for\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(want, "\n "))
	}
	if got, want := linksOf(d), []string{
		host + "/item/1 drawn/a/@href", host + "/item/2 drawn/a/@href", host + "/shadow drawn/a/@href",
	}; !slices.Equal(got, want) {
		t.Errorf("links %q, want %q", got, want)
	}
}

// TestTakenAway: what a page shows at first counts when a press has put something else in its place,
// also where a banner lay above it, whose words do not.
func TestTakenAway(t *testing.T) {
	t.Parallel()
	const host = "http://mail.example/"
	letters := `<div id=p>the first letter</div><div role=tab aria-selected=false
		onclick="p.textContent = 'another letter, of more words than the first one has'">B</div>`
	banner := `<div role=dialog>About cookies
		<button onclick="parentNode.outerHTML = ''">Accept</button></div>`
	tab := start(t, Options{Still: 200 * time.Millisecond})
	for markup, want := range map[string]string{
		letters:          "another letter, of more words than the first one has B the first letter",
		letters + banner: "another letter, of more words than the first one has B the first letter",
	} {
		d := drawn(t, tab, host, &web{pages: map[string]string{host: markup}})
		if d.Text != want || strings.Contains(d.Markup, "the first letter") ||
			strings.Contains(d.Markup, "cookies") {
			t.Errorf("text %q, want %q; markup %s", d.Text, want, d.Markup)
		}
	}
}

// TestEnds: what comes at the end of a page is had where styles have it scroll smoothly, and at the end of
// a long list in a box of its own, of whatever element.
func TestEnds(t *testing.T) {
	t.Parallel()
	const host = "http://long.example/"
	more := `<script>new IntersectionObserver(async (list, o) => {
		if (!list.some(e => e.isIntersecting)) return;
		o.disconnect();
		p.textContent = await (await fetch('/words.json')).text();
	}).observe(last)</script>`
	tab := start(t, Options{Still: 600 * time.Millisecond})
	for name, markup := range map[string]string{
		"smooth": `<style>html { scroll-behavior: smooth }</style><div style="height: 12000px"></div>
			<p id=p></p><div id=last>.</div>`,
		"a box": `<style>body { margin: 0 }</style><my-list style="display: block; height: 600px;
			overflow: auto"><div style="height: 9000px"></div><p id=p></p><div id=last>.</div></my-list>`,
	} {
		w := &web{pages: map[string]string{host: markup + more, host + "words.json": "words of the end"}}
		if d := drawn(t, tab, host, w); d.Text != "words of the end ." {
			t.Errorf("%s: text %q", name, d.Text)
		}
	}
}

// TestBusy: a page is not quiet when its scripts have just ended a long piece of work, for all that it
// has asked for nothing and shown nothing new meanwhile.
func TestBusy(t *testing.T) {
	t.Parallel()
	const host = "http://busy.example/"
	w := &web{pages: map[string]string{host: `<p id=p>it loads</p><script>
onload = () => setTimeout(() => {
  for (const end = performance.now() + 1800; performance.now() < end;);
  setTimeout(async () => { p.textContent = await (await fetch('/words.json')).text() }, 150);
})</script>`, host + "words.json": "words of the river"}}
	d := drawn(t, start(t, Options{Still: time.Second}), host, w)
	if d.Text != "words of the river" {
		t.Errorf("text %q", d.Text)
	}
}

// TestErrors: errors of a page's scripts are kept, each once; after very many messages nothing more is heard
// of them.
func TestErrors(t *testing.T) {
	t.Parallel()
	const host = "http://errors.example/"
	w := &web{pages: map[string]string{host: `<p>words of the page<script>
console.log('all is well'); console.error('one', 2); console.error('one', 2);
for (let i = 0; i < 5e3; i++) console.log(i);
setTimeout(() => { throw new TypeError('thrown\nlater') }, 100);
</script>`}}
	tab := start(t, Options{})
	d := drawn(t, tab, host, w)
	want := []string{"one 2", Unheard}
	if d.Text != "words of the page" || d.Cut != "" || !slices.Equal(d.Errors, want) {
		t.Errorf("text %q, cut %q, errors %q", d.Text, d.Cut, d.Errors)
	}
	w.pages[host] = strings.Replace(w.pages[host], "i < 5e3", "i < 10", 1)
	want = []string{"one 2", "Uncaught TypeError: thrown"}
	if d := drawn(t, tab, host, w); !slices.Equal(d.Errors, want) || d.Cut != "" {
		t.Errorf("cut %q, errors %q, want %q", d.Cut, d.Errors, want)
	}
	w.pages[host] = `<p>words<script>for (let i = 0; i < 150; i++) console.error('no. ' + i)</script>`
	if d := drawn(t, tab, host, w); len(d.Errors) != mostErrors || d.Errors[mostErrors-1] != Unheard {
		t.Errorf("errors %q", d.Errors)
	}
}

// TestGoesOn: what a script goes to by itself, again and again, is told apart from what presses lead to.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	const host = "http://goes.example"
	tab := start(t, Options{Still: 200 * time.Millisecond, Follow: 3})
	for way, others := range map[string]int{"location.href = ": 0, "open": MostGoings} {
		w := &web{pages: map[string]string{host + "/": `<!doctype html><p>words <button
			onclick="location.href = '/next'">Next</button><script>let n = 0;
			setInterval(() => ` + way + `('/?' + n++), 20)</script>`}}
		d := drawn(t, tab, host+"/", w)
		n := 0
		for _, l := range d.Links {
			if l.Kind == page.Refresh {
				n++
			}
		}
		if n <= MostGoings || len(d.Links) != n+others {
			t.Errorf("%s: links %q", way, linksOf(d))
		}
	}
}

// TestStays: the browser stays on its page, whatever the page does; where it would go is a link.
func TestStays(t *testing.T) {
	t.Parallel()
	const host = "http://here.example"
	tab := start(t, Options{Still: 200 * time.Millisecond})
	for _, c := range []struct{ name, script, link string }{
		{"location", `location.href = '/gone'`, host + "/gone drawn/location"},
		{"replace", `location.replace('http://other.example/x')`, "http://other.example/x drawn/location"},
		{"a window", `window.open('/popup')`, host + "/popup drawn/window.open"},
		{"history", `history.pushState({}, '', '/route')`, host + "/route drawn/history"},
		{"form", `const f = document.createElement('form'); f.action = '/form'; f.method = 'post';
			document.body.append(f); f.submit()`, ""},
		{"refresh", `const m = document.createElement('meta'); m.httpEquiv = 'refresh';
			m.content = '0;url=/later'; document.head.append(m)`, host + "/later drawn/location"},
		{"back", `history.back()`, ""},
		{"back by a number", `history.go(-1); setTimeout(() => history.go(-2), 300)`, ""},
		{"the end", `window.close()`, ""},
		{"reload", `setTimeout(() => location.reload(), 10)`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &web{pages: map[string]string{
				host + "/": "<!doctype html><body><p>words of here<script>" + c.script + "</script>",
			}}
			d := drawn(t, tab, host+"/", w)
			if !strings.Contains(d.Text, "words of here") {
				t.Errorf("text %q", d.Text)
			}
			if got := strings.Join(linksOf(d), "\n"); got != c.link {
				t.Errorf("links %q, want %q", got, c.link)
			}
			for _, q := range w.log() {
				if q != "GET "+host+"/" && !strings.HasSuffix(q, "/favicon.ico") {
					t.Errorf("asked for %s", q)
				}
			}
		})
	}
}

// TestWindow: pages of a host are shown in one window, one after the other, which remembers nothing of the
// former ones but what they store. A page that was not looked at to the end takes it away.
func TestWindow(t *testing.T) {
	t.Parallel()
	const host = "http://shop.example/"
	w := &web{pages: map[string]string{host + "x.json": "x"}}
	for _, at := range []string{"", "a", "b", "c?"} {
		w.pages[host+at] = `<p id=p></p><script>
			p.textContent = ['stored', localStorage.n || 0, 'window', window.name,
				sessionStorage.n || '', history.length < 3, navigation.currentEntry.getState(),
				document.referrer].join(' ');
			localStorage.n = 1 + +(localStorage.n || 0);
			window.name = 'named'; sessionStorage.n = 'kept';
			navigation.updateCurrentEntry({state: 'a state'});
			history.pushState({}, '', '#1'); history.pushState({}, '', '#2');
			setInterval(() => document.title += '.', 10);
			onbeforeunload = () => 'stay';
			onpagehide = () => { navigator.sendBeacon('/beacon'); new Image().src = '/beacon.png' };
			if (location.search) for (let i = 0; i < 20; i++) fetch('/x.json?' + i);
		</script>`
	}
	tab := start(t, Options{Still: 200 * time.Millisecond, Routes: -1, Follow: -1, Requests: 10})
	show := func(at string, n, shown int) {
		t.Helper()
		d := drawn(t, tab, host+at, w)
		want := fmt.Sprintf("stored %d window true", n)
		if strings.Join(strings.Fields(d.Text), " ") != want {
			t.Errorf("%s: text %q, want %q; errors %q", at, d.Text, want, d.Errors)
		}
		if got := tab.window.shown; got != shown {
			t.Errorf("%s: %d pages were shown in the window, want %d; cut %q", at, got, shown, d.Cut)
		}
	}
	show("", 0, 1)
	first := tab.window.target
	show("a", 1, 2)
	show("b", 2, 3)
	if tab.window.target != first {
		t.Error("a page has another window")
	}
	show("c?1", 3, 0) // it asks for too much
	show("a", 0, 1)
	if slices.ContainsFunc(w.log(), func(q string) bool { return strings.Contains(q, "beacon") }) {
		t.Errorf("asked for %q", w.log())
	}
}

// TestLeft: nobody listens to the frames of a page any more when it has gone, be it for its requests.
func TestLeft(t *testing.T) {
	t.Parallel()
	w := &web{pages: map[string]string{
		"http://a.example/": `<p>words<iframe src=http://b.example/></iframe>`,
		"http://b.example/": "<p>inner",
	}}
	for _, requests := range []int{1, 10} {
		tab := start(t, Options{Still: 200 * time.Millisecond, Requests: requests})
		if d := drawn(t, tab, "http://a.example/", w); (d.Cut != "") != (requests == 1) {
			t.Errorf("%d requests: cut %q", requests, d.Cut)
		}
		c := tab.process.channel
		c.mu.Lock()
		if len(c.heard) > 0 {
			t.Errorf("%d requests: %d sessions are listened to", requests, len(c.heard))
		}
		c.mu.Unlock()
	}
}

// TestPlaces: places behind "#/", and those that only scripts know, are visited, each once; those behind a
// "?" that show nothing new, and dead ones, are not visited one and all.
func TestPlaces(t *testing.T) {
	t.Parallel()
	links := ""
	for i := range 50 {
		links += fmt.Sprintf(`<a href="#/guide?id=%d">x</a>`, i)
	}
	w := &web{pages: map[string]string{
		"http://docs.example/": `<!doctype html><a href="#/guide">guide</a> <a href="#/api">api</a>
<a href="#anchor">anchor</a> <a href="#about">about</a>` + links + `<p id=p>start</p><script>
onhashchange = async () => {
  const path = location.hash.replace(/^#[/]?/, '').split('?')[0];
  if (path === 'anchor') return;
  p.textContent = await (await fetch('/' + path + '.json')).text();
};
</script>`,
		"http://docs.example/guide.json": "the guide", "http://docs.example/api.json": "the interface",
		"http://docs.example/about.json": "the authors",
	}}
	d := drawn(t, start(t, Options{}), "http://docs.example/", w)
	var got []string
	for _, p := range d.Places {
		got = append(got, p.URL)
	}
	want := []string{
		"http://docs.example/#/guide", "http://docs.example/#/api", "http://docs.example/#about",
	}
	if !slices.Equal(got, want) {
		t.Errorf("places %q, want %q", got, want)
	}
}

// TestAlbum: places that show a picture and no words are visited one and all.
func TestAlbum(t *testing.T) {
	t.Parallel()
	const host = "http://album.example/"
	w := &web{pages: map[string]string{host: `<div id=l></div><img id=p><script>
		for (let i = 1; i <= 6; i++) l.innerHTML += '<a href="#' + i + '"><hr></a>';
		onhashchange = () => { p.src = '/' + location.hash.slice(1) + '.png' }</script>`}}
	drawn(t, start(t, Options{Still: 100 * time.Millisecond, Follow: -1}), host, w)
	for i := 1; i <= 6; i++ {
		if want := fmt.Sprintf("GET %s%d.png", host, i); !slices.Contains(w.log(), want) {
			t.Errorf("no %s in %q", want, w.log())
		}
	}
}

// TestPressedPlaces: places to which presses lead, and those that these link to, are visited.
func TestPressedPlaces(t *testing.T) {
	t.Parallel()
	const host = "http://books.example/"
	w := &web{pages: map[string]string{host: `<ul><li style="cursor: pointer"
		onclick="location.hash = 'none'">None<li style="cursor: pointer"
		onclick="location.hash = 'books'">Books</ul><p id=p>start</p><script>
		onhashchange = () => { const at = location.hash.slice(1);
		if (at !== 'none') p.innerHTML = at === 'books' ? 'list <a href="#book/1">first</a>' :
		at ? 'text of ' + at : 'start' }</script>`}}
	d := drawn(t, start(t, Options{Still: 200 * time.Millisecond}), host, w)
	if len(d.Places) != 2 || !strings.Contains(fmt.Sprint(d.Places), "text of book/1") {
		t.Errorf("places %q, text %q, cut %q", d.Places, d.Text, d.Cut)
	}
}

// TestTooMuch: links beyond the bound, and places that each bring the next one, are told.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, cut string }{
		"links": {
			`p.innerHTML = Array.from({length: 20100}, (_, i) => '<a href=/' + i + '>l</a>').join('')`,
			"more than 20000 links",
		},
		"places": {
			`const go = () => { const n = +location.hash.slice(2) + 1;
				p.innerHTML = '<a href="#/' + n + '">next</a>' }; onhashchange = go; go()`,
			`its places behind "#" took 3s`,
		},
	} {
		tab := start(t, Options{
			Still: 100 * time.Millisecond, PageTime: 5 * time.Minute, places: 3 * time.Second,
		})
		d := drawn(t, tab, "http://many.example/", &web{pages: map[string]string{
			"http://many.example/": `<!doctype html><p id=p>words<script>` + c.script + `</script>`,
		}})
		if !strings.Contains(d.Cut, c.cut) || len(d.Links) > mostLinks {
			t.Errorf("%s: cut %q, %d links", name, d.Cut, len(d.Links))
		}
	}
}

// TestArrived: a place that a script goes to of itself is one, where the page links to it.
func TestArrived(t *testing.T) {
	t.Parallel()
	w := &web{pages: map[string]string{
		"http://docs.example/": `<!doctype html><a href="#/guide">guide</a> <a href="#/start">start</a>
<p id=p></p><script>
onhashchange = () => { p.textContent = 'words of ' + location.hash };
location.hash = '/start';
</script>`,
	}}
	d := drawn(t, start(t, Options{}), "http://docs.example/", w)
	got := map[string]string{}
	for _, p := range d.Places {
		got[p.URL] = p.Text
	}
	if len(got) != 2 || !strings.Contains(got["http://docs.example/#/start"], "words of #/start") ||
		!strings.Contains(got["http://docs.example/#/guide"], "words of #/guide") {
		t.Errorf("places %q", got)
	}
}

// TestLongPolls: a page has no more time because servers take theirs to answer what it asks for one
// after the other; to wait for a turn costs it nothing. The last one, which is not waited for, is its
// requisite, too.
func TestLongPolls(t *testing.T) {
	t.Parallel()
	tab := start(t, Options{PageTime: 3 * time.Second, Still: 200 * time.Millisecond, Routes: -1})
	const polls = `<p>words<script>let n = 0;
		const go = () => n < 5 && fetch('/poll?' + n++).then(go, go); go()</script>`
	for _, slow := range []bool{false, true} {
		w := &web{
			pages: map[string]string{"http://bad.example/": polls, "http://bad.example/poll?": "x"},
			wait:  time.Second, slow: slow,
		}
		d := drawn(t, tab, "http://bad.example/", w)
		if cut := strings.Contains(d.Cut, "servers took"); cut != slow || !strings.Contains(d.Text, "words") {
			t.Errorf("servers are slow: %t, and it is cut: %q, text %q", slow, d.Cut, d.Text)
		}
		for _, asked := range w.log() {
			_, u, _ := strings.Cut(asked, " ")
			i := slices.IndexFunc(d.Asked, func(a Asked) bool { return string(a.URL) == u })
			if i < 0 || d.Asked[i].Status == 0 && d.Asked[i].Cause != Unawaited {
				t.Errorf("servers are slow: %t, and the page does not tell of %s: %+v", slow, u, d.Asked)
			}
		}
	}
}

// TestOwnCalls: a page is quiet that reads its own data over and over.
func TestOwnCalls(t *testing.T) {
	t.Parallel()
	const host = "http://own.example/"
	w := &web{pages: map[string]string{host: `<p>words<script>let n = 0;
setInterval(() => { n++; fetch('data:,' + n); fetch(URL.createObjectURL(new Blob([n]))) }, 40)</script>`}}
	tab := start(t, Options{PageTime: 10 * time.Second, Still: 300 * time.Millisecond})
	if d := drawn(t, tab, host, w); d.Cut != "" || d.Text != "words" {
		t.Errorf("it is cut: %q, text %q", d.Cut, d.Text)
	}
}

// TestNoOtherWay: nothing leaves the browser but through the proxy, not even to loopback.
func TestNoOtherWay(t *testing.T) {
	t.Parallel()
	tab := start(t, Options{Still: time.Second})
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	udp, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var came []string
	note := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		came = append(came, what)
	}
	var listening sync.WaitGroup
	listening.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			note("tcp from " + c.RemoteAddr().String())
			_ = c.Close()
		}
	})
	listening.Go(func() {
		for b := make([]byte, 100); ; {
			_, from, err := udp.ReadFrom(b)
			if err != nil {
				return
			}
			note("udp from " + from.String())
		}
	})
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_, udpPort, _ := net.SplitHostPort(udp.LocalAddr().String())
	w := &web{pages: map[string]string{
		"http://away.example/": `<!doctype html><link rel=dns-prefetch href="//127.0.0.1:PORT">
<link rel=preconnect href="http://127.0.0.1:PORT"><link rel=prefetch href="http://localhost:PORT/p">
<img src="http://127.0.0.1:PORT/i.png"><iframe src="http://[::1]:PORT/f"></iframe><p>words<script>
fetch('http://localhost:PORT/x').catch(() => 0);
navigator.sendBeacon('http://127.0.0.1:PORT/beacon', 'x');
try { new WebSocket('ws://127.0.0.1:PORT/ws') } catch (_) {}
try {
  const c = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:UDP'}]});
  c.createDataChannel('x');
  c.createOffer().then(o => c.setLocalDescription(o));
} catch (_) {}
try { new EventSource('http://127.0.0.1:PORT/events') } catch (_) {}
</script>`,
	}}
	for name, text := range w.pages {
		w.pages[name] = strings.NewReplacer("PORT", port, "UDP", udpPort).Replace(text)
	}
	d := drawn(t, tab, "http://away.example/", w)
	if !strings.Contains(d.Text, "words") {
		t.Errorf("text %q", d.Text)
	}
	if err := errors.Join(l.Close(), udp.Close()); err != nil {
		t.Fatal(err)
	}
	listening.Wait()
	if len(came) > 0 {
		t.Errorf("past the proxy: %q", came)
	}
	if got := strings.Join(w.log(), "\n"); !strings.Contains(got, "127.0.0.1:"+port+"/i.png") ||
		!strings.Contains(got, "localhost:"+port+"/x") {
		t.Errorf("the proxy was asked for\n%s", got)
	}
}

// TestTorture: pages that never end, ask for ever more, or break the browser come to an end, and
// the page after them is drawn.
func TestTorture(t *testing.T) {
	t.Parallel()
	tab := start(t, Options{Still: 100 * time.Millisecond, Requests: 50})
	patience := tab.b.opt.Patience
	for _, c := range []struct{ name, script string }{
		{"endless loop", `setTimeout(() => { for (;;); }, 300)`},
		{"endless loop at once", `for (;;);`},
		{"dialogs", `let n = 0; setInterval(() => { alert(n++); confirm('x'); prompt('y') }, 10)`},
		{"before unload", `onbeforeunload = e => { e.preventDefault(); return 'stay' };
			location.href = '/x'`},
		{"endless requests", `let n = 0; setInterval(() => fetch('/n?' + n++), 5)`},
		{"poll", `const go = () => fetch('/poll?').then(go, go); go()`},
		{"flood of nodes", `setInterval(() => { for (let i = 0; i < 20000; i++)
			document.body.append(document.createElement('p')) }, 10)`},
		{"windows", `setInterval(() => open('/w' + Math.random()), 10)`},
		{"workers", `for (let i = 0; i < 50; i++)
			new Worker(URL.createObjectURL(new Blob(['for(;;);'])))`},
		{"busy when its time is over", `let n = 0; setInterval(() => fetch('/n?' + n++), 60)
			setTimeout(() => { for (;;); }, 980)`},
		{"history", `let n = 0; setInterval(() => history.pushState({}, '', '/h' + n++), 5)`},
		{"frames in frames", `const f = document.createElement('iframe'); f.src = location.href + '?' +
			Math.random(); document.body.append(f)`},
		{"streams", `for (let i = 0; i < 5; i++) new EventSource('/' + i + '/events')`},
		{"a clock", `setInterval(() => { document.title = Date.now(); p.textContent = Date.now() }, 20)`},
		{"stopped", `window.stop()`},
		{"document rewritten", `document.open(); document.write('<p>anew'); document.close()`},
		{"promises", `const go = () => Promise.resolve().then(go); setTimeout(go, 300)`},
		{"a slow pattern", `setTimeout(() => /^(a+)+$/.test('a'.repeat(60) + 'b'), 300)`},
		{"messages", `onmessage = () => { postMessage(1); postMessage(1) }; postMessage(1)`},
		{"frames of pictures", `const go = () => { requestAnimationFrame(go);
			const end = Date.now() + 50; while (Date.now() < end); }; go()`},
		{"huge canvases", `for (let i = 0; i < 30; i++) { const c = document.createElement('canvas');
			c.width = c.height = 16000; c.getContext('2d').fillRect(0, 0, 9, 9); document.body.append(c) }`},
		{"WebGL", `setInterval(() => document.body.append(document.createElement('canvas')) ||
			document.body.lastChild.getContext('webgl2'), 10)`},
		{"sound", `for (let i = 0; i < 50; i++) { const o = new AudioContext();
			const s = o.createOscillator(); s.connect(o.destination); s.start() }`},
		{"printing", `setInterval(() => print(), 10)`},
		{"downloads", `setInterval(() => { const a = document.createElement('a'); a.download = 'x';
			a.href = URL.createObjectURL(new Blob(['x'.repeat(1e6)])); a.click() }, 10)`},
		{"prompts", `setInterval(() => { Notification.requestPermission();
			navigator.geolocation.getCurrentPosition(() => 0); document.body.requestPointerLock();
			document.documentElement.requestFullscreen().catch(() => 0);
			const m = navigator.mediaDevices; m && m.getUserMedia({audio: true}).catch(() => 0) }, 20)`},
		{"document written on and on", `setInterval(() => document.write('<p>more</p>'.repeat(1000)), 5)`},
		{"styles", `document.body.innerHTML += '<style>div{animation:a 1s infinite;filter:blur(40px)}' +
			'@keyframes a{to{transform:rotate(1turn) scale(9)}}*:has(* *){color:red}</style>' +
			'<div>'.repeat(400) + 'deep'`},
		{"blob frames", `const page = '<script>' + document.currentScript.textContent + '<' + '/script>';
			for (let i = 0; i < 2; i++) { const f = document.createElement('iframe');
			f.src = URL.createObjectURL(new Blob([page], {type: 'text/html'})); document.body.append(f) }`},
		{"data frames", `setInterval(() => { const f = document.createElement('iframe');
			f.src = 'data:text/html,<script>for(;;);<' + '/script>'; document.body.append(f) }, 200)`},
		{"to a blob", `location = URL.createObjectURL(new Blob(['<p>away'], {type: 'text/html'}))`},
		{"refresh at once", `document.head.innerHTML = '<meta http-equiv=refresh content=0>'`},
		{"a mute service worker", `navigator.serviceWorker.register('/mute.js').catch(() => 0);
			fetch('/n?' + 1).catch(() => 0)`},
		{"storage", `setInterval(() => { try { localStorage[Math.random()] = 'x'.repeat(1e5) } catch (_) {}
			caches.open('a').then(c => c.put('/' + Math.random(), new Response('x'.repeat(1e6)))) }, 10)`},
		{"a tree that changes as it is looked at", `new MutationObserver(() => p.append('x'))
			.observe(document.body, {childList: true, subtree: true}); p.append('x')`},
		{"links under links", `setInterval(() => { p.innerHTML = '<button>Load more</button>' +
			'<a role=link onclick="history.pushState(0, 0, Math.random())">' + Math.random() }, 50)`},
		{"a flood of messages", `setInterval(() => { for (let i = 0; i < 1e4; i++)
			console.log({i, text: 'x'.repeat(1000)}) }, 10)`},
		{"prototypes broken", `Array.prototype.push = Map.prototype.set = JSON.stringify =
			() => { throw 1 }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &web{pages: map[string]string{
				"http://bad.example/mute.js": `onfetch = e => e.respondWith(new Promise(() => 0))`,
			}}
			for _, u := range []string{"/", "/?", "/n?", "/poll?"} {
				w.pages["http://bad.example"+u] = "<!doctype html><body><p id=p>words<script>" + c.script +
					"</script>"
			}
			start := time.Now()
			tab.b.opt.Patience, tab.b.opt.PageTime = 3*time.Second, time.Second
			d, err := tab.Draw(t.Context(), "http://bad.example/", w)
			if took := time.Since(start); took > 3*time.Minute {
				t.Errorf("took %s", took)
			}
			switch {
			case err != nil:
				t.Log(err)
			case len(d.Asked) > 60 || d.Text == "":
				t.Errorf("%d requests, text %.100q, cut %q", len(d.Asked), d.Text, d.Cut)
			default:
				t.Logf("cut: %q", d.Cut)
			}
			tab.b.opt.Patience, tab.b.opt.PageTime = patience, time.Minute
			good := &web{pages: map[string]string{"http://good.example/": "<p>good words"}}
			after := drawn(t, tab, "http://good.example/", good)
			if !strings.Contains(after.Text, "good words") {
				t.Errorf("the page after it: %q", after.Text)
			}
		})
	}
}

// TestTriedAgain: a page before which a browser falls silent is drawn by another one, unless that would
// take longer than its time.
func TestTriedAgain(t *testing.T) {
	t.Parallel()
	const host = "http://bad.example/"
	for pageTime, want := range map[time.Duration]int{time.Minute: 2, 2 * time.Second: 1} {
		tab := start(t, Options{Patience: 3 * time.Second, PageTime: pageTime})
		w := &web{pages: map[string]string{host: "<p>words<script>for (;;);</script>"}}
		if d, err := tab.Draw(t.Context(), host, w); !errors.Is(err, errSilent) {
			t.Errorf("%v, %v", d, err)
		}
		if len(w.asked) != want {
			t.Errorf("%s: asked for %q", pageTime, w.asked)
		}
	}
}

// TestStarts: a browser that did not start several times rests before it is started once more, and pages wait
// for it if it has started before, but not for ever.
func TestStarts(t *testing.T) {
	t.Parallel()
	const host = "http://a.example/"
	tab := start(t, Options{Rest: time.Hour, Still: 200 * time.Millisecond})
	b, w := tab.b, &web{pages: map[string]string{host: "<p>words"}}
	program := b.opt.Program
	attempt := func(runs string, want error) {
		t.Helper()
		if b.opt.Program = runs; b.running != nil {
			b.kill(b.running)
		}
		if _, err := tab.Draw(t.Context(), host, w); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	attempt("/bin/false", ErrStart)
	if b.failing.starts != 2 || b.Waits() != 0 {
		t.Errorf("it never started: %+v, waits %s", b.failing, b.Waits())
	}
	attempt(program, nil)
	attempt("/bin/false", ErrStart)
	if wait := b.Waits(); wait <= 0 || wait > time.Second {
		t.Errorf("it is started again after %s", wait)
	}
	attempt("/bin/false", ErrStart)
	attempt(program, ErrStart)
	if wait := b.Waits(); b.failing.starts != mostStarts || wait < 59*time.Minute {
		t.Errorf("it rests: %+v, waits %s", b.failing, wait)
	}
	if b.failing.since = time.Now().Add(-mostRests*time.Hour - time.Second); b.Waits() != 0 {
		t.Error("pages wait for ever")
	}
	b.failing.next = time.Now()
	attempt(program, nil)
	if b.failing != (failing{}) {
		t.Errorf("it has started: %+v", b.failing)
	}
	var is struct{ Product, UserAgent string } // scripts see the version of the browser that runs
	if err := b.running.call(t.Context(), "", "Browser.getVersion", nil, &is); err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(is.Product, "/")
	major, _, _ := strings.Cut(version, ".")
	if major == "" || !strings.Contains(is.UserAgent, " Chrome/"+major+".0.0.0 Safari/") {
		t.Errorf("%s is called %s", is.Product, is.UserAgent)
	}
}

// TestNoVersion: a browser that does not say its version is called as one is that is usual, and asked once.
func TestNoVersion(t *testing.T) {
	t.Parallel()
	b := &Browser{opt: Options{Program: "/nowhere", UserAgent: "crawler"}}
	for range 2 {
		name, err := b.name(t.TempDir())
		if err != nil || !strings.HasSuffix(name, " Chrome/156.0.0.0 Safari/537.36 crawler") {
			t.Errorf("%q, %v", name, err)
		}
		b.opt.Program = "/bin/false" // which may have a version
	}
	if _ = b.fails(nil); b.main != "" {
		t.Error("another browser is not asked")
	}
}

// source is a function that answers the browser.
type source func(context.Context, *Request) (*Answer, error)

func (s source) Answer(ctx context.Context, q *Request) (*Answer, error) { return s(ctx, q) }

// TestNeighbours: a page is drawn whole though the browser is killed for the page of another tab four times
// meanwhile: while its document is awaited, and while its script awaits data.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	const good = "http://good.example/"
	tab := start(t, Options{Still: 200 * time.Millisecond})
	other, kills := &Tab{b: tab.b}, map[page.URL]int{good: 2, good + "a.json": 2}
	running := func() *process {
		tab.b.mu.Lock()
		defer tab.b.mu.Unlock()
		return tab.b.running
	}
	w := &web{pages: map[string]string{
		good: `<p>first <script>
			fetch('/a.json').then(() => document.body.append('last'))</script>`,
		good + "a.json": "{}",
	}}
	var mu sync.Mutex
	d, err := tab.Draw(t.Context(), good, source(func(ctx context.Context, q *Request) (*Answer, error) {
		mu.Lock()
		defer mu.Unlock()
		if kills[q.URL] > 0 && ctx.Err() == nil {
			kills[q.URL]--
			other.kill(running())
		}
		return w.Answer(ctx, q)
	}))
	if err != nil || d.Cut != "" || d.Text != "first last" || kills[good]+kills[good+"a.json"] > 0 {
		t.Errorf("%+v, %v, %v kills are left", d, err, kills)
	}
}

// dying is the command pipe of a browser that another tab has killed by the time it is to show a page.
type dying struct{ *process }

func (d *dying) Write(line []byte) (int, error) {
	var m message
	if err := json.Unmarshal(line[:len(line)-1], &m); err != nil {
		return 0, err
	}
	result := "{}"
	if m.Method == "Page.navigate" {
		d.killer.Store(&Tab{})
		result = `{"errorText": "net::ERR_ABORTED"}`
	}
	go d.take(message{ID: m.ID, Result: json.RawMessage(result)})
	return len(line), nil
}

func (d *dying) Close() error { return nil }

// TestDying: a browser that ends breaks off what it loads, and may say so before it is gone. That is no
// answer about the page.
func TestDying(t *testing.T) {
	p := &process{}
	p.channel = newChannel(&dying{p})
	v := &view{process: p, opt: &Options{Patience: time.Minute}, sight: &sight{last: time.Now()}}
	if err := v.open(t.Context(), ""); !errors.Is(err, errGone) || v.Cut != "" {
		t.Errorf("%v, cut %q", err, v.Cut)
	}
}

// TestPatience: when the time of a page is over, all that is done yet has the patience for one call.
func TestPatience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := &view{opt: &Options{Patience: 15 * time.Second}}
		for since, want := range map[time.Duration]time.Duration{0: 15, 5 * time.Second: 10, time.Hour: 2} {
			v.enough = time.Now().Add(-since)
			if got := v.patience(); got != want*time.Second {
				t.Errorf("%s later: %s", since, got)
			}
		}
	})
}

// TestSwells: a page that takes ever more memory, or loops, after it was quiet keeps what it showed, and
// the browser is killed once; one that does so at once is no page, or a cut one.
func TestSwells(t *testing.T) {
	t.Parallel()
	tab := start(t, Options{
		Patience: 3 * time.Second, PageTime: time.Minute, Still: 200 * time.Millisecond, Memory: 600 << 20,
	})
	const swell = `const a = []; setInterval(() => { for (let i = 0; i < 20; i++)
		a.push(new Uint8Array(1 << 20).fill(i)) }, 10)`
	for _, c := range []struct{ name, script, cut string }{
		{"later", `setTimeout(() => { ` + swell + ` }, 700)`, "more than 600 MiB"},
		{"a loop later", `onscroll = () => { for (;;); }`, "silent"},
		{"at once", swell + `; setInterval(() => fetch('/x?' + Math.random()), 20)`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &web{pages: map[string]string{"http://bad.example/": `<p>words <a href="/a">a</a>
				<div style="height:9000px"></div><script>` + c.script + `</script>`}}
			d, err := tab.Draw(t.Context(), "http://bad.example/", w)
			switch {
			case c.cut == "": // on a quick machine it is read before it has grown
				why := fmt.Sprint(err)
				if err == nil {
					why = d.Cut
				}
				if !strings.Contains(why, "more than 600 MiB") {
					t.Errorf("drawn: %v, cut %q", err, why)
				}
			case err != nil:
				t.Error(err)
			case !strings.Contains(d.Cut, c.cut) || !strings.Contains(d.Text, "words") || len(d.Links) != 1:
				t.Errorf("cut %q, text %q, links %v", d.Cut, d.Text, d.Links)
			}
		})
	}
}

// TestHosts: a page sees no cookie and nothing stored of another host's page, by TLS as without.
func TestHosts(t *testing.T) {
	t.Parallel()
	tab := start(t, Options{})
	script := `<p id=p></p><script>document.cookie = 'a=1';
		p.textContent = document.cookie + location.protocol + Object.keys(localStorage);
		localStorage.mine = 1</script>`
	for _, u := range []string{"https://a.example/", "http://b.example/"} {
		d := drawn(t, tab, u, &web{pages: map[string]string{u: script}})
		scheme, _, _ := strings.Cut(u, "//")
		if d.Text != "a=1"+scheme {
			t.Errorf("%s shows %q", u, d.Text)
		}
	}
}

// turns has each thing but the page wait for its turn when it is asked for first.
type turns struct {
	*web
	had sync.Map
}

func (w *turns) Answer(ctx context.Context, q *Request) (*Answer, error) {
	if _, again := w.had.LoadOrStore(q.URL, true); !again && strings.HasSuffix(string(q.URL), ".json") {
		select {
		case <-time.After(3 * time.Second):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return w.web.Answer(ctx, q)
}

// TestGivenUp: a page that gave up what it asked for, while that waited for its turn, is drawn once more.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	const host = "http://hasty.example/"
	tab := start(t, Options{Still: 200 * time.Millisecond})
	for name, c := range map[string]struct {
		script string
		drawn  int
	}{
		"fetch": {`fetch('/late.json', {signal: AbortSignal.timeout(1500)}).then(r => r.text()).then(
			t => p.textContent = t, () => p.textContent = 'given-up')`, 2},
		"XMLHttpRequest": {`const x = new XMLHttpRequest; x.open('GET', '/late.json'); x.timeout = 1500;
			x.onload = () => p.textContent = x.responseText; x.ontimeout = () => p.textContent = 'given-up';
			x.send()`, 2},
		"in no hurry": {`fetch('/late.json').then(r => r.text()).then(t => p.textContent = t);
			fetch('/late.json', {signal: AbortSignal.abort()}).catch(() => 0)`, 1},
	} {
		w := &turns{web: &web{pages: map[string]string{
			host: "<p id=p>words</p><script>" + c.script + "</script>", host + "late.json": "late-words",
		}}}
		d, err := tab.Draw(t.Context(), host, w)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, q := range w.asked {
			if q == "GET "+host {
				n++
			}
		}
		if !wordsOf(d.Text)["late-words"] || n != c.drawn {
			t.Errorf("%s: text %q, drawn %d times, cut %q", name, d.Text, n, d.Cut)
		}
	}
}
