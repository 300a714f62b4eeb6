package draw

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"watershed/page"
)

// TestChanges: addresses that say that they change something, and such that do not.
func TestChanges(t *testing.T) {
	for path, want := range map[string]bool{
		"/item/7/delete": true, "/api/deleteItem?id=7": true,
		"/account/log-out": true, "/cart/add?id=1": true,
		"/do?action=unsubscribe": true, "/upvote/3": true, "/place-order": true, "/removeAll": true,
		"/orders/page/2": false, "/removed-posts": false, "/cartoons": false, "/api/votes.json": false,
		"/img/icon-trash.svg": false, "/img/delete.png?v=3.1": false, "/delete.png?id=7": true,
		"/a.png/delete": true, "/vote.gif": true, "/invitations/accept?id=1": true,
		"/account/closed": false,
		"/border.css":     false, "/wood/logs": false, "/api/items?page=2": false,
	} {
		if got := changes(path); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
}

// TestOrders: bodies that name a deed, and such that name a kind of things, as filters of lists do.
func TestOrders(t *testing.T) {
	for body, want := range map[string]bool{
		`{"type": "delete"}`: true, "type=remove": true, `{"type":"cart/add"}`: true, "do=vote": true,
		`{"intent": "unsubscribe"}`: true, "type=vote&page=2": false, `{"type":"payment"}`: false,
		`{"types": ["delete"]}`: false, `{"action": "vote"}`: true, `{"type": "list"}`: false,
		`{"type": "payment/delete"}`: true,
	} {
		if got := orders([]byte(body)); got != want {
			t.Errorf("%s: %t, want %t", body, got, want)
		}
	}
}

// TestHarmless: presses that hide what they do under harmless words change nothing on a server; what
// the page posts by itself it may post again.
func TestHarmless(t *testing.T) {
	t.Parallel()
	const host = "http://trap.example"
	tab := start(t, Options{Still: 90 * time.Millisecond})
	for _, c := range []struct{ name, body, want string }{
		{
			"a POST under Show more",
			`<button onclick="fetch('/api/x', {method: 'POST'})">Show more</button>`, "",
		},
		{"a form sent by script", `<button onclick="f.submit()">Show more</button>
			<form id=f method=post action=/x></form>`, ""},
		{"a javascript: address", `<a href="javascript:fetch('/x',{method:'POST'})">Show more</a>`, ""},
		{"a beacon", `<button onclick="navigator.sendBeacon('/api/x', 'a')">Load more</button>`, ""},
		{"a GET that deletes", `<button onclick="fetch('/item/1/delete')">Show more</button>`, ""},
		{"a place that deletes", `<button onclick="location = '/items/deleteAll'">Show more</button>`, ""},
		{"a window that deletes", `<button id=b>Show more</button><script>
			b.onclick = () => window.open('/items/deleteAll')</script>`, ""},
		{
			"a label of what deletes",
			`<input type=checkbox id=c aria-label="Delete it" onchange="fetch('/c')">
				<label for=c>This one</label><label>That one <input type=radio hx-post=/x
				onchange="fetch('/r')"></label>`, "",
		},
		{
			"a drawing",
			`<svg><g style="cursor: pointer" onclick="fetch('/x')"><text y=20>Delete</text></g></svg>`, "",
		},
		{"htmx", `<button hx-post=/x onclick="fetch('/api/x')">Show more</button>`, ""},
		{"Rails", `<a href="#" data-method=delete onclick="fetch('/api/x')">Show more</a>`, ""},
		{
			"a tab",
			`<button role=tab aria-selected=false onclick="fetch('/x',{method:'POST'})">Two</button>`, "",
		},
		{"a fold", `<button aria-expanded=false onclick="fetch('/x',{method:'POST'})">Two</button>`, ""},
		{
			"a banner",
			`<div role=dialog>Cookies<button onclick="fetch('/x',{method:'POST'})">OK</button></div>`, "",
		},
		{
			"stars", `<div><button aria-label="1 star" onclick="fetch('/stars/1')">★</button>
				<button aria-pressed=true>★★</button>
				<button onclick="fetch('/stars/3')">★★★</button></div>
				<button aria-label="5 of 5" onclick="fetch('/stars/5')">★★★★★</button>`, "",
		},
		{
			"buttons whose pictures say it", `<nav><button><i class="fa fa-sign-out">_</i></button>
				<button><img src=/delete.svg height=9></button><button><img alt=Remove height=9></button>
				<button><svg width=9 height=9><title>Delete</title></svg></button>
				<button><svg width=9 height=9><use href="#icon-trash"></use></svg></button>
				<button>🗑</button><button aria-labelledby=l>Yes</button></nav><p id=l>Delete it</p>
				<script>for (const b of document.querySelectorAll('button')) b.onclick = () => fetch('/x')
				</script>`, "GET " + host + "/delete.svg",
		},
		{"a link of the menu", `<nav><a onclick="fetch('/x',{method:'POST'})">Two</a></nav>`, ""},
		{
			"later", `<button
				onclick="setTimeout(() => fetch('/x', {method: 'POST'}), 100)">Load more</button>
			<div style="height:3000px"></div>`, "",
		},
		{
			"a mutation beside queries", `<button onclick="ask('mutation { buy }')">Load more</button><script>
			const ask = q => fetch('/graphql', {method: 'POST', body: q}); ask('query { items }')</script>`,
			"POST " + host + "/graphql query { items }",
		},
		{
			"a page of queries", `<button onclick="ask('query { more }')">Load more</button><script>
			const ask = q => fetch('/graphql', {method: 'POST', body: q}); ask('query { items }')</script>`,
			"POST " + host + "/graphql query { items }\nPOST " + host + "/graphql query { more }",
		},
		{
			"a query, and what is none", `<button
				onclick="ask('{&quot;query&quot;: &quot;{ notes }&quot;}')">One</button>
				<button onclick="ask('{&quot;query&quot;: &quot;notes&quot;}')">Two</button>
				<button
				onclick="ask('{&quot;query&quot;: &quot;query { a } mutation { b }&quot;}')">Three</button>
				<script>const ask = q => fetch('/graphql', {method: 'POST', body: q})</script>`,
			"POST " + host + `/graphql {"query": "{ notes }"}`,
		},
		{
			"a query with arguments", `<button id=b>Delta</button><script>b.onclick = () =>
				fetch('/graphql', {method: 'POST', body: '{"query": "{ news(type: PAYMENT) }"}'})</script>`,
			"POST " + host + `/graphql {"query": "{ news(type: PAYMENT) }"}`,
		},
		{
			"one address for all", `<button
			onclick="ask('{&quot;method&quot;: &quot;item.delete&quot;}')">Alpha</button>
				<button onclick="ask('action=vote_post&id=4')">Beta</button>
				<button id=c>Gamma</button>
				<script>const ask = q => fetch('/rpc', {method: 'POST', body: q});
				c.onclick = () => ask('{"do": "delete"}');
				ask('{"method": "item.list", "of": "delete"}')
				</script>`,
			"POST " + host + `/rpc {"method": "item.list", "of": "delete"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := &web{pages: map[string]string{
				host + "/": "<!doctype html><body><p>words " + c.body, host + "/graphql": "{}",
			}}
			d := drawn(t, tab, host+"/", w)
			got := strings.Join(slices.DeleteFunc(w.log(), func(s string) bool {
				return s == "GET "+host+"/" || strings.HasSuffix(s, "/favicon.ico")
			}), "\n")
			harm := func(l page.Link) bool { return changes(string(l.URL)) }
			if got != c.want || slices.ContainsFunc(d.Links, harm) {
				t.Errorf("asked for %q, want %q; links %v", got, c.want, linksOf(d))
			}
		})
	}
}

// TestFollow: links that the page's own router takes are followed in the page, each once on a host;
// others are not, nor do those that the page hides behind words of harm.
func TestFollow(t *testing.T) {
	t.Parallel()
	const host = "http://split.example"
	menu := `<a href=/a>a</a> <a href=/b>b</a> <a href=/logout>c</a> <a href="http://x.example/">x</a>
		<a href="#5">5</a> <a href="#m">m</a>
		<a href="#6" onclick="event.preventDefault(); location.replace('#6')">6</a>
		<nav><span role=link onclick="go('/c')">d</span></nav><main id=m>words</main>
		<div style="cursor: pointer" onclick="go('/e')">card of <b>e</b></div>
		<a href="javascript:go('/f')">f</a> <a href="#" onclick="window.open('/g'); return false">g</a>
		<a href="javascript:close()">x</a> <a href="#" onclick="history.back()">y</a>
		<a href="javascript:window.close()">z</a> <a href="javascript:open('/h')">h</a>`
	router := `<script type=module>
		window.go = async to => {
			history.pushState({}, '', to);
			m.textContent = (await import('/chunk' + to.slice(1) + '.js')).default;
		};
		document.onclick = e => { const a = e.target.closest('a');
			if (a && a.origin == location.origin && !a.href.includes('#')) { e.preventDefault();
			go(a.pathname) } };
		onpopstate = () => { m.textContent = 'words' };
		onhashchange = () => { location.hash && import('/chunk' + location.hash.slice(1) + '.js') };
	</script>`
	w := &web{pages: map[string]string{host + "/": menu + router, host + "/a": menu + router}}
	for _, name := range []string{"5", "6", "a", "b", "c", "e", "f", "m"} {
		w.pages[host+"/chunk"+name+".js"] = "export default '" + name + "'"
	}
	tab := start(t, Options{Still: 200 * time.Millisecond})
	d := drawn(t, tab, host+"/", w)
	want := []string{
		"GET " + host + "/", "GET " + host + "/chunk5.js", "GET " + host + "/chunk6.js",
		"GET " + host + "/chunka.js", "GET " + host + "/chunkb.js", "GET " + host + "/chunkc.js",
		"GET " + host + "/chunke.js", "GET " + host + "/chunkf.js",
	}
	asked := func() []string {
		return slices.DeleteFunc(w.log(), func(s string) bool { return strings.HasSuffix(s, "/favicon.ico") })
	}
	if got := asked(); !slices.Equal(got, want) {
		t.Errorf("asked for\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(want, "\n "))
	}
	links := linksOf(d)
	for _, link := range []string{
		"/c drawn/history", "/e drawn/history", "/g drawn/window.open", "/h drawn/window.open",
	} {
		if !slices.Contains(links, host+link) {
			t.Errorf("no link %s in %q", link, links)
		}
	}
	if d.Cut != "" || !strings.Contains(d.Text, "words") {
		t.Errorf("text %q, cut %q", d.Text, d.Cut)
	}
	w.asked = nil
	drawn(t, tab, host+"/a", w)
	if got, want := asked(), []string{"GET " + host + "/a"}; !slices.Equal(got, want) {
		t.Errorf("again asked for %q, want %q", got, want)
	}
	plain := &web{pages: map[string]string{host + "/": menu}} // without a router the browser would go
	drawn(t, start(t, Options{}), host+"/", plain)
	for _, q := range plain.log() {
		if q != "GET "+host+"/" && !strings.HasSuffix(q, "/favicon.ico") {
			t.Errorf("asked for %s", q)
		}
	}
}

// TestPressed: text and links that a page shows when something on it is pressed are had, and those of the
// places to which its router leads are not taken for its own. Numbers of pages that bring nothing keep no
// button back.
func TestPressed(t *testing.T) {
	t.Parallel()
	const host = "http://pressed.example"
	w := &web{pages: map[string]string{
		host + "/": `<p>words<div id=l></div><p id=p></p><nav><a href=/a>elsewhere</a></nav><script>
			for (const n of [1, 2])
				l.innerHTML += '<div style="cursor: pointer" class=c id=' + n + '>card ' + n + '</div>';
			l.onclick = async e => { const n = e.target.id; if (!n) return;
				p.textContent = await (await fetch('/' + n + '.json')).text();
				p.innerHTML += '<a href=/of/' + n + '>more of it</a>' };
			document.querySelector('nav').onclick = e => { e.preventDefault();
				history.pushState({}, '', '/a'); p.innerHTML = 'other-page <a href=/of/a>a</a>' };
			onpopstate = () => { p.innerHTML = '' }</script><ul class=pagination>` +
			strings.Join(strings.Split("0123456789", ""), "<li><button>Page ") +
			`</ul><button onclick="fetch('/3.json').then(r => r.text()).then(x => title = x)">Plan</button>`,
		host + "/1.json": "text-of-1", host + "/2.json": "text-of-2", host + "/3.json": "plan",
	}}
	d := drawn(t, start(t, Options{Still: 300 * time.Millisecond}), host+"/", w)
	words, links := wordsOf(d.Text), linksOf(d)
	for _, n := range []string{"1", "2"} {
		if !words["text-of-"+n] || !slices.Contains(links, host+"/of/"+n+" drawn/a/@href") {
			t.Errorf("text %q, links %q", d.Text, links)
		}
	}
	if !slices.Contains(w.log(), "GET "+host+"/3.json") {
		t.Errorf("asked for %q", w.log())
	}
	if words["other-page"] || slices.Contains(links, host+"/of/a drawn/a/@href") {
		t.Errorf("text %q, links %q", d.Text, links)
	}
}

// TestOwn: a page keeps its own title, words and markup, whatever puts another one in its place, and tells
// where that is.
func TestOwn(t *testing.T) {
	t.Parallel()
	const host = "http://routed.example"
	const routes = `<script>const show = () => {
			const two = /two|away/.test(location.href);
			document.title = two ? 'Two' : 'One';
			m.innerHTML = two ? '<p>words-of-two <p>more-words' : 'words-of-one' };
		const go = (how, to) => { history[how + 'State']({}, '', to); show() };
		const stirred = then => addEventListener('wheel', then, {once: true});`
	tab := start(t, Options{Still: 90 * time.Millisecond})
	for name, c := range map[string]struct{ script, link string }{
		"link": {`onpopstate = show; m.insertAdjacentHTML('afterend', '<a id=a href=/two>Next page</a>');
			a.onclick = e => { e.preventDefault(); go('push', '/two') }`, "/two"},
		"link behind a #": {`onpopstate = show;
			m.insertAdjacentHTML('afterend', '<a id=a href="#/two">Next page</a>');
			a.onclick = e => { e.preventDefault(); go('push', '#/two') }`, "/#/two"},
		"button":           {`onpopstate = show; b.onclick = () => go('push', '/two')`, "/two"},
		"button, replaced": {`b.onclick = () => go('replace', '/two')`, "/two"},
		"button, two steps": {`onpopstate = show;
			b.onclick = () => { go('push', '/away'); go('push', '/two') }`, "/two"},
		"button behind a #":   {`onhashchange = show; b.onclick = () => location.hash = '#/two'`, "/#/two"},
		"button, no way back": {`b.onclick = () => go('push', '/two')`, "/two"},
		"button, intercepted": {`navigation.onnavigate = e => e.intercept({handler: async () => show()});
			b.onclick = () => navigation.navigate('/two')`, "/two"},
		"tab": {`onpopstate = show; b.ariaSelected = 'false'; b.role = 'tab'; b.textContent = 'of it';
			b.onclick = () => go('push', '/two')`, "/two"},
		"by itself":            {`onpopstate = show; stirred(() => go('push', '/two'))`, "/two"},
		"by itself, replaced":  {`stirred(() => go('replace', '/two'))`, "/two"},
		"by itself behind a #": {`onhashchange = show; stirred(() => location.hash = '/two')`, "/#/two"},
		"scroll": {`onpopstate = show; m.style.height = '3000px';
			addEventListener('scroll', () => go('push', '/two'), {once: true})`, "/two"},
		"nothing": {`stirred(() => open('about:blank', '_self'))`, ""},
		"blob": {`stirred(() => location = URL.createObjectURL(new Blob(
			['<title>Two</title>words-of-two'], {type: 'text/html'})))`, ""},
		"script": {`stirred(() => location = 'javascript:"<title>Two</title>words-of-two"')`, ""},
		"frame": {`stirred(() => m.insertAdjacentHTML('afterend',
			'<iframe srcdoc="<script>top.location=\'/two\'</scr' + 'ipt>"></iframe>'))`, "/two"},
		"grown": {`stirred(() => { history.replaceState({}, '', '/two'); document.title = 'Two';
			m.insertAdjacentHTML('afterend', '<p>more of it than there was before') })`, "/two"},
		"grown, with a clock": {
			`b.after('a page that says much more than its clock does. '.repeat(9));
			stirred(() => { history.replaceState({}, '', '/two'); document.title = 'Two';
				b.textContent = '12:01';
				m.insertAdjacentHTML('afterend', '<p>' + 'more of it than there was before '.repeat(9)) })`,
			"/two",
		},
	} {
		w := &web{pages: map[string]string{host + "/": `<title>One</title><main id=m>words-of-one</main>
			<button id=b>Next</button>` + routes + c.script + `</script>`}}
		d := drawn(t, tab, host+"/", w)
		own := d.Title == "One" && strings.Contains(d.Markup, ">words-of-one<")
		if !own || !wordsOf(d.Text)["words-of-one"] || wordsOf(d.Text)["words-of-two"] {
			t.Errorf("%s: title %q, text %q, %s", name, d.Title, d.Text, d.Markup)
		}
		if strings.HasPrefix(name, "grown") && (d.Cut != "" || !wordsOf(d.Text)["before"]) {
			t.Errorf("%s: text %q, %s", name, d.Text, d.Cut)
		}
		told := linksOf(d)
		for _, p := range d.Places {
			told = append(told, p.URL)
		}
		if !strings.Contains(strings.Join(told, " ")+" ", host+c.link+" ") && c.link != "" {
			t.Errorf("%s: %q are told", name, told)
		}
	}
}

// TestEach: of what takes presses, whatever it says and whether it says anything, each is pressed, on
// each page where that has a server asked; handlers that take elements away do no harm by that, and lists
// of forms by which an article is put together are gone through.
func TestEach(t *testing.T) {
	t.Parallel()
	const host = "http://buttons.example"
	const get = `<main></main><script>const get = async x => {
		document.querySelector('main').textContent += ' ' + await (await fetch(x)).text(); };</script>`
	goods := get + `<div role=dialog><p>We use cookies</p><div style="cursor: pointer"
			onclick="this.parentNode.remove(); get('/agreed.json')">Accept all</div></div>
		<form action=/order method=post>
			<select onchange="get(%[1]s + value + '.json')"><option>oak<option>elm</select>
			<input name=n type=text hidden disabled></form>
		<form action=/order method=post>
			<select onchange="get(%[1]s + value + '.json')"><option>ash<option>fir</select>
			<button>go on</button></form>
		<form><select onchange="get(%[1]s + value + '.json')"><option>yew<option>bay</select></form>
		<form action=/go>
			<select onchange="get(%[1]s + value + '.json')"><option>no<option>never</select></form>
		<form><select onchange="get(%[1]s + value + '.json')"><option>no<option>never</select>
			<button>go</button></form>
		<button onclick="get(%[1]s + 'size.json')">Size 5</button>
		<button onclick="get(%[1]s + 'twin1.json')">Of this</button>
		<button onclick="get(%[1]s + 'twin2.json')">Of this</button>
		<button onclick="get(%[1]s + 'twin3.json')">Of this</button>
		<button onclick="get(%[1]s + 'twin4.json')">Of this</button>
		<button onclick="get(%[1]s + 'twin5.json')">Of this</button>
		<button onclick="get(%[1]s + 'twin6.json')">Of this</button>
		<button onclick="cart.removeItem(get('/removed.json'))">None of it</button>
		<img role=button alt=Marker width=9 height=9 onclick="get(%[1]s + 'mark.json')">
		<svg width=9 height=9><circle r=9 style="cursor: pointer" onclick="get(%[1]s + 'disc.json')" /></svg>
		<i style="cursor: pointer" onclick="get(%[1]s + 'dot1.json')">&bull;</i>
		<i style="cursor: pointer" onclick="get(%[1]s + 'dot2.json')">&bull;</i>
		<input type=radio id=r onchange="get(%[1]s + 'radio.json')"><label for=r>Seen from behind</label>
		<ul role=tree><li role=treeitem aria-expanded=false onclick="get(%[1]s + 'leaf.json')">Branch
			<li role=treeitem>Twig <b role=button onclick="get(%[1]s + 'twig.json')">+</b></ul>
		<p hx-get=/seen hx-trigger=revealed onclick="get('/no.json')">Comes when it is seen</p>
		<a href="#" onclick="return false">nothing</a>`
	w := &web{pages: map[string]string{host + "/agreed.json": "agreed"}, slow: true}
	var want []string
	for _, of := range []string{"/a-", "/b-"} {
		w.pages[host+of] = fmt.Sprintf(goods, "'"+of+"'")
		const names = "ash bay disc dot1 dot2 fir leaf mark radio size twig " +
			"twin1 twin2 twin3 twin4 twin5 twin6 yew"
		for _, name := range strings.Fields(names) {
			w.pages[host+of+name+".json"] = "of" + of + name
			want = append(want, "GET "+host+of+name+".json")
		}
	}
	want = append(want, "GET "+host+"/agreed.json")
	slices.Sort(want)
	tab := start(t, Options{Still: 200 * time.Millisecond})
	for _, of := range []string{"/a-", "/b-"} {
		d := drawn(t, tab, host+of, w)
		if d.Cut != "" || !wordsOf(d.Text)["of"+of+"size"] || len(d.Places) > 0 {
			t.Errorf("cut %q, places %v, text %q", d.Cut, d.Places, d.Text)
		}
	}
	got := slices.DeleteFunc(w.log(), func(s string) bool { return !strings.HasSuffix(s, ".json") })
	if !slices.Equal(got, want) {
		t.Errorf("asked for\n %s\nwant\n %s", strings.Join(got, "\n "), strings.Join(want, "\n "))
	}
}
