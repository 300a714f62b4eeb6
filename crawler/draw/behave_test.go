package draw

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"watershed/page"
)

// wordsOf gives the words of a text, each once.
func wordsOf(text string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(text) {
		words[w] = true
	}
	return words
}

// TestOpened: of tabs and accordions of which one is open at a time, each is opened alone, and what it
// asked for and showed is had.
func TestOpened(t *testing.T) {
	t.Parallel()
	const host = "http://tabs.example/"
	const load = `const load = async (to, name) => { to.innerHTML = '';
		const text = await (await fetch('/' + name + '.json')).text();
			if (name === now) to.textContent = text };
		let now; const names = ['one', 'two', 'three', 'four']; `
	tab := start(t, Options{})
	for name, markup := range map[string]string{
		"tabs": `<div role=tablist id=l></div><div id=p></div><script>` + load + `const go = n => { now = n;
			for (const t of l.children) t.ariaSelected = t.textContent === n; load(p, n) };
			l.innerHTML = names.map(m => '<button role=tab>' + m + '</button>').join('');
			l.onclick = e => go(e.target.textContent); go('one')</script>`,
		"first tab there": `<div role=tablist id=l></div><p id=p>first</p><script>` + load +
			`const go = n => { now = n; for (const t of l.children) t.ariaSelected = t.textContent === n;
			load(p, n) };
			l.innerHTML = names.map(m => '<button role=tab>' + m + '</button>').join('');
			for (const t of l.children) t.ariaSelected = t === l.firstChild;
			l.onclick = e => go(e.target.textContent)</script>`,
		"tabs by the mouse": `<div role=tablist id=l></div><div id=p></div><script>` + load + `
			const go = n => { now = n; for (const t of l.children) t.ariaSelected = t.textContent === n;
			load(p, n) };
			l.innerHTML = names.map(m => '<button role=tab>' + m + '</button>').join('');
			l.onmousedown = e => e.button || go(e.target.textContent); go('one')</script>`,
		"lists by the pointer": `<div id=l></div><div id=p></div><script>` + load + `
			l.innerHTML = names.map(m => '<div role=combobox aria-expanded=false>' + m + '</div>').join('');
			l.onpointerdown = e => load(p, now = e.target.textContent)</script>`,
		"details": `<div id=l></div><script>` + load + `for (const n of names) {
			const d = document.createElement('details'); d.name = 'a';
			d.innerHTML = '<summary>' + n + '</summary><p></p>';
			d.ontoggle = () => { d.lastChild.textContent = ''; if (d.open) load(d.lastChild, now = n) };
			l.append(d) }</script>`,
		"accordion": `<div id=l></div><script>` + load + `let planned;
			l.innerHTML = names.map(m => '<button aria-expanded=false>' + m + '</button><p></p>').join('');
			const draw = () => { planned = 0; for (const b of l.querySelectorAll('button')) {
				const open = b.textContent === now; b.ariaExpanded = open; b.nextSibling.textContent = '';
				if (open) load(b.nextSibling, now) } };
			l.onclick = e => { now = e.target.textContent; planned = planned || setTimeout(draw) }</script>`,
		"clear buttons": `<style>button { opacity: 0 }</style><div id=l></div><p id=p></p><script>` + load + `
			l.innerHTML = names.map(m => m + '<button aria-expanded=false>' + m + '</button>').join('');
			l.onclick = e => load(p, now = e.target.textContent)</script>`,
		"list": `<select id=l></select><div id=p></div><script>` + load + `
			l.innerHTML = names.map(m => '<option>' + m).join('');
			l.onchange = () => load(p, now = l.value); l.onchange()</script>`,
		"list in place of a select": `<button id=b aria-haspopup=listbox aria-expanded=false>one</button>
			<div id=p></div><script>` + load + `b.onclick = () => { const u = document.createElement('ul');
			u.role = 'listbox'; b.ariaExpanded = true;
			u.innerHTML = names.concat('delete it').map(m => '<li role=option aria-selected=' +
				(m === b.textContent) + '>' + m).join('');
			u.onclick = e => { u.remove(); b.ariaExpanded = false;
			load(p, now = b.textContent = e.target.textContent) }; document.body.append(u) };
			load(p, now = 'one')</script>`,
		"buttons": `<div id=l></div><div id=p></div><script>` + load + `const go = n => { now = n;
			for (const t of l.children) t.className = t.textContent === n ? 'tab is-active' : 'tab';
			load(p, n) };
			l.innerHTML = names.map(m => '<button>' + m + '</button>').join('');
			l.onclick = e => go(e.target.textContent); go('one')</script>`,
		"links": `<ul id=l></ul><div id=p></div><script>` + load + `const go = n => { now = n;
			for (const t of l.children) t.className = t.textContent === n ? 'current' : ''; load(p, n) };
			l.innerHTML = names.map(m => '<li><a href="#">' + m + '</a>').join('');
			l.onclick = e => { e.preventDefault(); go(e.target.textContent) }; go('one')</script>`,
		"folded": `<div id=l></div><script>` + load + `
			for (const m of names)
				l.innerHTML += '<a href="#' + m + '">' + m + '</a><p hidden id=' + m + '></p>';
			l.onclick = e => { for (const p of l.querySelectorAll('p')) p.hidden = true;
			const p = document.querySelector(e.target.hash); p.hidden = false;
			load(p, now = e.target.textContent) }</script>`,
		"panels beside the page": `<style>p { position: fixed; visibility: hidden }</style><div id=l></div>
			<script>` + load + `for (const m of names)
				l.innerHTML += '<a href="#' + m + '">' + m + '</a><p id=' + m + '>_</p>';
			l.onclick = e => { for (const p of l.querySelectorAll('p')) p.style.visibility = '';
			const p = document.querySelector(e.target.hash); p.style.visibility = 'visible';
			load(p, now = e.target.textContent) }</script>`,
		"dialogs": `<div id=l></div><dialog id=d><p></p></dialog><script>` + load + `
			l.innerHTML = names.map(m => '<button aria-haspopup=dialog>' + m + '</button>').join('');
			l.onclick = e => { d.open || d.showModal();
			load(d.firstChild, now = e.target.textContent) }</script>`,
	} {
		w := &web{pages: map[string]string{host: markup}}
		var want []string
		for _, n := range []string{"one", "two", "three", "four"} {
			w.pages[host+n+".json"] = "text-of-" + n
			want = append(want, "text-of-"+n)
		}
		d := drawn(t, tab, host, w)
		for _, word := range want {
			if !wordsOf(d.Text)[word] {
				t.Errorf("%s: no %q in %q; asked for %q", name, word, d.Text, w.log())
			}
		}
		if slices.Contains(w.log(), "GET "+host+"delete it.json") {
			t.Errorf("%s: an entry that deletes was chosen", name)
		}
	}
}

// TestZoomed: pictures that the pointer shows to grow when they are pressed are pressed.
func TestZoomed(t *testing.T) {
	t.Parallel()
	const host = "http://pictures.example/"
	w := &web{pages: map[string]string{
		host: `<p>words<div id=l></div><img id=p><script>
		for (const n of [1, 2])
			l.innerHTML += '<img width=90 height=90 style="cursor:zoom-in" src=' + n + '.png>';
		l.onclick = e => { p.src = e.target.src.replace('.png', '-large.png') }</script>`,
		host + "1.png": "p", host + "2.png": "p", host + "1-large.png": "p", host + "2-large.png": "p",
	}}
	drawn(t, start(t, Options{Still: 200 * time.Millisecond}), host, w)
	for _, want := range []string{"GET " + host + "1-large.png", "GET " + host + "2-large.png"} {
		if !slices.Contains(w.log(), want) {
			t.Errorf("not asked for %s, but for %q", want, w.log())
		}
	}
}

// TestRows: text and links of rows that a list shows for as long as they are in view are had, also where
// it writes other rows into the same elements.
func TestRows(t *testing.T) {
	t.Parallel()
	const host = "http://rows.example/"
	const list = `<div id=box style="height: 600px; overflow: auto"><div style="height: 9000px">
		<div id=rows style="position: sticky; top: 0"></div></div></div><script>`
	tab := start(t, Options{Still: 300 * time.Millisecond})
	for name, markup := range map[string]string{
		"other elements": list + `const draw = () => { rows.innerHTML = '';
			const n = Math.floor(box.scrollTop / 60);
			for (let i = n; i < n + 10; i++)
				rows.innerHTML += '<div style="height: 60px"><a href="/row/' + i + '">row-' + i + '</a>' };
			box.onscroll = draw; draw()</script>`,
		"the same": list + `for (let i = 0; i < 10; i++)
				rows.innerHTML += '<div style="height: 60px"><a>.</a></div>';
			const all = rows.querySelectorAll('a'); const draw = () => {
			const n = Math.floor(box.scrollTop / 60);
			for (let i = 0; i < 10; i++) {
				all[i].firstChild.data = 'row-' + (n + i); all[i].setAttribute('href', '/row/' + (n + i)) } };
			box.onscroll = draw; draw()</script>`,
		"in a shadow": `<div id=host></div><script>const root = host.attachShadow({mode: 'open'});
			root.innerHTML = '<div style="height: 600px; overflow: auto"><div style="height: 9000px">' +
				'<div style="position: sticky; top: 0"></div></div></div>';
			const box = root.firstChild, rows = box.firstChild.firstChild;
			const draw = () => { rows.innerHTML = ''; const n = Math.floor(box.scrollTop / 60);
			for (let i = n; i < n + 10; i++)
				rows.innerHTML += '<div style="height: 60px"><a href="/row/' + i + '">row-' + i + '</a>' };
			box.onscroll = draw; draw()</script>`,
	} {
		d := drawn(t, tab, host, &web{pages: map[string]string{host: markup}})
		words, links := wordsOf(d.Text), linksOf(d)
		lost := 0
		for i := range 150 {
			n := strconv.Itoa(i)
			if !words["row-"+n] || !slices.Contains(links, host+"row/"+n+" drawn/a/@href") {
				lost++
			}
		}
		if lost > 0 {
			t.Errorf("%s: %d of 150 rows are lost, %d links", name, lost, len(links))
		}
	}
}

// TestButtons: what a button opens by an attribute of its own is opened.
func TestButtons(t *testing.T) {
	t.Parallel()
	const host = "http://buttons.example/"
	w := &web{pages: map[string]string{host: `<button popovertarget=a>A</button><div id=a popover
		ontoggle="fetch('/a.json')"></div>
		<button popovertarget=b>B</button><div id=b popover ontoggle="fetch('/b.json')"></div>
		<button commandfor=c command=show-modal>C</button>
		<dialog id=c onbeforetoggle="fetch('/c.json')"></dialog>
		<button commandfor=d command=show-popover>D</button>
		<div id=d popover ontoggle="fetch('/d.json')"></div>
		<button commandfor=d command=hide-popover>hide</button>
		<p>words</p>`}}
	d := drawn(t, start(t, Options{Still: 300 * time.Millisecond}), host, w)
	for _, name := range []string{"a", "b", "c", "d"} {
		if !slices.Contains(w.log(), "GET "+host+name+".json") {
			t.Errorf("%s was not opened", name)
		}
	}
	if strings.Contains(d.Markup, `<dialog id="c" open`) {
		t.Errorf("markup %s", d.Markup)
	}
}

// TestClosedRoots: text, links and buttons in shadow trees that are closed to the page's other scripts
// are seen, and these do not see how.
func TestClosedRoots(t *testing.T) {
	t.Parallel()
	const host = "http://closed.example/"
	w := &web{pages: map[string]string{host: `<my-box></my-box><p id=p></p><script>
		new MutationObserver(l => fetch('/seen.json?' + l.length)).observe(document, {childList: true,
			subtree: true});
		class Box extends HTMLElement { constructor() { super();
			const r = this.attachShadow({mode: 'closed'}); if (r.childNodes.length) fetch('/seen.json?x');
			r.innerHTML = 'closed-words <a href="/there">there</a><button aria-expanded=false>terms</button>';
			r.querySelector('button').onclick = () => fetch('/terms.json') } }
		customElements.define('my-box', Box);
		if (document.querySelector('my-box').shadowRoot || !/native/.test(Element.prototype.attachShadow))
			fetch('/seen.json?y');
	</script>`, host + "terms.json": "{}"}}
	d := drawn(t, start(t, Options{Still: 300 * time.Millisecond}), host, w)
	if !wordsOf(d.Text)["closed-words"] || !strings.Contains(d.Markup, "closed-words") {
		t.Errorf("text %q, markup %s", d.Text, d.Markup)
	}
	if got := linksOf(d); !slices.Equal(got, []string{host + "there drawn/a/@href"}) {
		t.Errorf("links %q", got)
	}
	got := slices.DeleteFunc(w.log(), func(s string) bool { return strings.HasSuffix(s, "/favicon.ico") })
	if !slices.Equal(got, []string{"GET " + host, "GET " + host + "terms.json"}) {
		t.Errorf("asked for %q", got)
	}
}

// TestHeld: a hand is held back by whole words, and not by letters within others.
func TestHeld(t *testing.T) {
	t.Parallel()
	const host = "http://held.example/"
	held := strings.Split("Delete|Delete all|Remove…|Sign out|Logout|Order now|Reorder|Pre-order|PayPal|"+
		"Add to cart|AddToCart|Like|Unlike|Upvote|Rate this|Unsubscribe|Share|Löschen|Jetzt kaufen|"+
		"In den Warenkorb|S’abonner|Se déconnecter|Déconnexion|Supprimer|Eliminar|Cerrar sesión|Esci|"+
		"Verwijderen|In winkelwagen|Abonnieren|Download|Resend|Newsletter|block_user|Удалить|Invia|"+
		"削除する|今すぐ購入|立即购买|"+
		"Usuń konto|Kup teraz|Wyloguj się|Zagłosuj|Wyślij|Zamów|Subskrybuj|Do koszyka|"+
		"Smazat|Koupit|Odhlásit se|Hlasovat|Odeslat|Objednat|Odebírat|Do košíku|"+
		"Sil|Satın al|Çıkış yap|Oy ver|Gönder|Sipariş ver|Abone ol|Sepete ekle|İndir|"+
		"Excluir|Comprar agora|Terminar sessão|Enviar|Encomendar|Subscrever|Adicionar ao carrinho|Curtir|"+
		"Bestellen|Koop nu|Afmelden|Versturen|Inschrijven|Afrekenen|"+
		"Cancella|Acquista ora|Disconnettiti|Vota|Ordina|Iscriviti|Condividi|"+
		"Ta bort|Köp|Logga ut|Rösta|Skicka|Beställ|Prenumerera|Lägg i varukorgen|"+
		"Удали аккаунт|Купить сейчас|Выход|Проголосовать|"+
		"Отправь|Заказать|Подписаться|В корзину|"+
		"Видалити|Підписатися|로그아웃|장바구니에 담기|"+
		"Obriši|Odjava|Izbriši|Изтрий|Изход|Поръчай|Обриши|Ištrinti|Atsijungti|Pirkti|Dzēst|Iziet|Kustuta|"+
		"Logi välja|Hapus|Keluar|Xóa|Đăng xuất|ลบ|ออกจากระบบ|हटाएं|लॉग आउट|Zmazať|Odhlásiť|Kúpiť|Esborra|"+
		"Deconectare|Votează|Törlés|Kijelentkezés|Kirjaudu ulos|Ψήφισε|サインアウト|注销|خروج|"+
		"訂閱|تسجيل الخروج|התנתקות|"+
		"Close account|Accept invitation|Book now|Save|Publish|Mark as spam|Einladung annehmen|Jetzt buchen|"+
		"Kündigen|Rejoindre|Quitter le groupe|Zrušit účet|Uložit|Dołącz|Zamknij konto|退会する|保存|انضم|حفظ", "|")
	harmless := strings.Fields("Strategy Borders Disorders Corporate Likely Cartography Reporters " +
		"Shareholders Printemps Nachteilen Blockchain Paysages Followers Descartes Devotees Koopman Votive " +
		"Preiselbeeren Panierung Rescission Sender Обвыйтить Silencio Kupka Ostatni Orderly Delar Votação " +
		"Обкупить Удаль Ködern Segundo Stampede Silindir " +
		"Volgende Bookings Saved Publications Leaves Pins 保存修復 Quitte Registers")
	var markup strings.Builder
	for _, w := range append(slices.Clone(held), harmless...) {
		markup.WriteString(`<p><button class=active disabled></button>
			<button onclick="fetch('/' + textContent + '.json')">` + w + "</button>")
	}
	w := &web{pages: map[string]string{host: `<meta charset=utf-8>` + markup.String()}}
	drawn(t, start(t, Options{Still: 200 * time.Millisecond}), host, w)
	asked := strings.Join(w.log(), "\n")
	for _, list := range [][]string{held, harmless} {
		for _, word := range list {
			u, err := url.Parse(host + word + ".json")
			if err != nil {
				t.Fatal(err)
			}
			pressed := strings.Contains(asked, "GET "+u.String())
			if hold := slices.Contains(held, word); pressed == hold {
				t.Errorf("%q: pressed %t", word, pressed)
			}
		}
	}
}

// TestHeadings: what says that it leads to a place, or opens something, does so also under the words of an
// order, as tabs, menus and what folds have them.
func TestHeadings(t *testing.T) {
	t.Parallel()
	const host = "http://headings.example/"
	press := func(name string) string { return ` onclick="fetch('/` + name + `.json')">` }
	w := &web{pages: map[string]string{host: `<div role=tablist>
		<button role=tab aria-selected=true>About</button>
		<button role=tab aria-selected=false` + press("tab") + `Donate</button></div>
		<button aria-expanded=false` + press("fold") + `Reserve</button>
		<button aria-haspopup=menu` + press("menu") + `Leave</button>
		<ul><li class=active>Us<li><a href="#f"` + press("folded") + `Spenden</a></ul><p hidden id=f>words</p>
		<nav><button` + press("nav") + `Join now</button></nav>
		<span role=link` + press("link") + `Invite</span>
		<div><button class="tab active">Us</button><button class=tab` + press("plain") + `Flag</button></div>
		<button` + press("start") + `Start</button><button` + press("no") + `Reply</button>`}}
	drawn(t, start(t, Options{Still: 90 * time.Millisecond}), host, w)
	got := strings.Join(w.log(), "\n")
	for name, want := range map[string]bool{
		"tab": true, "fold": true, "menu": true, "folded": true, "nav": true, "link": true, "no": false,
		"plain": true, "start": true,
	} {
		if strings.Contains(got, "/"+name+".json") != want {
			t.Errorf("%s: asked for\n%s", name, got)
		}
	}
}

// TestMore: a word that means "more" in one language is none within a word of another. Carousels that ask for
// nothing more keep none of it back.
func TestMore(t *testing.T) {
	t.Parallel()
	const host = "http://more.example/"
	const slides = `<button onclick="title += '!'"><i class="fa fa-chevron-right">_</i></button>`
	w := &web{pages: map[string]string{host: `<button onclick="fetch('/no.json')">Customers</button>
		<button onclick="n < 3 && fetch('/n' + n++ + '.json')"><i class="fa fa-chevron-right">_</i></button>
		` + strings.Repeat(slides, 6) + `<button onclick="fetch('/no.json')">Maisons</button>
		<button onclick="hidden = true; fetch('/yes.json')">Mehr laden</button>
		<div style="cursor: pointer" onclick="i < 3 && fetch('/i' + i++ + '.json')">Load more</div>
		<a href="" onclick="event.preventDefault(); hidden = ++k > 2; fetch('/k' + k + '.json')">Show more</a>
		<div title="Next page" style="height: 9px" onpointerup="l < 3 && fetch('/l' + l++ + '.json')"></div>
		<div title="Next page" onpointerup="fetch('/no.json')">It has words</div>
		<button aria-label="Go to next page" onclick="o < 3 && fetch('/o' + o++ + '.json')"></button>
		<button onclick="q < 3 && fetch('/q' + q++ + '.json')">Zur nächsten Seite</button>
		<button onclick="r < 3 && fetch('/r' + r++ + '.json')">Página siguiente ›</button>
		<button onclick="fetch('/no.json')">In next to no time</button>
		<button title="Next picture" onclick="m < 3 && fetch('/m' + m++ + '.json')">→</button>
		<script>let i = 0, k = 0, l = 0, m = 0, n = 0, o = 0, q = 0, r = 0</script>`}}
	opt := Options{Still: 200 * time.Millisecond, Follow: -1, PageTime: 5 * time.Minute}
	drawn(t, start(t, opt), host, w)
	got := strings.Join(w.log(), "\n")
	for _, want := range []string{"yes", "i2", "k3", "l2", "m2", "n2", "o2", "q2", "r2"} {
		if !strings.Contains(got, want+".json") {
			t.Errorf("not asked for %s", want)
		}
	}
	if strings.Contains(got, "no.json") {
		t.Errorf("asked for\n%s", got)
	}
}

// TestCalendar: a calendar, which has no end, is turned back by a month, and on from there for a year. An
// arrow back that has no other beside it may leave the page.
func TestCalendar(t *testing.T) {
	t.Parallel()
	const host = "http://months.example/"
	w := &web{pages: map[string]string{host: `<div><div><button onclick="fetch('/home.json')"><i
		class=arrow-left>_</i></button></div></div><p>words<button aria-label="Next month"
		onclick="fetch('/' + ++n + '.json')">&gt;</button><button title="Previous month"
		aria-label="Previous month" onclick="fetch('/' + --n + '.json')"></button>
		<script>let n = 0</script>`}}
	drawn(t, start(t, Options{Still: 90 * time.Millisecond, Follow: -1}), host, w)
	got := strings.Join(w.log(), "\n")
	for month, want := range map[string]bool{"-1": true, "11": true, "12": false, "home": false} {
		if strings.Contains(got, "/"+month+".json") != want {
			t.Errorf("month %s: asked for\n%s", month, got)
		}
	}
}

// TestTurned: the pages of a list are turned by their numbers or an arrow, also where a script writes them
// anew; numbers that rate something are left alone.
func TestTurned(t *testing.T) {
	t.Parallel()
	const host = "http://lists.example/"
	const draw = `<p id=p></p><script>let at = 1; const load = async n => { at = n;
		p.textContent = await (await fetch('/' + n + '.json')).text() };`
	tab := start(t, Options{Still: 200 * time.Millisecond})
	for name, c := range map[string]struct {
		markup string
		turns  bool
	}{
		"written anew": {`<div class=pager id=g></div>` + draw + `const go = n => { g.innerHTML =
			[n - 1, n, n + 1].map(i => i > 0 && i < 7 ? '<button class="' + (i === n ? 'active' : '') +
			'">' + i + '</button>' : '').join(''); load(n) };
			g.onclick = e => go(+e.target.textContent); go(1)`, true},
		"a menu of links": {`<nav><ul class=pagination id=g></ul></nav>` + draw + `
			for (let i = 1; i < 7; i++) g.innerHTML += '<li><a href="#">' + i + '</a>';
			const go = n => { [...g.children].forEach((x, i) => x.className = i + 1 === n ? 'active' : '');
			load(n) }; g.onclick = e => { e.preventDefault(); go(+e.target.textContent) }; go(1)`, true},
		"an arrow": {`<div class=list-paging id=g><button id=b>›</button></div>` + draw + `
			b.onclick = () => { load(at + 1); b.disabled = at > 5 }; load(1)`, true},
		"an arrow whose picture has a name": {`<div id=g><button id=b class=slick-next><svg width=9 height=9>
			<title>Chevron Right</title></svg></button></div>` + draw + `
			b.onclick = () => { load(at + 1); b.disabled = at > 5 }; load(1)`, true},
		"a rating": {`<div class=rating id=g></div>` + draw + `for (let i = 1; i < 7; i++)
			g.innerHTML += '<button class="' + (i === 1 ? 'active' : '') + '">' + i + '</button>';
			g.onclick = e => load(e.target.textContent); load(1)`, false},
	} {
		w := &web{pages: map[string]string{host: c.markup + "</script>"}}
		for i := 1; i < 7; i++ {
			w.pages[host+strconv.Itoa(i)+".json"] = "text-of-" + strconv.Itoa(i)
		}
		words := wordsOf(drawn(t, tab, host, w).Text)
		for i := 2; i < 7; i++ {
			if words["text-of-"+strconv.Itoa(i)] != c.turns {
				t.Errorf("%s: page %d, %q", name, i, w.log())
			}
		}
	}
}

// TestNames: fields and pictures whose names are those of properties, and elements of other languages that
// have names of HTML's and lack their properties, hide nothing of a page.
func TestNames(t *testing.T) {
	t.Parallel()
	tab := start(t, Options{Still: 90 * time.Millisecond})
	for i, markup := range []string{
		`<form><input name=children><input name=attributes><input name=title>
			<button type=button class=active>one</button><button type=button>two</button></form>`,
		`<img name=title src="data:,"><form name=images></form><form name=body></form>`,
		`<form><input name=parentElement><input name=matches><a href=#>one</a></form>`,
		`<svg><a href="#gone"><text y=20>gone</text></a></svg>`,
		`<svg id=s width=90 height=90></svg><script>for (const is of ["2000/svg", "1998/Math/MathML", ""])
			for (const n of "a,canvas,details,dialog,iframe,img,input,select,slot,style,video,x-y".split(","))
				s.append(document.createElementNS(is && "http://www.w3.org/" + is, n))</script>`,
	} {
		host := "http://names" + strconv.Itoa(i) + ".example/"
		w := &web{pages: map[string]string{host: `<title>names</title>` + markup + `
			<button onclick="fetch('/pressed.json')">Press</button><a href=/c>c</a>`}}
		d := drawn(t, tab, host, w)
		asked, links := w.log(), linksOf(d)
		if d.Cut != "" || d.Title != "names" || !slices.Contains(links, host+"c drawn/a/@href") ||
			!strings.Contains(d.Markup, "Press") || !slices.Contains(asked, "GET "+host+"pressed.json") {
			t.Errorf("%s: cut %q, title %q, links %q, asked for %q", markup, d.Cut, d.Title, links, asked)
		}
	}
}

// TestStepFails: a page on which a step ends by an exception is told as drawn in part, and the others are
// done.
func TestStepFails(t *testing.T) {
	t.Parallel()
	const host = "http://fails.example/"
	w := &web{pages: map[string]string{host: `<form><input name=getAttribute><a href="#/place">to it</a>
		</form><p id=p></p><script>onhashchange = () => p.textContent = 'placed'</script>`}}
	d := drawn(t, start(t, Options{Still: 90 * time.Millisecond}), host, w)
	if !strings.HasPrefix(d.Cut, "step('hover'): TypeError: ") || len(d.Places) != 1 || d.Markup == "" {
		t.Errorf("cut %q, places %q", d.Cut, d.Places)
	}
}

// TestDeep: a tree that is deeper than calls may be is read.
func TestDeep(t *testing.T) {
	t.Parallel()
	const host = "http://deep.example/"
	w := &web{pages: map[string]string{host: `<body>words<script>let e = document.createElement('div');
		e.innerHTML = 'deep-words <a href=/x>x';
		for (let i = 0; i < 20000; i++) { const f = document.createElement('div'); f.append(e); e = f }
		e.style.display = 'none'; document.body.append(e)</script>`}}
	d := drawn(t, start(t, Options{Still: 200 * time.Millisecond}), host, w)
	if !wordsOf(d.Text)["deep-words"] || len(d.Links) != 1 {
		t.Errorf("text %.100q, links %q, cut %q", d.Text, linksOf(d), d.Cut)
	}
}

// TestApart: what a page goes on asking for while it is closed, or has asked for in a flood, is none of
// the next page's.
func TestApart(t *testing.T) {
	t.Parallel()
	const host = "http://flood.example/"
	tab := start(t, Options{Still: 200 * time.Millisecond, PageTime: 3 * time.Second, Requests: 100})
	for _, script := range []string{
		`let n = 0; setInterval(() => { for (let i = 0; i < 200; i++) fetch('/x' + n++).catch(() => 0) }, 1)`,
		`for (let i = 0; i < 5; i++) { const go = () => fetch('/poll' + i).then(go, go); go() }`,
	} {
		w := &web{pages: map[string]string{
			host: "<p>words<script>" + script + "</script>", host + "next": "<p>words of the next",
		}}
		for range 3 {
			drawn(t, tab, host, w)
			d := drawn(t, tab, host+"next", w)
			// that a busy machine took long for the page is no fault
			flooded := d.Cut != "" && !strings.HasPrefix(d.Cut, "it was not quiet")
			if len(d.Asked) > 2 || flooded || d.Text != "words of the next" {
				t.Errorf("%.60s: %d requests, cut %q, text %q", script, len(d.Asked), d.Cut, d.Text)
			}
		}
	}
}

// TestFrames: what frames of the page's own origin show is text of the page, and links in them are its
// links; they are scrolled and opened as the page is, and their links are not followed in them.
func TestFrames(t *testing.T) {
	t.Parallel()
	const host = "http://frames.example/"
	w := &web{pages: map[string]string{
		host: `<title>t</title><p>outer-words<iframe src=/inner height=300></iframe>
			<iframe srcdoc="<p>written-words <a href=/written>w</a>"></iframe>
			<object type=text/html data=/object></object><embed src=/plan.svg>
			<iframe sandbox srcdoc="<p>boxed-words <a href=/of-box>b</a>"></iframe>
			<iframe src="data:text/html,data-words"></iframe>`,
		host + "object": "<p>object-words <a href=/of-object>o</a>",
		host + "plan.svg": `<svg xmlns="http://www.w3.org/2000/svg"><a href="/of-plan"><text>plan-words` +
			"</text></a></svg>",
		host + "inner": `<title>inner-title</title><p>inner-words <a href=deep/er>link</a>
			<details><summary>more</summary><p>folded-words<img src=/folded.png loading=lazy></details>
			<div style="height:3000px"></div><p id=end></p><iframe src=/innermost></iframe>
			<script>new IntersectionObserver(x => x[0].isIntersecting && (end.textContent = 'end-words'))
			.observe(end)</script>`,
		host + "innermost": "innermost-words", host + "folded.png": "p",
	}}
	d := drawn(t, start(t, Options{Still: 200 * time.Millisecond}), host, w)
	words := wordsOf(d.Text)
	for _, want := range []string{
		"outer-words", "inner-words", "written-words", "folded-words", "end-words", "innermost-words",
		"object-words", "plan-words", "boxed-words", "data-words",
	} {
		if !words[want] {
			t.Errorf("no %s in %q", want, d.Text)
		}
	}
	if words["inner-title"] || d.Title != "t" {
		t.Errorf("title %q, text %q", d.Title, d.Text)
	}
	want := []string{
		host + "deep/er drawn/a/@href", host + "of-box drawn/a/@href", host + "of-object drawn/a/@href",
		host + "of-plan drawn/a/@href", host + "written drawn/a/@href",
	}
	if got := linksOf(d); !slices.Equal(got, want) {
		t.Errorf("links %q", got)
	}
	if got := strings.Join(w.log(), "\n"); strings.Contains(got, "deep/er") {
		t.Errorf("asked for\n%s", got)
	}
}

// TestForeignFrames: in frames of other origins, too, a banner is agreed to, and what comes at their end
// or is folded is had; their text is none of the page, and nothing is pressed there that asks for no consent.
func TestForeignFrames(t *testing.T) {
	t.Parallel()
	const host = "http://frames.example/"
	w := &web{pages: map[string]string{
		host: `<p>outer-words<iframe id=f src=http://banner.example/ height=300></iframe><p id=p></p>
			<iframe src=http://film.example/ height=300></iframe><script>onmessage = async () => {
			f.remove(); p.textContent = await (await fetch('/agreed.json')).text() };
			new Worker(URL.createObjectURL(new Blob(["fetch('` + host + `worked.json')"])))</script>`,
		host + "worked.json": "{}",
		host + "agreed.json": "agreed-words",
		"http://banner.example/": `<p>We use cookies.</p><button onclick="fetch('/no.json')">Reject</button>
			<button onclick="parent.postMessage('yes', '*')">Accept all</button>`,
		"http://film.example/": `<p>inner-words<button onclick="fetch('/no.json')">Accept</button>
			<div style="height:3000px"></div><details><summary>more</summary>
			<img src=/folded.png loading=lazy></details><script>
			addEventListener('scroll', () => fetch('/scrolled.json'), {once: true})</script>`,
		"http://film.example/scrolled.json": "{}", "http://film.example/folded.png": "p",
	}}
	d := drawn(t, start(t, Options{Still: 200 * time.Millisecond}), host, w)
	if d.Text != "outer-words agreed-words" {
		t.Errorf("text %q", d.Text)
	}
	got := strings.Join(w.log(), "\n")
	for _, want := range []string{"agreed.json", "worked.json", "scrolled.json", "folded.png"} {
		if !strings.Contains(got, want) {
			t.Errorf("not asked for %s", want)
		}
	}
	if strings.Contains(got, "no.json") {
		t.Errorf("asked for\n%s", got)
	}
}

// TestVariants: pictures that the browser had to choose among, and those that rules of scripts name for
// other windows, belong to the page.
func TestVariants(t *testing.T) {
	t.Parallel()
	const host = "http://sizes.example/"
	w := &web{pages: map[string]string{host: `<base href=/sub/><div id=l></div><my-x id=x></my-x><script>
		l.innerHTML = '<picture><source media="(max-width:600px)" sizes="calc(100vw - 20px)" ' +
			'srcset="phone.png 320w, phone2.png 640w"><img srcset="a.png, a2.png 2x,a3.png 3x" src=f.png>' +
			'</picture><img srcset="data:image/png;base64,AAA= 1x, /b,c.png 2x">';
		const s = document.createElement('style'); document.head.append(s);
		s.sheet.insertRule('@media (max-width: 500px) { p { background: url(small.png) } }');
		const sheet = new CSSStyleSheet(); sheet.replaceSync('a:hover { background: url("/hover.png") }');
		x.attachShadow({mode: 'closed'}).adoptedStyleSheets = [sheet]</script>`}}
	d := drawn(t, start(t, Options{Still: 200 * time.Millisecond}), host, w)
	want := []string{
		host + "b,c.png drawn/img/@srcset", host + "hover.png drawn/style",
		host + "sub/a.png drawn/img/@srcset", host + "sub/a2.png drawn/img/@srcset",
		host + "sub/a3.png drawn/img/@srcset", host + "sub/phone.png drawn/source/@srcset",
		host + "sub/phone2.png drawn/source/@srcset", host + "sub/small.png drawn/style",
	}
	if got := linksOf(d); !slices.Equal(got, want) {
		t.Errorf("links %q", got)
	}
	for _, l := range d.Links {
		if l.Kind != page.Embed {
			t.Errorf("%s is a link of kind %c", l.URL, l.Kind)
		}
	}
}

// TestStirs: scripts that wait for the mouse or its wheel are met, those that wait for some
// seconds, and rows that are scrolled sideways and slides behind an arrow.
func TestStirs(t *testing.T) {
	t.Parallel()
	const host = "http://stirs.example/"
	w := &web{pages: map[string]string{host: `<p>words</p>
		<div style="width:300px;overflow-x:auto;white-space:nowrap">
			<span style="display:inline-block;width:2000px"></span><span id=end>e</span></div>
		<video id=film></video>
		<button aria-label="Next slide" onclick="n < 3 && fetch('/slide' + n++ + '.json')">›</button><script>
		let n = 0;
		for (const kind of ['mousemove', 'pointermove', 'mouseover', 'wheel'])
			addEventListener(kind, () => fetch('/' + kind + '.json'), {once: true});
		film.onplay = () => setTimeout(() => fetch('/later.json'), 3000);
		new IntersectionObserver(x => x[0].isIntersecting && fetch('/sideways.json')).observe(end)</script>`}}
	drawn(t, start(t, Options{Still: 200 * time.Millisecond, Follow: -1}), host, w)
	got := strings.Join(w.log(), "\n")
	for _, name := range []string{
		"mousemove", "pointermove", "mouseover", "wheel", "later", "sideways", "slide2",
	} {
		if !strings.Contains(got, host+name+".json") {
			t.Errorf("not asked for %s", name)
		}
	}
}

// TestWordless: what the pointer shows to take presses is pressed though it has no words, as a picture
// that stands for a film; buttons only if they play or turn something, for others may rate it. Of such that
// say the same each is, also where they are gone then.
func TestWordless(t *testing.T) {
	t.Parallel()
	const host = "http://films.example/"
	w := &web{pages: map[string]string{host: `<p>words</p><style>lite-film {display: block; height: 100px;
		cursor: pointer}</style><lite-film film=a></lite-film><lite-film film=b></lite-film><script>
		for (const e of document.querySelectorAll('lite-film'))
			e.onclick = () => fetch('/' + e.getAttribute('film') + '.json')</script>
		<button onclick="fetch('/c.json')">▶</button>
		<button onclick="fetch('/d.json')" class=btnNext><svg width=9 height=9></svg></button>
		<button onclick="fetch('/e.json')"><i class="fa fa-chevron-right">_</i></button>
		<button onclick="fetch('/no.json')"><i class="fa fa-thumbs-up">_</i></button>
		<button onclick="fetch('/no.json')">♥</button><button onclick="fetch('/no.json')">▲</button>
		<button onclick="fetch('/f.json'); this.remove()">Film</button>
		<button onclick="fetch('/g.json'); this.remove()">Film</button>
		<button onclick="fetch('/h.json'); this.remove()">Film</button>`}, slow: true}
	drawn(t, start(t, Options{Still: 200 * time.Millisecond, Follow: 20}), host, w)
	got := strings.Join(w.log(), "\n")
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		if !strings.Contains(got, host+name+".json") {
			t.Errorf("not asked for %s", name)
		}
	}
	if strings.Contains(got, "no.json") {
		t.Errorf("asked for\n%s", got)
	}
}

// TestTransformed: a document in XML is looked at as its style sheet shows it, which puts another
// one in its place.
func TestTransformed(t *testing.T) {
	t.Parallel()
	const host = "http://xml.example/"
	w := &web{pages: map[string]string{
		host + "list.xml": `<?xml-stylesheet type="text/xsl" href="list.xsl"?><list n="7"/>`,
		host + "list.xsl": `<x:stylesheet version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform">
			<x:template match="list"><html><body><a href="{@n}.xml">seven</a><script
			src="list.js"/></body></html></x:template></x:stylesheet>`,
		host + "list.js": `fetch('/words.json')`,
	}}
	d := drawn(t, start(t, Options{Still: 200 * time.Millisecond}), host+"list.xml", w)
	if !wordsOf(d.Text)["seven"] || !slices.Contains(w.log(), "GET "+host+"words.json") ||
		!slices.Contains(linksOf(d), host+"7.xml drawn/a/@href") {
		t.Errorf("text %q, links %q, asked for %q", d.Text, linksOf(d), w.log())
	}
}

// TestInterfaces: a script that first looks whether it may notify finds what any browser has, and draws.
func TestInterfaces(t *testing.T) {
	t.Parallel()
	const u = "http://notifies.example/"
	w := &web{pages: map[string]string{
		u: "<script>document.write('<p>drawn, ' + Notification.permission)</script>",
	}}
	d := drawn(t, start(t, Options{Still: 200 * time.Millisecond}), u, w)
	if !strings.HasPrefix(d.Text, "drawn, ") || strings.Contains(d.Text, "granted") {
		t.Errorf("text %q, errors %q", d.Text, d.Errors)
	}
}

// TestParted: words stay whole that scripts or elements within a line have parted, and no others grow
// together.
func TestParted(t *testing.T) {
	t.Parallel()
	const u = "http://words.example/"
	w := &web{pages: map[string]string{u: `<p id=p></p><p>H<sub>2</sub>O <b>w</b>hole<wbr>some</p><p>end</p>
		<div style="display: flex"><span>Home</span><span>About</span></div>
		<a>one</a><a>two</a>a<br>b<i> c</i>d
		<button aria-expanded=false onclick="p.innerHTML = ''">Less</button>
		<script>for (const x of ['Mill', 7, ' of ', 9]) p.append(x)</script>`}}
	d := drawn(t, start(t, Options{Still: 200 * time.Millisecond}), u, w)
	if want := "H2O wholesome end Home About one two a b cd Less Mill7 of 9"; d.Text != want {
		t.Errorf("text %q, want %q", d.Text, want)
	}
}

// TestHover: the mouse goes over menus and links, over a few of each shape, and over more where these bring
// something, and into fields of searches, but not over what leads out; a page that is loaded ahead for that
// is not asked for.
func TestHover(t *testing.T) {
	t.Parallel()
	const host = "http://hover.example/"
	w := &web{pages: map[string]string{host: `<nav><ul><li id=a><a href=/a>A</a><li id=b><a href=/b>B</a></ul>
		</nav><p id=l></p><p><a class=ahead href=/no.json>ahead</a>
		<a class=out href=/logout>Log out</a></p>
		<p id=x hx-get=/no.json hx-trigger=mouseenter>part</p>
		<x-island onmouseenter="fetch('/island.json')">island</x-island>
		<form role=search><input type=text id=s></form>
		<form><input type=text id=n></form><script>
		matchMedia('(hover: hover) and (pointer: fine)').matches && fetch('/mouse.json');
		s.onfocus = () => fetch('/focused.json'); n.onfocus = () => fetch('/no.json');
		l.onmouseenter = () => fetch('/around.json'); l.onmouseleave = () => fetch('/away.json');
		document.body.onmouseleave = () => fetch('/no.json');
		x.onmouseenter = () => fetch('/part.json');
		a.onmouseenter = () => fetch('/entered.json'); b.onpointerenter = () => fetch('/pointed.json');
		for (let i = 0; i < 9; i++) l.innerHTML += '<a class=term href=/t' + i + '>term</a> ';
		document.onmouseover = e => {
			if (e.target.className === 'term') fetch('/preview' + e.target.pathname + '.json');
			if (e.target.className === 'out') fetch('/no.json');
			if (e.target.className === 'ahead') { const ahead = document.createElement('link');
				ahead.rel = 'prefetch'; ahead.href = e.target.href;
				document.head.append(ahead) } }</script>`}}
	drawn(t, start(t, Options{Still: 300 * time.Millisecond}), host, w)
	got := strings.Join(w.log(), "\n")
	const all = "mouse around away part island entered pointed focused preview/t0 preview/t8"
	for _, want := range strings.Fields(all) {
		if !strings.Contains(got, want+".json") {
			t.Errorf("not asked for %s", want)
		}
	}
	if strings.Contains(got, "no.json") {
		t.Errorf("asked for\n%s", got)
	}
}

// TestGone: a page is drawn whole that takes links away as the mouse goes over them, or all of itself.
func TestGone(t *testing.T) {
	t.Parallel()
	const host = "http://gone.example/"
	tab := start(t, Options{Still: 90 * time.Millisecond})
	for _, script := range []string{
		`p.onmouseover = e => { e.target.remove(); p.innerHTML += '<a href=/b>b</a>' }`,
		`p.onmouseover = () => document.documentElement.remove()`, `document.documentElement.remove()`,
	} {
		w := &web{pages: map[string]string{
			host: "<p id=p>words <a href=/a>a</a><script>" + script + "</script>",
		}}
		if d := drawn(t, tab, host, w); d.Cut != "" {
			t.Errorf("%s: %s, text %q", script, d.Cut, d.Text)
		}
	}
}

// TestConsent: banners are agreed to in the words of many languages, and an agreement is preferred to
// what refuses it; also by the button of a dialog's form, which sends nothing. Some banners show to no
// browser that is driven by a program, or has a name that is not known.
func TestConsent(t *testing.T) {
	t.Parallel()
	const host = "http://banner.example/"
	agree := strings.Split("Accept all|Yes, I agree|Allow all cookies|Alle akzeptieren|"+
		"Alle Cookies zulassen|Ja, ich stimme zu|Tout accepter|J’accepte|Aceptar todas|"+
		"Accetta tutti|Aceitar todos|Alles toestaan|Tillåt alla|Godkänn alla|"+
		"Tillad alle|Zaakceptuj wszystkie|Přijmout vše|Tümünü kabul et|Принять все|全部接受|Got it|"+
		"Yes|18 or over|I am 21+|Enter site|That's ok|De acuerdo|C'est bon.|Va bene così|Tamam|"+
		"Povoliť|Erlaube alle Cookies|Sta alle cookies toe|Aksepter alle|Aktsepteeri kõik küpsised|"+
		"Autoriser tous les cookies|Acceptați toate|Επέτρεψε|Cho phép|تقبل كل شيء", "|")
	tab := start(t, Options{Still: 90 * time.Millisecond})
	for words := range slices.Chunk(agree, 3) {
		markup := `<meta charset=utf-8><p>words</p>`
		for i, w := range words {
			markup += `<div class=banner style="position: fixed; inset: 0" hidden><p>Cookies</p>
				<button onclick="fetch('/no.json')">Continue without accepting</button>
				<button onclick="fetch('/no.json')">Under 18</button>
				<button onclick="fetch('/no.json')">Je n’accepte pas</button>
				<button onclick="fetch('/no.json')">Non accetto</button>
				<button onclick="fetch('/yes` + strconv.Itoa(i) + `.json'); next()">` + w + `</button></div>`
		}
		w := &web{pages: map[string]string{host: markup + `<script>const all =
			[...document.querySelectorAll('.banner')], next = () => { const gone = all.shift();
			if (gone !== undefined && !gone.hidden) gone.remove(); all[0] && (all[0].hidden = false) };
			all[0].hidden = navigator.webdriver ||
				!/^Mozilla.* Chrome.*watershed.*crawl.example/.test(navigator.userAgent)</script>`}}
		drawn(t, tab, host, w)
		asked := strings.Join(w.log(), "\n")
		for i, word := range words {
			if !strings.Contains(asked, "yes"+strconv.Itoa(i)+".json") {
				t.Errorf("%q was not pressed", word)
			}
		}
		if strings.Contains(asked, "no.json") {
			t.Errorf("of %q one was refused", words)
		}
	}
	w := &web{pages: map[string]string{host: `<dialog id=d><form method=dialog><p>Are you over 18?
		<button>No</button><button value=yes>Yes</button></form></dialog><p id=p></p><script>d.showModal();
		d.onclose = () => p.textContent = 'left by ' + d.returnValue</script>`}}
	if d := drawn(t, tab, host, w); !strings.HasSuffix(d.Text, "left by yes") {
		t.Errorf("text %q", d.Text)
	}
}

// TestWheel: a picture that a script paints is shown at the next scale by the wheel, where it has no button
// for that, and then as before.
func TestWheel(t *testing.T) {
	t.Parallel()
	const host = "http://scan.example"
	w := &web{pages: map[string]string{
		host + "/": `<!doctype html><title>Scan</title><canvas id=c width=512 height=512></canvas>
<canvas width=300 height=300></canvas>
<script>
let scale = 2;
const show = () => fetch('/tiles/' + scale + '.json');
c.onwheel = e => { e.preventDefault(); scale -= Math.sign(e.deltaY); show(); };
show();
</script>`,
		host + "/tiles/2.json": "{}", host + "/tiles/3.json": "{}",
	}}
	drawn(t, start(t, Options{Still: 300 * time.Millisecond}), host+"/", w)
	want := "GET " + host + "/\nGET " + host + "/tiles/2.json\nGET " + host + "/tiles/3.json"
	if got := strings.Join(w.log(), "\n"); got != want {
		t.Errorf("asked for\n%s\nwant\n%s", got, want)
	}
}

// TestRises: what comes above the first lines of a talk, which its script has shown at its end, is had.
func TestRises(t *testing.T) {
	t.Parallel()
	const host = "http://talk.example/"
	tab := start(t, Options{Still: 300 * time.Millisecond})
	for name, markup := range map[string]string{
		"in a box": `<div id=l style="height: 400px; overflow: auto"></div><script>const box = l, on = l`,
		"the page": `<!doctype html><div id=l></div>
			<script>const box = document.documentElement, on = document`,
	} {
		w := &web{pages: map[string]string{host: markup + `; let n = 9, busy;
			const load = async () => { if (busy || !n) return; busy = true;
			const text = await (await fetch('/' + n-- + '.json')).text(), before = box.scrollHeight;
			l.insertAdjacentHTML('afterbegin', '<p style="height: 900px">' + text + '</p>');
			box.scrollTop += box.scrollHeight - before; busy = false };
			load().then(load).then(() => { box.scrollTop = 1e6;
			setTimeout(() => { on.onscroll = () => box.scrollTop < 50 && load() }, 50) })</script>`}}
		for n := range 10 {
			w.pages[host+strconv.Itoa(n)+".json"] = "text-of-" + strconv.Itoa(n)
		}
		d := drawn(t, tab, host, w)
		if !wordsOf(d.Text)["text-of-1"] {
			t.Errorf("%s: text %q", name, d.Text)
		}
	}
}

// TestArticles: a page that shows the next article at its end, under an address of its own, leads to each.
func TestArticles(t *testing.T) {
	t.Parallel()
	const host = "http://paper.example/"
	w := &web{pages: map[string]string{host + "1": `<!doctype html><body id=b>
		<p style="height: 1500px">one</p><script>
		let n = 1, busy;
		onscroll = async () => { if (busy || n > 3 || innerHeight + scrollY < b.scrollHeight - 50) return;
			busy = true; const text = await (await fetch('/part' + ++n)).text();
			b.insertAdjacentHTML('beforeend', '<p style="height: 1500px">' + text);
			history.replaceState(0, '', '/' + n); busy = false }</script>`}}
	for _, n := range []string{"2", "3", "4"} {
		w.pages[host+"part"+n] = "text-of-" + n
	}
	d := drawn(t, start(t, Options{Still: 300 * time.Millisecond}), host+"1", w)
	for _, n := range []string{"2", "3", "4"} {
		if !wordsOf(d.Text)["text-of-"+n] || !slices.Contains(linksOf(d), host+n+" drawn/history") {
			t.Errorf("of article %s: text %q, links %q", n, d.Text, linksOf(d))
		}
	}
}

// TestWhole: what shows itself when all of it is in view is had, though a window is not much taller.
func TestWhole(t *testing.T) {
	t.Parallel()
	const host = "http://tall.example/"
	w := &web{pages: map[string]string{host: `<!doctype html><div id=l></div><script>
		for (let i = 0; i < 7; i++)
			l.innerHTML += '<p id=p' + i + ' style="margin: 130px 0; height: ' + (640 + i * 8) + 'px">';
		const o = new IntersectionObserver(list => { for (const x of list) if (x.isIntersecting)
			x.target.textContent = 'text-of-' + x.target.id }, {threshold: 1});
		for (const p of l.children) o.observe(p)</script>`}}
	d := drawn(t, start(t, Options{Still: 300 * time.Millisecond}), host, w)
	for i := range 7 {
		if want := "text-of-p" + strconv.Itoa(i); !wordsOf(d.Text)[want] {
			t.Errorf("no %s in %q", want, d.Text)
		}
	}
}
