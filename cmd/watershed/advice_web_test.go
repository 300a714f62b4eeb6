package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/emersion/go-smtp"
)

// made is a web of a trial that a rule makes: the links of a path, and its text; false for what is not
// there.
type made func(host, path string) (links []string, text string, ok bool)

// campus has a host with pages of its own, and groups below it that stand for themselves.
func campus(groups int) made {
	own := []string{"/", "/news.html", "/staff.html", "/groups.html", "/map.html"}
	return func(host, path string) (links []string, text string, ok bool) {
		var group, page int
		switch n, _ := fmt.Sscanf(path, "/%dgroup/%d.html", &group, &page); {
		case host != "www.campus.example":
			return nil, "", false
		case n == 2:
			links = []string{
				".", fmt.Sprintf("%d.html", page%20+1), fmt.Sprintf("%d.html", (page+2)%20+1),
				"/", "http://sponsor.example/",
			}
		case n == 1:
			for i := range 20 {
				links = append(links, fmt.Sprintf("%d.html", i+1))
			}
			links = append(links, "/")
		default:
			if links = own; path == "/groups.html" {
				for i := range groups {
					links = append(links, fmt.Sprintf("/%dgroup/", i))
				}
			}
		}
		return links, fmt.Sprintf("words%d of%d this%d page%d", page, group, page*7, len(path)), true
	}
}

// placesAdvised takes in a place below the seed that stays out, as explain says of a page of it.
func placesAdvised(x *trial) {
	x.web.made = campus(12)
	x.set("site.seeds", `["http://www.campus.example/"]`, "site.boundary", "")
	x.run(0, harvestIt)
	x.follow(0, x.told("places more are out: see (watershed report FILE)")[0])
	x.run(0, about("report"))
	out := "http://" + x.told("left-below-seed:a:(www.campus.example/[0-9]+group/)")[0]
	x.run(0, about("explain")+" "+out)
	got := x.told("it lies below the directory of a seed, in a place that stays out with .*: if that " +
		"belongs, " +
		"write under the site in the YAML: include: (.*), then " + extend)
	x.set("site.include", got[0])
	x.follow(0, got[1])
	x.has(out)
}

// noveltyAdvised has a place fetched to its end that looked as if it had none.
func noveltyAdvised(x *trial) {
	x.web.made = func(_, path string) (links []string, text string, ok bool) {
		n := 0
		_, err := fmt.Sscanf(path, "/days/%d", &n)
		if path != "/" && (err != nil || path != fmt.Sprintf("/days/%d", n) || n > 60) {
			return nil, "", false
		}
		if n < 60 {
			links = []string{fmt.Sprintf("/days/%d", n+1), fmt.Sprintf("/days/%d", n+2)}
		}
		return links, "a day without news", true
	}
	x.set("traps.novelty_pages", "20", "traps.max_hops", "1000", "site.limits.depth", "100")
	x.run(0, harvestIt)
	note := x.told(`note +\d+ pages? left out of places that seem to have no end, with what they alone ` +
		"lead to: (watershed skipped FILE .*) tells which")
	x.run(0, about("explain")+" http://a.example/days/60")
	if strings.Contains(x.said, "was captured") {
		x.Fatal(x.said)
	}
	x.follow(0, note[0])
	x.run(0, about("explain")+" "+strings.Fields(x.said[strings.Index(x.said, "http://"):])[0])
	got := x.told("set (traps.novelty_pages) to (0), or higher, if the place is no trap, then " + extend)
	x.set(got[0], got[1])
	x.follow(0, got[2])
	x.has("http://a.example/days/60")
}

// singlesAdvised has pages fetched that were left out as copies of single others.
func singlesAdvised(x *trial) {
	word := func(n int) string {
		var b strings.Builder
		for i := range 200 {
			fmt.Fprintf(&b, "word%d ", (n*7919+i*104729)%99991)
		}
		return b.String()
	}
	var all []string
	for i := range 6 {
		all = append(all, fmt.Sprintf("http://www.a.example/one%d", i),
			fmt.Sprintf("http://m.a.example/odd%d", i*i+i))
	}
	x.web.made = func(host, path string) (links []string, text string, ok bool) {
		n := 0
		switch {
		case path == "/" && host == "www.a.example":
			return all, word(1000), true
		case host == "www.a.example":
			_, err := fmt.Sscanf(path, "/one%d", &n)
			return nil, word(n), err == nil
		}
		for i := range 6 {
			if path == fmt.Sprintf("/odd%d", i*i+i) {
				return nil, word(i), true
			}
		}
		return nil, "", false
	}
	x.set("site.seeds", `["http://www.a.example/"]`, "site.boundary", "domain", "copies.find", "",
		"copies.pages", "100%", "copies.pages_runs", "1",
		"copies.verify_sample", "0%", "copies.verify_pages", "0")
	x.run(0, harvestIt)
	x.run(0, harvestIt)
	x.run(0, about("skipped"))
	at := strings.Index(x.said, "http://")
	if at < 0 {
		x.Fatalf("no page is left out:\n%s", x.said)
	}
	copied := strings.Fields(x.said[at:])[0]
	x.run(0, about("explain")+" "+copied)
	got := x.told(`(watershed copies check '\S+ \S+') compares it with what stands for it; (copies.pages): ` +
		`(0) has such pages fetched by the next run`)
	x.follow(0, got[0])
	x.set(got[1], got[2])
	x.follow(0, harvestIt)
	log, err := os.ReadFile(x.path("harvests/site/run-0003/logs/crawl.log"))
	if err != nil || !strings.Contains(string(log), " "+copied+" ") {
		x.Errorf("%s was not fetched: %v\n%s", copied, err, log)
	}
}

// turnAdvised goes on with a run that ended before a page of the site was wanted.
func turnAdvised(x *trial) {
	x.web.made = campus(0)
	x.set("site.seeds", `["http://www.campus.example/"]`, "site.boundary", "", "site.limits", "{pages: 1}")
	x.run(exitPages, harvestIt)
	x.run(0, about("explain")+" http://www.campus.example/map.html")
	x.told("fetching: its turn has not come\n")
	command := x.told("the run ended before its turn: the same command goes on, or after a limit of a " +
		"site, once it " +
		"is raised, " + extend)[0]
	x.set("site.limits", "{pages: 100}")
	x.follow(0, command)
	x.has("http://www.campus.example/map.html")
}

// told are the texts that a webhook has had.
type told struct {
	mu   sync.Mutex
	text string
}

func (t *told) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	var b strings.Builder
	_ = r.Write(&b) // of a body in memory
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text += b.String()
}

// lettersAdvised reads what is told by webhook of a full disk and of a login, and mends it.
func lettersAdvised(x *trial) {
	var got told
	hook := httptest.NewServer(&got)
	x.Cleanup(hook.Close)
	read := func() {
		got.mu.Lock()
		defer got.mu.Unlock()
		x.said, got.text = got.text, ""
	}
	x.web.links = []string{"/held"}
	x.set("notify.webhook", `{url: "`+hook.URL+`"}`, "notify.on", "[disk, login]",
		"limits.free_disk", "1000TB", "limits.disk_wait", "1s")
	_, end := x.begin(harvestIt)
	end(exitNoSpace)
	read()
	x.told(`The harvest waits for room beside .*, and then goes on by itself\. Without room it stops in ` +
		`order ` +
		`after limits\.disk_wait`)
	x.web.held.Store(nil)
	x.web.links = []string{"/members/1", "/members/2", "/members/3", "/members/4"}
	x.set("harvest", "second", "limits.free_disk", "0B", "site.login", "{scheme: basic, user: ann, "+
		"password: env:HOME}")
	x.run(exitLosses, harvestIt)
	read()
	x.told("Pages that need it are recorded as failed; the rest of the harvest goes on. When it is mended, " +
		"the " +
		"same command asks for them again")
	x.set("site.login", "{scheme: basic, user: ann, password: env:KEY}")
	x.follow(0, harvestIt)
	x.has("http://a.example/members/1", "http://a.example/members/4")

	var box postbox
	mails := smtp.NewServer(&box) // which knows no TLS
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() { _ = mails.Close() }) // ends Serve
	go func() { _ = mails.Serve(l) }()
	x.set("notify.on", "[ended]", "notify.mail.server", `"`+l.Addr().String()+`"`, "notify.mail.from",
		"w@a.example", "notify.mail.to", "[ann@a.example]")
	x.run(0, harvestIt)
	tls := x.told(`the server encrypts nothing \(no STARTTLS\), and no mail is sent in clear unless ` +
		"(notify.mail.tls) is (none)")
	x.set(tls[0], tls[1])
	x.follow(0, harvestIt)
	if n := box.mails.Load(); n != 1 {
		x.Errorf("%d mails have come", n)
	}
}

// postbox counts mails.
type postbox struct{ mails atomic.Int64 }

func (b *postbox) NewSession(*smtp.Conn) (smtp.Session, error) { return b, nil }
func (*postbox) Mail(string, *smtp.MailOptions) error          { return nil }
func (*postbox) Rcpt(string, *smtp.RcptOptions) error          { return nil }
func (*postbox) Reset()                                        {}
func (*postbox) Logout() error                                 { return nil }

func (b *postbox) Data(r io.Reader) error {
	b.mails.Add(1)
	_, err := io.Copy(io.Discard, r)
	return err
}

// stepsAdvised interrupts a command whose output waits to be read, and then is or is not, and runs it
// again.
func stepsAdvised(x *trial) {
	x.run(0, harvestIt)
	line := "watershed warc ls" + strings.Repeat(" harvests", 80) // more than a pipe holds
	const inOrder, left = "interrupted: the same command does it again", "interrupted in the middle of a " +
		"step: " +
		"the same command does it again, and goes on"
	interrupted := func(read bool, wait time.Duration) (code int) {
		out, in, err := os.Pipe()
		if err != nil {
			x.Fatal(err)
		}
		b := x.beside(line, in)
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
			x.Fatal(err)
		}
		<-time.After(wait)
		b.interrupt()
		_ = in.Close() // the command has its own
		if read {
			_, _ = io.Copy(io.Discard, out) // until the command ends
		}
		code = b.over()
		_ = out.Close() // nothing is to be read of it any more
		return code
	}
	for try := 0; interrupted(true, 0) == 0; try++ { // it may be through before it hears of the signal
		if try == 20 {
			x.Fatal("no command was interrupted")
		}
	}
	x.told(inOrder)
	for wait := time.Millisecond; !strings.Contains(x.said, left); wait *= 2 { // until it had filled the pipe
		if code := interrupted(false, wait); code != exitInterrupted || wait > time.Minute {
			x.Fatalf("exit code %d: %s", code, x.said)
		}
	}
	x.told(left)
	x.follow(0, line)
}

// stateFull begins a harvest on a disk of its own that has less room than the state needs.
func stateFull(x *trial) {
	x.set("harvest", "full", "archive.dir", "disk")
	const unshared = "unshare --user --map-root-user --mount sh -e -c "
	mount := "mkdir -p disk; mount -t tmpfs -o size=100m tmpfs disk"
	if out, err := exec.CommandContext(x.Context(), "sh", "-c", "cd "+x.dir+"; "+unshared+"'"+mount+"'").
		CombinedOutput(); err != nil {
		x.Skipf("no disk of its own for this process: %v %s", err, out)
	}
	it := strings.ReplaceAll(harvestIt, "'", `"`)
	x.run(exitNoSpace, unshared+"'"+mount+"; "+it+"'")
	x.told("free some disk space or put the harvest elsewhere, then start again")
	x.follow(0, unshared+"'"+mount+"; "+it+" || mount -o remount,size=1g disk; "+it+"'")
	x.set("archive.dir", "elsewhere")
	x.follow(0, harvestIt)
}
