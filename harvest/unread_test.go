package harvest

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"watershed/archive"
	"watershed/page"
	"watershed/sitemap"
)

// The orders that a child process of TestChild is told by its environment.
const (
	childFolder = "CHILD_FOLDER" // of the harvest; without it there is no child
	childPort   = "CHILD_PORT"   // of the web
	childDeath  = "CHILD_DEATH"  // "fault", "kill", or the number of the page at which it is killed
)

const poison = "http://a.example/poison"

// TestChild is a process that harvests, and dies while it reads a page. It is started by other
// tests.
func TestChild(t *testing.T) {
	folder := Folder(os.Getenv(childFolder))
	if folder == "" {
		t.Skip("no parent")
	}
	port, err := strconv.ParseUint(os.Getenv(childPort), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	p := unreadPlan(uint16(port))
	p.Begun = func(r Run) {
		f, err := os.OpenFile(r.Crash(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err = errors.Join(err, debug.SetCrashOutput(f, debug.CrashOptions{})); err != nil {
			t.Fatal(err)
		}
	}
	death := os.Getenv(childDeath)
	at, _ := strconv.Atoi(death) // 0 for a death by the poison
	var reads atomic.Int64
	p.Crawl.Reads = func(u page.URL) {
		switch {
		case at > 0 && reads.Add(1) == int64(at), u == poison && death == "kill":
			kill(t)
		case u == poison && death == "fault":
			debug.SetMaxStack(1 << 16)
			t.Log(deep(1 << 20))
		}
	}
	run(t, folder, p)
}

// kill ends this process at once, as a power cut would.
func kill(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	select {} // until the kill arrives
}

// deep recurses until the stack overflows, which ends a Go process whatever it defers.
func deep(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + deep(n-1)
}

func unreadSite() sitemap.Site {
	return sitemap.Site{Name: "a", Seeds: []page.URL{"http://a.example/"}, Boundary: sitemap.HostOnly}
}

func unreadPlan(port uint16) Plan {
	p := planOn(port, unreadSite())
	p.WACZ = false
	return p
}

// unreadWeb has a poisoned page and some others.
func unreadWeb() *web {
	w := &web{pages: map[string]string{
		"a.example/poison": "<title>Poison</title><a href=/behind>b</a>",
		"a.example/behind": "never",
	}}
	var links strings.Builder
	for i := range 40 {
		fmt.Fprintf(&links, "<a href=/p%d>p</a>", i)
		w.pages[fmt.Sprintf("a.example/p%d", i)] = fmt.Sprintf("<title>Page %d</title><a href=/q%d>q</a>", i,
			i)
		w.pages[fmt.Sprintf("a.example/q%d", i)] = fmt.Sprintf("<title>Leaf %d</title>", i)
	}
	w.pages["a.example/"] = "<title>Home</title><a href=/poison>p</a>" + links.String()
	return w
}

// child runs a process that harvests and dies as it is told, and reports whether it came to its
// end.
func child(t *testing.T, folder Folder, port uint16, death string) bool {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	c.Env = append(os.Environ(), childFolder+"="+string(folder), fmt.Sprintf("%s=%d", childPort, port),
		childDeath+"="+death)
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if err != nil && exit.ExitCode() == 1 {
		t.Fatalf("the child failed:\n%s", out)
	}
	return err == nil
}

// A page that ends the process is read alone at the next start, and then archived and not read. All
// others are harvested.
func TestPoison(t *testing.T) {
	for _, c := range []struct {
		death string
		times int // that the process dies
	}{
		{"fault", 2},
		{"kill", 4},
	} {
		t.Run(c.death, func(t *testing.T) {
			w, folder := unreadWeb(), Folder(t.TempDir())
			port := w.serve(t)
			for i := range c.times {
				if child(t, folder, port, c.death) {
					t.Fatalf("the harvest ended, though its %dth start should have died", i+1)
				}
			}
			if !child(t, folder, port, c.death) {
				t.Fatal("the process died once more")
			}
			checkUnread(t, folder, port)
			if n := w.asked("a.example/behind"); n > 0 {
				t.Errorf("what only the poisoned page links to was asked for %d times", n)
			}
		})
	}
}

// checkUnread wants everything captured, and the poisoned page told of as not read.
func checkUnread(t *testing.T, folder Folder, port uint16) {
	t.Helper()
	first := folder.Run(1)
	if n := len(captured(t, &Delivered{Run: first})); n != 83 { // home, poison, 2 times 40, and robots.txt
		t.Errorf("%d captures, want 83", n)
	}
	text, err := os.ReadFile(filepath.Join(first.Logs(), "skipped.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var told []page.URL
	for line := range strings.Lines(string(text)) {
		var s archive.Skipped
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		if s.Reason == archive.ReasonUnread {
			told = append(told, s.URL)
		}
	}
	if len(told) != 1 || told[0] != poison {
		t.Errorf("told of as not read: %v", told)
	}
	e, err := Examine(folder, unreadPlan(port))
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Explain(poison, 0)
	if err = errors.Join(err, e.Close()); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := x.Text(&said); err != nil {
		t.Fatal(err)
	}
	if x.Capture == nil || x.Fetching == nil || x.Fetching.Reason != "unread" {
		t.Errorf("explained as %+v\n%s", x.Fetching, said.String())
	}
}

// Twenty processes are killed one after the other, each at a page by chance: no page is left unread
// for that.
func TestInnocent(t *testing.T) {
	w, folder := unreadWeb(), Folder(t.TempDir())
	port := w.serve(t)
	g := rand.New(rand.NewPCG(5, 6))
	killed := 0
	for range 20 {
		if child(t, folder, port, strconv.Itoa(1+g.IntN(6))) {
			break
		}
		killed++
	}
	if !child(t, folder, port, "") {
		t.Fatal("the process died though nothing killed it")
	}
	first := folder.Run(1)
	// what the poisoned page links to, too
	if n := len(captured(t, &Delivered{Run: first})); killed < 10 || n != 84 {
		t.Errorf("after %d kills: %d captures, want 84", killed, n)
	}
	text, err := os.ReadFile(filepath.Join(first.Logs(), "skipped.jsonl"))
	if err != nil || strings.Contains(string(text), string(archive.ReasonUnread)) {
		t.Errorf("a page was left unread: %v\n%s", err, text)
	}
}

// TestReadInPart: what is archived and not read in full is in the ledger with its reason, in a
// recrawl that asks for it no more, too.
func TestReadInPart(t *testing.T) {
	size := 3 << 20
	want := map[page.URL]string{"http://a.example/sitemap.xml": "read sitemap or feed"}
	var many strings.Builder
	if testing.Short() {
		size = 1 << 18
		many.WriteString("no links")
	} else {
		for i := range 100_001 {
			fmt.Fprintf(&many, "<a href=//x.example/%d>", i)
		}
		want["http://a.example/many"] = "more links than are read"
	}
	want["http://a.example/long"] = fmt.Sprintf("longer than the %d bytes", size)
	var zipped strings.Builder
	z := gzip.NewWriter(&zipped)
	fmt.Fprintf(z, "<urlset><url><loc>http://a.example/whole</loc></url>%s", noise(1))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	w := &web{pages: map[string]string{
		"a.example/":            links("/many", "/long", "/whole"),
		"a.example/many":        many.String(),
		"a.example/long":        links("/whole") + strings.Repeat(" ", size),
		"a.example/whole":       links("/"),
		"a.example/robots.txt":  "Sitemap: http://a.example/sitemap.xml\n",
		"a.example/sitemap.xml": zipped.String()[:zipped.Len()/2],
	}}
	p := w.start(t, unreadSite())
	p.Fetch.MaxDecoded = size
	folder := Folder(t.TempDir())
	for n := range 2 {
		text, err := os.ReadFile(filepath.Join(run(t, folder, p).Run.Logs(), "skipped.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		told := map[page.URL]string{}
		for line := range strings.Lines(string(text)) {
			var s archive.Skipped
			if err := json.Unmarshal([]byte(line), &s); err != nil {
				t.Fatal(err)
			}
			if s.Reason == archive.ReasonUnread {
				told[s.URL] = fmt.Sprint(s.Evidence)
			}
		}
		for u, why := range want {
			if !strings.Contains(told[u], why) {
				t.Errorf("run %d: %s: %q", n+1, u, told[u])
			}
		}
		if len(told) != len(want) {
			t.Errorf("run %d: %v", n+1, told)
		}
	}
	if n := w.asked("a.example/many"); n != 2 {
		t.Errorf("asked %d times", n)
	}
}
