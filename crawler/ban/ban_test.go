package ban

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"watershed/page"
)

// visit is what a host answers to a page.
func visit(u string, status int, title string, links int) *page.Visit {
	v := &page.Visit{URL: page.URL(u), Status: status, Title: title, MIME: "text/html", Hops: "L"}
	for i := range links {
		v.Links = append(v.Links, page.Link{
			URL: page.URL(fmt.Sprintf("%sl%d", v.URL.Root(), i)), Kind: page.Navigation,
		})
	}
	return v
}

// TestWatch: what makes an origin doubted, and what does not.
func TestWatch(t *testing.T) {
	page7 := func(v *page.Visit) []*page.Visit { return slices.Repeat([]*page.Visit{v}, 7) }
	row := func(status int, title string, links int) (list []*page.Visit) {
		for i := range 3 {
			list = append(list, visit(fmt.Sprintf("http://a.example/%d", i), status, title, links))
		}
		return list
	}
	good := visit("http://a.example/good", 200, "Good", 9)
	with := func(list []*page.Visit, change func(*page.Visit)) []*page.Visit {
		for _, v := range list {
			change(v)
		}
		return list
	}
	size := int64(0)
	for _, c := range []struct {
		name   string
		before *page.Visit
		row    []*page.Visit
		due    bool
	}{
		{"refusals", good, row(403, "", 0), true},
		{"a server that is broken", good, row(500, "", 0), true},
		{"tests for humans", good, row(200, "Are you human?", 1), true},
		{"a menu around the same words", good, row(200, "Back soon", 4), true},
		{"a menu without a title", good, row(200, "", 4), true},
		{"pages of one title with links", good, with(row(200, "Reports", 4), func(v *page.Visit) {
			v.Links = append(v.Links, page.Link{URL: v.URL + "/more", Kind: page.Navigation})
		}), false},
		{"pages that do not exist", good, row(404, "", 0), false},
		{"a host that never gave a page", nil, row(403, "", 0), false},
		{
			"pages that all have one title", visit("http://a.example/good", 200, "Reports", 0),
			row(200, "Reports", 0), false,
		},
		{"one page again and again", good, page7(row(403, "", 0)[0]), false},
		{"parts of pages", good, with(row(403, "", 0), func(v *page.Visit) { v.Hops = "LE" }), false},
		{"what was made up", good, with(row(403, "", 0), func(v *page.Visit) { v.Hops = "I" }), false},
		{
			"what was had with a login", good,
			with(row(403, "", 0), func(v *page.Visit) { v.Login = "x" }), false,
		},
		{"a page behind a redirect", with([]*page.Visit{visit(string(good.URL), 200, "Good", 9)},
			func(v *page.Visit) { v.Hops = "LR" })[0], row(403, "", 0), false},
		{"data", with([]*page.Visit{visit(string(good.URL), 200, "", 0)}, func(v *page.Visit) {
			v.MIME = "application/json"
		})[0], row(403, "", 0), false},
		{"a page without links", visit(string(good.URL), 200, "Good", 0), row(403, "", 0), true},
		{
			"pages of one title, some with links", visit(string(good.URL), 200, "Reports", 9),
			with(row(200, "Reports", 0), func(v *page.Visit) { size += 100; v.Size = size }), false,
		},
		{
			"a notice under the title of all pages", visit(string(good.URL), 200, "Reports", 3),
			func() (list []*page.Visit) {
				for i := range usualRow * leastRow {
					v := visit(fmt.Sprintf("http://a.example/%d", i), 200, "Reports", 0)
					v.Size = 640 + int64(i)
					list = append(list, v)
				}
				return list
			}(), true,
		},
		{"redirects, and the page that they lead to", good, func() (list []*page.Visit) {
			for i := range 3 {
				u, in := fmt.Sprintf("http://a.example/%d", i), visit("http://a.example/in", 200, "In", 4)
				list = append(list, visit(u, 302, "", 0), in)
				list[2*i].Links = []page.Link{{URL: in.URL, Kind: page.Redirect}}
				in.Hops, in.Via = "LR", page.URL(u)
			}
			return list
		}(), true},
		{"another origin", visit("https://a.example/good", 200, "Good", 9), row(403, "", 0), false},
	} {
		w := New()
		if c.before != nil {
			w.Learn(c.before)
		}
		for _, v := range c.row {
			w.Learn(v)
		}
		if got := w.Due("http://a.example/next", false); got != "" != c.due || c.due && got != good.URL {
			t.Errorf("%s: due is %q", c.name, got)
		}
		if w.Due("http://a.example/next", true) != "" {
			t.Errorf("%s: a part waits", c.name)
		}
	}
}

// TestStrays: a host whose sessions end, and which gives every second page without one, is asked for all that
// it refused until it gives them.
func TestStrays(t *testing.T) {
	const pages, lasts, most = 150, 3, 400
	for name, refuse := range map[string]func(*page.Visit){
		"a redirect": func(v *page.Visit) {
			v.Status, v.Links = 302, []page.Link{{URL: "http://a.example/?expired", Kind: page.Redirect}}
		},
		"a notice": func(v *page.Visit) { v.Title = "Session expired" },
	} {
		w, home := New(), visit("http://a.example/", 200, "Home", 9)
		w.Learn(home)
		w.SetsCookies(home.URL)
		had, left, asked, queue := map[page.URL]bool{}, 0, 0, []page.URL{}
		for i := range pages {
			queue = append(queue, page.URL(fmt.Sprintf("http://a.example/%d", i)))
		}
		for ; len(queue) > 0 && asked < most; asked++ {
			u := queue[0]
			if w.Due(u, false) != "" {
				_, row := w.Judge(home)
				queue, left = append(queue[1:], append(row.URLs, u)...), lasts
				continue
			}
			v := visit(string(u), 200, string(u), 1)
			if at := u[len(u)-1]; at%2 == 0 {
				had[u] = true
			} else if left--; left < 0 {
				refuse(v)
			} else {
				had[u] = true
			}
			w.Learn(v)
			if queue = queue[1:]; len(queue) == 0 {
				queue = w.Last()
			}
		}
		if len(had) < pages {
			t.Errorf("%s: %d of %d pages by %d requests", name, len(had), pages, asked)
		}
	}
}

// TestStraysOfNoSession: rows that other pages ended are asked for again, behind the page that was given, of
// a host that sets cookies, or of which nobody knows whether it does; of others, three of the pages are.
func TestStraysOfNoSession(t *testing.T) {
	for want, learn := range map[string]func(*Watch, *page.Visit){
		"http://a.example/r0 http://a.example/r2 http://a.example/r4": (*Watch).Learn,
		"http://a.example/r0": (*Watch).Relearn,
	} {
		w := New()
		learn(w, visit("http://a.example/", 200, "Home", 9))
		for i := range 5 {
			learn(w, visit(fmt.Sprintf("http://a.example/r%d", i), 403, "", 0))
			learn(w, visit(fmt.Sprintf("http://a.example/%d", i), 200, fmt.Sprint(i), 0))
		}
		if got := w.Last(); fmt.Sprint(got) != "["+want+"]" {
			t.Errorf("asked for %q, want %q", got, want)
		}
	}
}

// TestJudge: an origin that refuses gives back what it refused, parts of pages too; each proof that it
// does not doubles the row that it takes.
func TestJudge(t *testing.T) {
	w := New()
	good := visit("http://a.example/good", 200, "Good", 9)
	learn := func(n int, hops string) {
		for i := range n {
			v := visit(fmt.Sprintf("http://a.example/%s%d", hops, i), 403, "", 0)
			v.Hops = hops
			w.Learn(v)
		}
	}
	w.Learn(good)
	for need := 3; need <= 200; need *= 2 {
		learn(min(need, mostRow)-1, "L")
		if w.Due("http://a.example/x", false) != "" {
			t.Fatalf("due before %d", need)
		}
		learn(min(need, mostRow), "L")
		if w.Due("http://a.example/x", false) != good.URL {
			t.Fatalf("not due at %d", need)
		}
		if is, row := w.Judge(good); is != Gives || row.Refused {
			t.Fatalf("%v %v", is, row)
		}
	}
	learn(mostRow, "L")
	learn(5, "LE")
	if is, _ := w.Judge(visit(string(good.URL), 503, "", 0)); is != Unknown {
		t.Fatalf("after 503 it is %v", is)
	}
	for _, c := range []struct {
		status int
		want   Verdict
	}{{403, Refuses}, {-2, Unknown}} {
		is, row := w.Judge(visit(string(good.URL), c.status, "", 0))
		if n := len(w.Refused("http://a.example/x")); is != c.want || row.URLs != nil || n != mostRow+5 {
			t.Fatalf("after %d: %v, %v, refused %d", c.status, is, row, n)
		}
	}
	if w.Due("http://a.example/x", true) != good.URL {
		t.Fatal("parts do not wait for an origin that refuses")
	}
	if is, row := w.Judge(good); is != Gives || !row.Refused || len(row.URLs) != mostRow+5 {
		t.Fatalf("%v %d", is, len(row.URLs))
	}
	if w.Due("http://a.example/x", false) != "" || w.Refused("http://a.example/x") != nil {
		t.Fatal("still due")
	}
}

// TestSessionsThatEnd: where a row that was given back is answered otherwise now, the next one is no longer
// than the first, and at the end a single page is enough, once.
func TestSessionsThatEnd(t *testing.T) {
	w := New()
	good := visit("http://a.example/good", 200, "Good", 9)
	const next = page.URL("http://a.example/next")
	refuse := func(from, n int) {
		for i := range n {
			w.Learn(visit(fmt.Sprintf("http://a.example/%d", from+i), 403, "", 0))
		}
	}
	w.Learn(good)
	for round := range 3 {
		if refuse(10*round, leastRow); w.Due(next, false) == "" {
			t.Fatalf("round %d: not due", round)
		}
		_, row := w.Judge(good)
		for _, u := range row.URLs {
			w.Learn(visit(string(u), 200, string(u), 9))
		}
	}
	if refuse(50, 1); len(w.Last()) != 1 || w.Due(next, false) == "" {
		t.Error("the last page is not asked for again")
	}
	w.Judge(good)
	if refuse(60, 1); len(w.Last()) != 0 {
		t.Error("there is no end of it")
	}
}

// TestRefusesEachTimeButOne: a host that gives one page after each rest, the one that it is asked for to see
// whether it does, is not asked for ever for those that it refuses then, by one answer or by each in turn.
// The pages that stay so are lost.
func TestRefusesEachTimeButOne(t *testing.T) {
	for _, answers := range []int{1, 3} {
		w, good := New(), visit("http://a.example/good", 200, "Good", 9)
		w.Learn(good)
		w.change(good.URL, func(o *origin) { o.need = 4 - answers })
		queue, asked := []page.URL{"http://a.example/0", "http://a.example/1", "http://a.example/2"}, 0
		for title, rested := "", false; len(queue) > 0 && asked < 1000; asked++ {
			u := queue[0]
			if w.Due(u, false) == "" {
				title = fmt.Sprint("Too fast ", int(u[len(u)-1])%answers)
				w.Learn(visit(string(u), 200, title, 0))
				queue = queue[1:]
			} else if !rested {
				w.Judge(visit(string(good.URL), 200, title, 0))
				rested = true
			} else {
				_, row := w.Judge(good)
				queue, rested = append(queue[1:], append(row.URLs, u)...), false
			}
			if len(queue) == 0 {
				queue = w.Last()
				w.NotFound()
			}
		}
		if lost := w.Lost(); len(lost) != 3 || asked > 200 {
			t.Errorf("%d answers: %d of 3 pages are lost after %d requests", answers, len(lost), asked)
		}
	}
}

// TestRefusesNowAndThen: a host that refuses who asks too fast, again and again, and gives all that it
// refused soon after, is watched to the end of its pages, and those that are for members are not lost.
func TestRefusesNowAndThen(t *testing.T) {
	w, good := New(), visit("http://a.example/good", 200, "Good", 9)
	w.Learn(good)
	members := []page.URL{"http://a.example/members", "http://a.example/members/2"}
	for _, u := range members {
		w.Learn(visit(string(u), 403, "Forbidden", 0))
	}
	w.Learn(visit("http://a.example/better", 200, "Better", 9))
	for round := range mostOfRows/leastRow + 2*mostSpared {
		for i := range leastRow {
			w.Learn(visit(fmt.Sprintf("http://a.example/%d/%d", round, i), 403, "Forbidden", 0))
		}
		if w.Due("http://a.example/next", false) == "" {
			t.Fatalf("round %d: not due", round)
		}
		w.Judge(visit(string(good.URL), 403, "Forbidden", 0))
		_, row := w.Judge(good)
		for _, u := range append(row.URLs, page.URL(fmt.Sprintf("http://a.example/%d", round))) {
			w.Learn(visit(string(u), 200, string(u), 9))
		}
	}
	for again := members; len(again) > 0; again = w.Last() {
		for _, u := range again {
			w.Learn(visit(string(u), 403, "Forbidden", 0))
		}
		w.NotFound()
	}
	if lost := w.Lost(); len(lost) > 0 {
		t.Errorf("%q are lost", lost)
	}
}

// TestAlive: an origin that fails in a row is asked for what it gave, and no more where it gives nothing
// else.
func TestAlive(t *testing.T) {
	w := New()
	good := visit("http://a.example/good", 200, "Good", 9)
	due := func(slowed bool) page.URL { return w.Alive("http://a.example/x", slowed) }
	if due(false) != "" {
		t.Error("an origin that gave nothing is asked for something")
	}
	for range 2 {
		w.Learn(good)
		for i := range mostAlive {
			if due(false) != good.URL || (due(true) == good.URL) != (i < mostSlowed) {
				t.Fatalf("found alive %d times, due %q, slowed %q", i, due(false), due(true))
			}
			w.FoundAlive(good.URL)
		}
		if due(false) != "" {
			t.Error("it is asked for ever")
		}
	}
}

// TestLast: each origin that may refuse the crawler is told of once, and once more when it is doubted anew.
func TestLast(t *testing.T) {
	w := New()
	learn := func(host string, n int) {
		w.Learn(visit("http://"+host+"/good", 200, "Good", 9))
		for i := range n {
			w.Learn(visit(fmt.Sprintf("http://%s/%d", host, i), 403, "", 0))
		}
	}
	learn("few.example", 2)
	learn("a.example", 3)
	for _, want := range []string{"[http://a.example/0]", "[]"} {
		if got := fmt.Sprint(w.Last()); got != want {
			t.Errorf("told %s, want %s", got, want)
		}
	}
	w.Judge(visit("http://a.example/good", 200, "Good", 9))
	learn("a.example", 6)
	if got := fmt.Sprint(w.Last()); got != "[http://a.example/0]" {
		t.Errorf("doubted anew, told %s", got)
	}
}

// TestBounds: the documented bound holds where all hosts mean harm.
func TestBounds(t *testing.T) {
	w, used := New(), func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, long := used(), strings.Repeat("x", maxURL-40)
	for host := range 6000 {
		for i := range mostRow + 1 {
			v := visit(fmt.Sprintf("http://h%d.example/%d%s", host, i, long), 403, "", 0)
			if i == 0 {
				v = visit(string(v.URL), 200, "", 9)
			}
			w.Learn(v)
			v.URL, v.Hops = v.URL+"e", "LE"
			w.Learn(v)
		}
	}
	if n := int64(used()) - int64(before); n > 150<<20 {
		t.Errorf("%d MiB are kept", n>>20)
	}
	for i := range 70 { // hosts that are all known by then
		for host := range 2000 {
			w.Learn(visit(fmt.Sprintf("http://m%d.example/%d%s", host, i, long), 404, "", 0))
		}
	}
	if n := int64(used()) - int64(before); n > 150<<20 {
		t.Errorf("%d MiB are kept of pages that were not found", n>>20)
	}
	for host := range 5 * maxHosts {
		w.Learn(visit(fmt.Sprintf("http://g%d.example/", host), 200, "", 9))
	}
	if n := int64(used()) - int64(before); n > 20<<20 {
		t.Errorf("%d MiB are kept of short URLs", n>>20)
	}
	runtime.KeepAlive(w)
}

// TestMissed: pages that did not change count as given, as in harvests of the same site, and what
// was not found is told once, and again after each time that some of it is asked for.
func TestMissed(t *testing.T) {
	w := New()
	var told []int
	for i := range 40 {
		v := visit(fmt.Sprintf("http://a.example/%d", i), 304, "", 9)
		if i < 3 {
			v.Status = 404
		}
		w.Learn(v)
		if i == 3 || i == 39 {
			told = append(told, len(w.NotFound()[404]), len(w.Last()), len(w.NotFound()[404]), len(w.Last()))
		}
	}
	if !slices.Equal(told, []int{3, 3, 3, 0, 0, 0, 0, 0}) || !w.Missed("http://a.example/2") ||
		w.Missed("http://a.example/3") {
		t.Errorf("told %v", told)
	}
}

// TestMissing: of an origin that finds a good part of its pages only now and then, or answers them alike, all
// are asked for until none is found any more; of others few, once.
func TestMissing(t *testing.T) {
	const at = "http://a.example/x"
	number, sorry, numbered := 1, visit(at, 200, "Sorry", 1), visit(at, 200, "", 0)
	own := visit(at, 200, "Untitled Document", 1)
	numbered.Size, own.Size = 90, 900
	numbered.Links = []page.Link{{URL: "http://a.example/favicon.ico", Kind: page.Embed, Context: "favicon"}}
	cut := visit(at, 200, "", 1)
	cut.Size, cut.Unended = 900, true
	third := func(round, i int) bool { return (round+i)%3 > 0 }
	never := func(int, int) bool { return false }
	for _, c := range []struct {
		name         string
		gives, lacks int
		finds        func(round, i int) bool
		asked, left  int
		with         *page.Visit // what is answered in place of a page; nil for 404
		lost         int
	}{
		{name: "an error in place of pages", gives: 20, lacks: 14, finds: third, asked: 22, with: sorry},
		{name: "an error with a number", gives: 20, lacks: 14, finds: third, asked: 22, with: numbered},
		{name: "a door", gives: 20, lacks: 14, finds: third, asked: 22, with: visit(at, 403, "", 0)},
		{
			name: "pages that never come, and others that did", gives: 20, lacks: 14,
			finds: func(round, i int) bool { return i < 8 && i%2 == 1 || i > 11 }, asked: 63, left: 8,
			with: sorry, lost: 8,
		},
		{
			name: "honest errors with success", gives: 20, lacks: 300, finds: never, asked: 4, left: 300,
			with: sorry,
		},
		{
			name: "a page that came meanwhile", gives: 20, lacks: 300, asked: 303, left: 299, with: sorry,
			finds: func(_, i int) bool { return i == 0 },
		},
		{
			name: "a page put right between two requests", gives: 32, lacks: 8, asked: 39, left: 7,
			with: own, finds: func(_, i int) bool { return i == 0 },
		},
		{
			name: "a page under construction that is ready", gives: 32, lacks: 8, asked: 39, left: 7,
			with: sorry, finds: func(_, i int) bool { return i == 0 },
		},
		{
			name: "pages of their own under one title, some put right", gives: 32, lacks: 8, asked: 30,
			left: 5, with: own, finds: func(_, i int) bool { return i < 3 },
		},
		{
			name: "an error with a number, and others that came", gives: 32, lacks: 8, asked: 30, left: 5,
			with: numbered, lost: 5, finds: func(_, i int) bool { return i < 3 },
		},
		{name: "pages that end in the midst", gives: 20, lacks: 14, finds: third, asked: 22, with: cut},
		{
			name: "some that always do", gives: 20, lacks: 14, asked: 63, left: 8, with: cut, lost: 8,
			finds: func(round, i int) bool { return i < 8 && i%2 == 1 || i > 11 },
		},
		{
			name: "a single one", gives: 900, lacks: 1, asked: 1, with: cut,
			finds: func(int, int) bool { return true },
		},
		{
			name: "half of the pages have no end", gives: 90, lacks: 90, finds: never, asked: 3, left: 90,
			with: cut,
		},
		{"one server of three", 20, 9, third, 15, 0, nil, 0},
		{"many of one server of three", 600, 600, third, 1000, 0, nil, 0},
		{"the pages do not exist", 20, 9, never, 3, 9, nil, 0},
		{"one server of three says that they are gone", 20, 9, third, 15, 0, visit(at, 410, "", 0), 0},
		{"the pages are gone", 20, 9, never, 3, 9, visit(at, 410, "", 0), 0},
		{"hardly any", 20, 2, func(int, int) bool { return true }, 0, 2, nil, 0},
		{"few of many", 200, 9, func(int, int) bool { return true }, 0, 9, nil, 0},
		{"a host that gives nothing", 0, 9, func(int, int) bool { return true }, 0, 9, nil, 0},
	} {
		w := New()
		missing := map[page.URL]int{}
		for i := range c.gives {
			w.Learn(visit(fmt.Sprintf("http://a.example/%d", i), 200, fmt.Sprint("Page ", i), 9))
		}
		lacks := func(u string) {
			v := visit(u, 404, "", 0)
			if c.with != nil {
				*v = *c.with
				v.URL, v.Hops = page.URL(u), "L"
				if v.Size > 0 {
					v.Content, number = uint64(number), number+1
				}
			}
			w.Learn(v)
		}
		for i := range c.lacks {
			u := fmt.Sprintf("http://a.example/lacks/%d", i)
			missing[page.URL(u)] = i
			lacks(u)
			if c.with != nil { // else there is no row
				w.Learn(visit("http://a.example/0", 200, "Page 0", 9))
			}
		}
		asked := 0
		for round := 0; ; round++ {
			w.NotFound()
			again := w.Last()
			if len(again) == 0 {
				break
			}
			for _, u := range again {
				if asked++; w.Due(u, false) != "" {
					w.Judge(visit("http://a.example/0", 200, "Page 0", 9))
				}
				if c.finds(round, missing[u]) {
					delete(missing, u)
					w.Learn(visit(string(u), 200, string(u), 9))
				} else {
					lacks(string(u))
				}
			}
		}
		lost := len(w.Lost())
		if asked > c.asked || c.asked > 0 && asked == 0 || len(missing) != c.left || lost != c.lost {
			t.Errorf("%s: asked %d times, %d are left, %d lost", c.name, asked, len(missing), lost)
		}
	}
}

// TestMixedErrors: a server out of order has several errors, of each of which are few.
func TestMixedErrors(t *testing.T) {
	statuses := []int{418, 409, 422, 400, 405}
	for _, c := range []struct {
		heals       bool
		asked, left int
	}{{true, 25, 0}, {false, 12, 10}} {
		w, left, asked := New(), map[page.URL]bool{}, 0
		for i := range 30 {
			w.Learn(visit(fmt.Sprintf("http://a.example/%d", i), 200, fmt.Sprint("Page ", i), 9))
			if i < 10 {
				u := fmt.Sprintf("http://a.example/lacks/%d", i)
				left[page.URL(u)] = true
				w.Learn(visit(u, statuses[i%5], "", 0))
			}
		}
		for again := w.Last(); len(again) > 0; again = w.Last() {
			for i, u := range again {
				if asked++; c.heals && (asked+i)%3 > 0 {
					delete(left, u)
					w.Learn(visit(string(u), 200, string(u), 9))
				} else {
					w.Learn(visit(string(u), statuses[asked%5], "", 0))
				}
			}
			w.NotFound()
		}
		if len(left) != c.left || asked > c.asked {
			t.Errorf("asked %d times, %d are left", asked, len(left))
		}
	}
}

// TestErrorsBesideMissing: pages that one server of three refuses are asked for until they came, and the
// many that do not exist are not for their sake.
func TestErrorsBesideMissing(t *testing.T) {
	w, left, asked := New(), map[page.URL]bool{}, 0
	for i := range 200 {
		w.Learn(visit(fmt.Sprintf("http://a.example/%d", i), 200, fmt.Sprint("Page ", i), 9))
		w.Learn(visit(fmt.Sprintf("http://a.example/none/%d", i), 404, "", 0))
		if i < 27 {
			u := fmt.Sprintf("http://a.example/refused/%d", i)
			left[page.URL(u)] = true
			w.Learn(visit(u, 400, "", 0))
		}
	}
	for again := w.Last(); len(again) > 0; again = w.Last() {
		for i, u := range again {
			switch asked++; {
			case !left[u]:
				w.Learn(visit(string(u), 404, "", 0))
			case i%3 > 0:
				w.Learn(visit(string(u), 400, "", 0))
			default:
				delete(left, u)
				w.Learn(visit(string(u), 200, string(u), 9))
			}
		}
		w.NotFound()
	}
	if len(left) > 3 || asked > 120 {
		t.Errorf("asked %d times, %d are left", asked, len(left))
	}
}

// TestMissingParts: parts of pages are not counted with pages: of a host that refuses images and, now and
// then, pages, these are had and no image is lost; three images are asked for where it gave others.
func TestMissingParts(t *testing.T) {
	for given, most := range []int{0, 3, 3} {
		w, images, left := New(), 0, map[page.URL]bool{}
		learn := func(name string, status int, hops string) {
			v := visit("http://a.example/"+name, status, name, 9)
			v.Hops = hops
			w.Learn(v)
		}
		for i := range 20 {
			learn(fmt.Sprint(i), 200, "L")
		}
		for i := range 100 + given {
			learn(fmt.Sprintf("images/%d", i), 403-203*(i/100), "LE")
		}
		for i := range 12 {
			left[page.URL(fmt.Sprintf("http://a.example/pages/%d", i))] = true
			learn(fmt.Sprintf("pages/%d", i), 403, "L")
			learn("0", 200, "L")
		}
		for again := w.Last(); len(again) > 0; again = w.Last() {
			for _, u := range again {
				name := u.PathQuery()[1:]
				switch {
				case w.Due(u, false) != "":
					w.Judge(visit("http://a.example/0", 200, "0", 9))
				case strings.HasPrefix(name, "images/"):
					images++
					learn(name, 403, "LE")
					continue
				}
				delete(left, u)
				learn(name, 200, "L")
			}
			w.NotFound()
		}
		if lost := w.Lost(); len(lost)+len(left) > 0 || images > most {
			t.Errorf("%d images given, %d asked for, %d pages left, %d lost",
				given, images, len(left), len(lost))
		}
	}
}

// TestUsualTitle: where all pages have one title and few links, those that are as long as each other and lead
// nowhere are asked for once more.
func TestUsualTitle(t *testing.T) {
	w := New()
	for i := range 12 {
		v := visit(fmt.Sprintf("http://a.example/%02d", i), 200, "Library", i%2)
		if v.Content = uint64(i + 1); i%3 == 1 {
			v.Content, v.Links = 99, nil
		}
		v.Size = 100 * int64(v.Content)
		w.Learn(v)
	}
	if got := fmt.Sprint(w.Last()); got != "[http://a.example/01 http://a.example/07 http://a.example/10]" {
		t.Errorf("asked for %s", got)
	}
}

// TestNoEndTags: where hardly any page has an end tag, none is asked for once more.
func TestNoEndTags(t *testing.T) {
	for _, pages := range []int{fewUnended - 1, 3 * fewUnended} {
		w := New()
		for i := range pages {
			v := visit(fmt.Sprintf("http://a.example/%d", i), 200, fmt.Sprint(i), 9)
			v.Unended = i%9 > 0
			w.Learn(v)
		}
		if got := w.Last(); len(got) > 0 {
			t.Errorf("of %d pages asked for %s", pages, got)
		}
	}
}

// TestEndOfDrawnPages: a page that scripts draw is not asked for once more because it has no end tag: what
// they asked for would be lost.
func TestEndOfDrawnPages(t *testing.T) {
	for drawing, want := range map[page.Drawing]int{page.NotDrawn: 1, page.Drawn: 0} {
		w := New()
		for i := range 40 {
			v := visit(fmt.Sprintf("http://a.example/%d", i), 200, fmt.Sprint(i), 9)
			if i == 20 {
				v.Unended, v.Drawing = true, drawing
			}
			w.Learn(v)
		}
		if got := w.Last(); len(got) != want {
			t.Errorf("drawing %d: asked for %s", drawing, got)
		}
	}
}

// given is a page, and what is given in place of some, told by its content.
func given(path, title string, content uint64, links int) *page.Visit {
	v := visit("http://a.example"+path, 200, title, links)
	v.Content, v.Size = content, int64(100*content)
	return v
}

// TestHostOfLines: of a host whose pages are a line each, a line that is given again and again is a ban.
func TestHostOfLines(t *testing.T) {
	w := New()
	for i := range 10 {
		w.Learn(given(fmt.Sprintf("/p%d", i), "", uint64(1+i%9), 0))
	}
	for i := range 9 {
		w.Learn(given(fmt.Sprintf("/q%d", i), "", 20, 0))
	}
	if due := w.Due("http://a.example/x", false); due == "" {
		t.Error("the host is not doubted")
	}
}

// TestErrorsUnderATitleOfPages: an error is the same whether the page that was given last has its title or
// not.
func TestErrorsUnderATitleOfPages(t *testing.T) {
	w := New()
	for i := range 12 {
		w.Learn(given(fmt.Sprintf("/g%d", i), fmt.Sprint("G", i), uint64(10+i), 9))
		w.Learn(given(fmt.Sprintf("/e%d", i), "The Site", 7, 0))
	}
	w.Learn(given("/m", "The Site", 40, 8))
	w.Learn(given("/n", "N", 41, 7))
	asked := w.Last()
	for _, u := range asked {
		w.Learn(given(u.PathQuery(), "The Site", 7, 0))
	}
	if again := w.Last(); len(asked) == 0 || len(again) > 0 || len(w.Lost()) > 0 {
		t.Errorf("asked for %s, then for %s", asked, again)
	}
}

// TestStraysAmongTitles: pages of a session that ended are known among many pages with titles of their own.
func TestStraysAmongTitles(t *testing.T) {
	w := New()
	w.SetsCookies("http://a.example/")
	for i := range 500 {
		v := given(fmt.Sprintf("/%d", i), fmt.Sprint("G", i), uint64(i+1), 2)
		if i%25 == 24 {
			v = visit(string(v.URL), 302, "", 0)
			v.Links = []page.Link{{URL: "http://a.example/login", Kind: page.Redirect}}
		}
		w.Learn(v)
	}
	if len(w.Last()) == 0 {
		t.Error("no page is asked for once more")
	}
}
