package main

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unicode"

	"watershed/configs"
	"watershed/lab/kit/bucket"
)

// trial is a harvest to which things happen, the commands typed in its folder, and what they said.
type trial struct {
	*testing.T
	dir   string
	keys  map[string]string // of the YAML, by their names with points; site is the one under sites
	said  string            // by the last command
	taken []string          // advice that was followed
	web   *trialWeb
	port  string // of the web, with its colon

	interrupt, kill, abort func() // what was begun last
}

// trialYAML is the harvest's file. A shell would take its name for two words.
const trialYAML = "our site.yaml"

// set changes keys of the YAML: key, value and so on; "" takes a key away.
func (x *trial) set(pairs ...string) {
	x.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		if x.keys[pairs[i]] = pairs[i+1]; pairs[i+1] == "" {
			delete(x.keys, pairs[i])
		}
	}
	x.write()
}

func (x *trial) write() {
	x.Helper()
	type group map[string]any
	top := group{}
	for key, value := range x.keys {
		at, parts := top, strings.Split(key, ".")
		for _, name := range parts[:len(parts)-1] {
			if at[name] == nil {
				at[name] = group{}
			}
			at = at[name].(group)
		}
		at[parts[len(parts)-1]] = value
	}
	var flow func(any) string
	flow = func(v any) string {
		g, is := v.(group)
		if !is {
			return v.(string)
		}
		var list []string
		for _, name := range slices.Sorted(maps.Keys(g)) {
			list = append(list, name+": "+flow(g[name]))
		}
		return "{" + strings.Join(list, ", ") + "}"
	}
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(top)) {
		if name == "site" {
			fmt.Fprintf(&text, "sites: [%s]\n", flow(top[name]))
			continue
		}
		fmt.Fprintf(&text, "%s: %s\n", name, flow(top[name]))
	}
	if err := os.WriteFile(x.path(trialYAML), []byte(text.String()), 0o666); err != nil {
		x.Fatal(err)
	}
}

func (x *trial) path(name string) string { return filepath.Join(x.dir, name) }

// run has a shell run a line, as somebody types it who was told to.
func (x *trial) run(want int, line string) {
	x.Helper()
	cmd := exec.CommandContext(x.Context(), "sh", "-c", line)
	cmd.Dir, cmd.Env = x.dir, x.environ()
	out, err := cmd.CombinedOutput()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		x.Fatal(err)
	}
	if x.said = string(out); code != want {
		x.Fatalf("%s: exit code %d, want %d\n%s", line, code, want, out)
	}
}

func (x *trial) environ() []string {
	return append(os.Environ(), "HOME="+x.dir, "XDG_CONFIG_HOME="+x.dir, "XDG_CACHE_HOME="+x.dir,
		"WATERSHED_CONTACT=", "WATERSHED_OPERATOR=", "KEY=hunter2secret")
}

// begin starts a harvest, and waits until it asks for the page /held, which is not answered before
// release. The end wants an exit code and what was said then.
func (x *trial) begin(line string) (release func(), end func(want int)) {
	x.Helper()
	held := make(chan struct{})
	x.web.held.Store(&held)
	var out bytes.Buffer
	cmd := exec.CommandContext(x.Context(), "sh", "-c", "exec "+line)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = x.dir, x.environ(), &out, &out
	if err := cmd.Start(); err != nil {
		x.Fatal(err)
	}
	select {
	case <-x.web.asked:
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill() // the test fails
		_ = cmd.Wait()
		x.Fatalf("%s does not come to /held:\n%s", line, out.String())
	}
	release = sync.OnceFunc(func() { x.web.held.Store(nil); close(held) })
	signal := func(s os.Signal) func() {
		return func() { _ = cmd.Process.Signal(s) } // it may have ended
	}
	x.kill, x.interrupt, x.abort = signal(os.Kill), signal(os.Interrupt), signal(syscall.SIGABRT)
	return release, func(want int) {
		x.Helper()
		err := cmd.Wait()
		if x.said = out.String(); cmd.ProcessState.ExitCode() != want {
			x.Fatalf("%s: %v, want exit code %d\n%s", line, err, want, x.said)
		}
	}
}

// told finds advice in what the last command said, and gives the parts of it in parentheses.
func (x *trial) told(pattern string) []string {
	x.Helper()
	m := regexp.MustCompile("(?m:^.*)(?:" + pattern + ")(?m:.*$)").FindStringSubmatch(x.said)
	if m == nil {
		x.Fatalf("nothing like %s was said:\n%s", pattern, x.said)
	}
	x.taken = append(x.taken, m[0]+"\n")
	return append(m[1:], "")
}

// quiet wants that something is not said any more.
func (x *trial) quiet(text string) {
	x.Helper()
	if strings.Contains(x.said, text) {
		x.Errorf("still said: %s\n%s", text, x.said)
	}
}

// has wants URLs to be captured.
func (x *trial) has(urls ...string) {
	x.Helper()
	text := ""
	for path, is := range x.delivered() {
		if filepath.Ext(path) == ".cdxj" {
			text += is
		}
	}
	for _, u := range urls {
		if !strings.Contains(text, fmt.Sprintf(`"url": %q`, u)) {
			x.Errorf("nowhere is %s", u)
		}
	}
}

// delivered are the files that were delivered: the lines of indexes and of packages' indexes, the
// length and the sum of WARC files.
func (x *trial) delivered() map[string]string {
	x.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(x.path("harvests"), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
			return nil
		}
		folder := filepath.Base(filepath.Dir(path))
		if err != nil || folder != "archive" && folder != "indexes" && filepath.Ext(path) != ".wacz" {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	if err != nil {
		x.Fatal(err)
	}
	return all
}

// kept wants what was delivered to be there as it was: a WARC file may have grown, and an index or a
// package may have been replaced by one that names more.
func (x *trial) kept(before map[string]string) {
	x.Helper()
	after := x.delivered()
	for path, was := range before {
		is, there := after[path]
		switch {
		case !there:
			x.Errorf("%s is gone", path)
		case is == was:
		case filepath.Ext(path) == ".cdxj":
			for line := range strings.Lines(was) {
				if !strings.Contains(is, line) {
					x.Errorf("%s has no more %s", path, line)
				}
			}
		case filepath.Ext(path) == ".wacz":
			x.packageHas(path, was)
		case !strings.HasPrefix(is, was):
			x.Errorf("%s was changed: %x", path, sha256.Sum256([]byte(is)))
		}
	}
}

// packageHas wants a package to name in its index all that the former did.
func (x *trial) packageHas(path, was string) {
	x.Helper()
	lines := func(b []byte) (list []string) {
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			x.Fatal(err)
		}
		names, err := fs.Glob(z, "indexes/*.cdx.gz")
		if err != nil || len(names) != 1 {
			x.Fatal(names, err)
		}
		f, err := z.Open(names[0])
		if err != nil {
			x.Fatal(err)
		}
		g, err := gzip.NewReader(f)
		if err != nil {
			x.Fatal(err)
		}
		text, err := io.ReadAll(g)
		if err != nil {
			x.Fatal(err)
		}
		return slices.Collect(strings.Lines(string(text)))
	}
	is, err := os.ReadFile(path)
	if err != nil {
		x.Fatal(err)
	}
	now := lines(is)
	for _, line := range lines([]byte(was)) {
		if !slices.Contains(now, line) {
			x.Errorf("%s has no more %s", path, line)
		}
	}
}

// trialWeb is what the trials harvest: a.example links to pages that end in all ways, each of which has
// a way out.
type trialWeb struct {
	links  []string    // of a.example, besides those to what the harvest has not
	made   made        // in place of these pages; nil for none
	mended atomic.Bool // servers that failed do so no more
	held   atomic.Pointer[chan struct{}]
	asked  chan struct{} // when /held is asked for
}

func (web *trialWeb) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text := "<title>" + strings.Replace(r.Host, "m.", "a.", 1) + r.URL.Path + "</title><p>"
	for i := range 40 {
		text += fmt.Sprintf("%s%d ", strings.Trim(r.URL.Path, "/"), i)
	}
	ok, path := web.mended.Load(), r.URL.Path
	switch {
	case path == "/robots.txt":
		_, _ = fmt.Fprint(w, "User-agent: *\nDisallow: /secret/\n") // a client that went away
		return
	case path == "/sitemap.xml" || path == "/sitemap.txt" || path == "/favicon.ico",
		strings.HasPrefix(path, "/gone") && !ok:
		w.WriteHeader(http.StatusNotFound)
		return
	case web.made != nil:
		links, more, there := web.made(r.Host, path)
		if !there {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		text = "<title>" + path + "</title><p>" + more
		for _, to := range links {
			text += fmt.Sprintf(` <a href="%s">a link</a>`, to)
		}
	case path == "/" && r.Host == "a.example":
		for _, to := range web.links {
			text += fmt.Sprintf(`<a href="%s">a link</a> `, to)
		}
		text += `<a rel=nofollow href="/shunned">a link</a>`
	case path == "/large":
		text += strings.Repeat("a large page ", 2000)
	case path == "/held":
		if held := web.held.Load(); held != nil {
			select {
			case web.asked <- struct{}{}:
			default:
			}
			select {
			case <-*held:
			case <-r.Context().Done():
			}
		}
	case path == "/broken" && !ok:
		w.WriteHeader(http.StatusInternalServerError)
		return
	case path == "/cut" && !ok:
		w.Header().Set("Content-Length", "100000")
	case path == "/packed":
		w.Header().Set("Content-Type", "text/html")
		text = "\x1f\x8b\x08 compressed, which nobody said"
	case path == "/head" && !ok:
		w.Header().Set("X-Long", strings.Repeat("x", 70_000))
	case path == "/circle" && !ok:
		http.Redirect(w, r, "/circle?round", http.StatusFound)
		return
	case strings.HasPrefix(path, "/members/"):
		if _, secret, _ := r.BasicAuth(); secret != "hunter2secret" {
			w.Header().Set("WWW-Authenticate", `Basic realm="members"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
	case path == "/styled":
		text += `<link rel="stylesheet" href="/styles/1">`
	case strings.HasPrefix(path, "/styles/"):
		w.Header().Set("Content-Type", "text/css")
		var n int
		if _, err := fmt.Sscanf(path, "/styles/%d", &n); err == nil && n < 9 {
			_, _ = fmt.Fprintf(w, "@import \"/styles/%d\";\n", n+1) // a client that went away
		}
		return
	case strings.HasPrefix(path, "/chain/"):
		var n int
		if _, err := fmt.Sscanf(path, "/chain/%d", &n); err == nil && n < 6 {
			text += fmt.Sprintf(`<a href="/chain/%d">a link</a>`, n+1)
		}
	}
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprint(w, text) // a client that went away is the client's matter
}

// newTrial begins one, with the web served at 127.0.0.1 and 127.0.0.2.
func newTrial(t *testing.T) *trial {
	t.Helper()
	web := &trialWeb{asked: make(chan struct{}, 1)}
	server := httptest.NewServer(web)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	second, err := net.Listen("tcp", "127.0.0.2:"+port)
	if err != nil {
		t.Fatal(err)
	}
	other := &http.Server{Handler: web}
	t.Cleanup(func() { _ = other.Close() }) // ends Serve
	go func() { _ = other.Serve(second) }()
	x := &trial{T: t, dir: t.TempDir(), keys: map[string]string{}, web: web, port: ":" + port}
	x.set("harvest", "site", "operator", `{name: Test, contact: "mailto:test@a.example"}`,
		"site.name", "a", "site.seeds", `["http://a.example/"]`, "site.boundary", "host",
		"politeness.min_delay", "0s", "politeness.max_delay", "0s", "politeness.address_delay", "0s",
		"politeness.retry", "{attempts: 1, delay: 1ms, max_delay: 1ms, host_attempts: 2}",
		"network.allow_private", "[127.0.0.1/32]", "network.dial_ports", "{80: "+port+"}",
		"network.resolve", resolved, "network.resolvers", "[\"127.0.0.1:1\"]", "limits.free_disk", "0B",
		"copies.find", "off")
	return x
}

const resolved = `[{match: private.example, address: 127.0.0.2}, {match: "*.example", address: 127.0.0.1}]`

// harvest is how the harvest is begun by hand.
const harvestIt = "watershed harvest -q '" + trialYAML + "'"

// about is a command on the harvest.
func about(words string) string { return "watershed " + words + " '" + trialYAML + "'" }

// TestAdvice has the harvest come into trouble, finds what the program advises, does it as it is
// printed, and wants it to help, and what was delivered to stay.
func TestAdvice(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the program some three hundred times")
	}
	var mu sync.Mutex // guards what follows
	var taken []string
	made := 0
	t.Run("trials", func(t *testing.T) { // it ends when all have: each waits more than it computes
		for _, c := range trials {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				x := newTrial(t)
				c.run(x)
				mu.Lock()
				defer mu.Unlock()
				taken = append(taken, x.taken...)
				made++
			})
		}
	})
	if t.Failed() || made < len(trials) {
		return // something was not tried
	}
	spared := map[string]string{}
	for reason, texts := range unrun {
		for _, text := range texts {
			spared[text] = reason
		}
	}
	for _, text := range advice(t) {
		var pieces []string
		for _, piece := range regexp.MustCompile(`…|\b(FILE|HOST|NAME|TEXT)\b`).Split(text, -1) {
			pieces = append(pieces, strings.Join(strings.Fields(regexp.QuoteMeta(piece)), `\s+`))
		}
		said := regexp.MustCompile("(?i)" + strings.Join(pieces, "(?s:.*)")) // a desk begins sentences
		reason, spare := spared[text]
		switch done := slices.ContainsFunc(taken, said.MatchString); {
		case !done && !spare:
			t.Errorf("no trial follows the advice %q", text)
		case done && spare:
			t.Errorf("a trial follows %q: it is no more %s", text, reason)
		}
		delete(spared, text)
	}
	for text := range spared {
		t.Errorf("the program says no more %q", text)
	}
}

var trials = []struct {
	name string
	run  func(*trial)
}{
	{"URLs left out, by keys", func(x *trial) { leftOut(x, false) }},
	{"URLs left out, by rules", func(x *trial) { leftOut(x, true) }},
	{"URLs that failed", failed},
	{"a site that shrinks", shrinks},
	{"two YAMLs of one name", namesakes},
	{"a limit of pages", limitOfPages},
	{"a limit of time", limitOfTime},
	{"interrupted", interrupted},
	{"a site that has gone", siteGone},
	{"a run under way", underWay},
	{"captures that are lost", capturesLost},
	{"a state that is damaged", stateDamaged},
	{"a state that is no folder", stateNoFolder},
	{"a state and WARC files that are not here", stateAndFilesAway},
	{"a state of another harvest", stateOfAnother},
	{"a disk that is full", diskFull},
	{"few files", fewFiles},
	{"a package of less", packageOfLess},
	{"copies", copiesAdvised},
	{"quality", qualityAdvised},
	{"a harvest of addresses", addressesAdvised},
	{"files of other crawlers", importsAdvised},
	{"an upload", uploadAdvised},
	{"the command line", commandsAdvised},
	{"keys of the YAML", keysAdvised},
	{"the demo", demoAdvised},
	{"a run that was killed", killed},
	{"a limit of bytes", limitOfBytes},
	{"traps", trapsAdvised},
	{"a decision", decisionAdvised},
	{"a login", loginAdvised},
	{"rates that are damaged", ratesDamaged},
	{"equals of other crawlers' options", equalsAdvised},
	{"the desk", deskAdvised},
	{"the manual", manualAdvised},
	{"a fault of the program", aborted},
	{"orders", ordersAdvised},
	{"scales", scalesAdvised},
	{"a cluster", clusterAdvised},
	{"places below a seed", placesAdvised},
	{"a place without news", noveltyAdvised},
	{"copies of single pages", singlesAdvised},
	{"a run that ended early", turnAdvised},
	{"letters", lettersAdvised},
	{"steps", stepsAdvised},
	{"a disk of its own that is full", stateFull},
	{"a WARC file of an earlier run that is damaged", earlierDamaged},
}

// follow runs a command that was printed, and wants what was delivered to stay.
func (x *trial) follow(want int, line string) {
	x.Helper()
	before := x.delivered()
	x.run(want, strings.ReplaceAll(line, " FILE", " '"+trialYAML+"'"))
	x.kept(before)
}

const extend = `(watershed harvest --extend '\S+ \S+')`

// leftOut asks for pages that were left out, does what explain says for each, and has them.
func leftOut(x *trial, byRule bool) {
	long := "/" + strings.Repeat("long", 100)
	x.web.links = []string{
		"/left/1", "/secret/1", "/r/r/r/r/1", long, "/d/d1/d2/d3/d4/d5", "/large", "http://b.example/",
		"http://private.example/", "/chain/1",
	}
	x.set("site.exclude", `["prefix:http://a.example/left/"]`, "site.limits.depth", "3",
		"politeness.nofollow", "skip", "traps.max_url_length", "300", "traps.max_path_depth", "5",
		"fetch.max_body", "16KiB", "site.include", `["host:private.example"]`)
	x.run(exitLosses, harvestIt)
	const trap = `if it is no trap, write under the site in the YAML: include: \["(.*)"\], or raise `
	include := []string{"host:private.example"}
	command := ""
	for _, c := range []struct {
		url, says string
		set       []string // what is printed, and its value
	}{
		{"/left/1", `a rule of the YAML or a decision keeps it out: take "\S+" away from (exclude)()` +
			`, or withdraw the decision \(watershed decide list '\S+ \S+'\), then `, []string{
			"site.exclude",
			"",
		}},
		{
			"/secret/1", `ask the webmaster. With consent, write: politeness: \{(hosts): (\[.*\])\}, then `,
			[]string{"politeness.hosts", "*"},
		},
		{"/r/r/r/r/1", trap + `(traps.max_repeated_segments), then `, []string{
			"traps.max_repeated_segments",
			"5",
		}},
		{long, trap + `(traps.max_url_length), then `, []string{"traps.max_url_length", "3000"}},
		{"/d/d1/d2/d3/d4/d5", trap + `(traps.max_path_depth), then `, []string{"traps.max_path_depth", "10"}},
		{"/chain/4", trap + `(limits.depth) of the site, then `, []string{"site.limits.depth", "10"}},
		{"/large", `raise (fetch.max_body)(), then `, []string{"fetch.max_body", "1MiB"}},
		{"/shunned", `set (politeness.nofollow) to (follow), then `, []string{"politeness.nofollow", "*"}},
		{"http://private.example/", `if the machine is one of yours that is to be harvested, list its ` +
			`network ` +
			`in (network.allow_private)(), then `, []string{"network.allow_private", "[127.0.0.0/8]"}},
		{
			"http://b.example/",
			`if it belongs, write under the site in the YAML: include: \["(.*)"\](), then `,
			nil,
		},
		{
			"http://c.example/", `no page of the site leads to it, perhaps because only a script or a form ` +
				`does. If it belongs, write under the site in the YAML: include: \["(.*)"\], or name it ` +
				`under (seeds), then `,
			[]string{"site.seeds", `["http://a.example/", "http://c.example/"]`},
		},
	} {
		u := c.url
		if strings.HasPrefix(u, "/") {
			u = "http://a.example" + u
		}
		x.run(0, about("explain")+" "+u)
		got := x.told("to do: " + c.says + extend)
		if strings.Contains(u, "private") {
			x.told("because: .*; to harvest it, list it in network.allow_private")
		}
		if u == "http://a.example/large" {
			x.told("the answer is longer than fetch.max_body, and was cut")
		}
		if command = got[2]; strings.HasPrefix(got[0], "url:") && (byRule || c.set == nil) {
			include = append(include, got[0])
			continue
		}
		if len(c.set) == 0 {
			continue
		}
		if c.set[1] == "*" {
			c.set[1] = strings.Replace(got[1], "TEXT", "they agreed", 1)
		}
		x.set(c.set...)
	}
	x.set("site.include", `["`+strings.Join(include, `", "`)+`"]`)
	x.follow(0, command)
	x.has("http://a.example/left/1", "http://a.example/secret/1", "http://a.example/r/r/r/r/1",
		"http://a.example"+long, "http://a.example/d/d1/d2/d3/d4/d5", "http://a.example/large",
		"http://a.example/shunned", "http://a.example/chain/4", "http://private.example/",
		"http://b.example/",
		"http://c.example/")
	if byRule {
		x.run(0, about("explain")+" http://b.example/")
		rule := x.told(`to do: if it does not belong, take "(\S+)" away from include, or withdraw the ` +
			`decision \(watershed decide list '\S+ \S+'\), then ` + extend)[0]
		include = slices.DeleteFunc(include, func(r string) bool { return r == rule })
		x.set("site.include", `["`+strings.Join(include, `", "`)+`"]`)
		x.follow(0, command)
		x.run(0, about("explain")+" http://b.example/")
		x.told("is outside")
	}
	const wrong = "http://a.example/chain/3"
	x.run(0, about("explain")+" "+wrong)
	got := x.told(`to do: if it does not belong, write under the site in the YAML: ` +
		`exclude: \["([^"]*)"\].*, then ` + extend)
	x.set("site.exclude", `["`+got[0]+`"]`)
	x.follow(0, got[1])
	x.run(0, about("explain")+" "+wrong)
	x.told("is outside: a rule keeps it out")
}

// shrinks asks what became of a renamed site whose entry page links to nothing any more.
func shrinks(x *trial) {
	for i := range 12 {
		x.web.links = append(x.web.links, fmt.Sprintf("/p%d", i))
	}
	x.run(0, harvestIt)
	x.run(0, harvestIt+" --extend")
	x.quiet("page, where run")
	x.run(0, about("decide exclude")+" 'regex:/none$' --site a")
	x.web.links = nil
	x.set("site.name", "renamed")
	x.run(0, harvestIt)
	withdraw := x.told("warning: a decision does not count, for .* has no site \"a\": .*; where the " +
		"site was renamed decide anew, and take this back: (watershed .*)")[0]
	x.follow(0, x.told("note +site renamed: [0-9]+ pages?, where run 2 had [0-9]+: " +
		"(watershed changes FILE 1) tells")[0])
	x.told("unlinked +12")
	x.follow(0, withdraw)
	x.run(0, harvestIt)
	x.quiet("page, where run")
	x.quiet("a decision does not count")
}

// namesakes harvests a copy of a YAML, with its name and with one of its own.
func namesakes(x *trial) {
	x.run(0, "cp '"+trialYAML+"' copy.yaml && watershed harvest -q copy.yaml")
	x.told("warning: .*, so that the runs of both are in .*: where two harvests are meant, " +
		"give one of them another name")
	x.set("harvest", "another")
	x.run(0, harvestIt)
	x.quiet("names its harvest")
	for _, name := range []string{"another", "third"} {
		x.set("harvest", name, "site.name", "elsewhere", "site.seeds", "[http://b.example/]")
		x.run(0, harvestIt)
		if name == "another" {
			x.told("warning: .* has none of the sites of run-0001, the last run of its name in .*: where " +
				"two harvests are meant, give one of them another name")
		}
	}
	x.quiet("warning: ")
}

// failed asks again for what failed, as explain says, when its servers are mended.
func failed(x *trial) {
	x.web.links = []string{"/broken", "/cut", "/head", "/circle", "http://nowhere.test/", "/gone", "/packed"}
	x.set("site.include", `["host:nowhere.test"]`)
	x.run(exitLosses, harvestIt)
	x.follow(0, x.told("note +1 page or stream read .*: (watershed skipped FILE .*) tells why")[0])
	x.told("http://a.example/packed.*compressed")
	again, command := "", ""
	for _, c := range []struct{ url, says string }{
		{"http://a.example/broken", "(the next harvest asks again); politeness.retry says how often and " +
			"how patiently"},
		{"http://a.example/cut", extend + " asks for it again"},
		{"http://a.example/head", "open it in a browser: .*; (the next harvest asks again)"},
		{"http://a.example/circle?round", "open it in a browser: a page that shows itself there asks for " +
			"cookies"},
		{"http://a.example/gone", "its server answered 404 Not Found, which is in the archive: is the " +
			"address right"},
		{"http://nowhere.test/", "see that the name is spelt right, .*; the (next harvest asks again)"},
	} {
		x.run(0, about("explain")+" "+c.url)
		got := x.told("to do: " + c.says)[0]
		if strings.HasPrefix(got, "watershed") {
			command = got
		} else {
			again += got
		}
	}
	x.run(0, about("explain")+" http://a.example/head")
	x.set(x.told("head is longer than (fetch.max_head) allows")[0], "1MiB")
	x.follow(exitLosses, harvestIt)
	x.has("http://a.example/head")
	x.web.mended.Store(true)
	x.set("network.resolve", `[{match: "*", address: 127.0.0.1}]`)
	x.follow(0, command)
	x.has("http://a.example/cut")
	x.follow(0, harvestIt)
	x.has("http://a.example/broken", "http://a.example/head", "http://a.example/circle",
		"http://a.example/gone",
		"http://nowhere.test/")
}

func limitOfPages(x *trial) {
	x.web.links = []string{"/p1", "/p2", "/p3", "/p4"}
	x.set("limits.pages", "2")
	x.run(exitPages, harvestIt)
	x.told("the limit of .*, was reached; once it is raised, harvest --extend fetches what is missing")
	x.run(0, about("explain")+" http://a.example/p4")
	command := x.told("raise the limit that is told, under (limits) of the harvest, limits.host, or " +
		"limits of " +
		"the site, then " + extend)[1]
	x.set("limits.pages", "100")
	x.follow(0, command)
	x.quiet("was reached")
	x.has("http://a.example/p1", "http://a.example/p4")

	// So it is of a site. After its raise, the same command asks all sites anew.
	x.set("harvest", "of-site", "archive.dir", "sites", "limits.pages", "", "site.limits", "{pages: 2}")
	x.run(exitPages, harvestIt)
	x.told("stopped by (its limit)")
	x.set("site.limits", "{pages: 100}")
	x.follow(0, harvestIt)
	x.quiet("stopped by")
}

func limitOfTime(x *trial) {
	for i := range 20 {
		x.web.links = append(x.web.links, fmt.Sprintf("/p%d", i))
	}
	x.set("limits.time", "1s", "politeness.min_delay", "200ms", "politeness.max_delay", "200ms")
	x.run(exitTime, harvestIt)
	x.run(0, about("explain")+" http://a.example/p19")
	x.told("it waits for its turn: while the run is under way nothing is to be done; if it has ended, the " +
		"same " +
		"command goes on")
	x.set("limits.time", "1h", "politeness.min_delay", "0s", "politeness.max_delay", "0s")
	x.follow(0, harvestIt)
	x.has("http://a.example/p0", "http://a.example/p19")
}

func interrupted(x *trial) {
	x.web.links = []string{"/p1", "/p2", "/held", "/p3"}
	_, end := x.begin(harvestIt + " --dry-run")
	x.interrupt()
	end(exitInterrupted)
	x.told("interrupted: a dry run keeps nothing")
	x.quiet("goes on where this stopped")
	_, end = x.begin(harvestIt)
	x.interrupt()
	end(exitInterrupted)
	x.told("interrupted: the same command goes on where this stopped")
	x.meaning("Interrupted by SIGINT, SIGTERM or SIGHUP; all is saved, the same command goes on")
	x.run(0, about("explain")+" http://a.example/held")
	x.told("it waits for its turn: while the run is under way nothing is to be done; if it has ended, the " +
		"same command goes on")
	x.web.held.Store(nil)
	x.follow(0, harvestIt)
	x.has("http://a.example/p1", "http://a.example/p3", "http://a.example/held")
}

func underWay(x *trial) {
	x.web.links = []string{"/p1", "/held"}
	release, end := x.begin(harvestIt)
	x.run(exitFailed, harvestIt)
	x.told("another harvest or command is working on this folder: wait for it or (stop) it")
	x.run(0, about("explain")+" http://a.example/held")
	x.told("to do: it waits for its turn: while the run is under way nothing is to be done")
	x.run(0, about("control pause"))
	x.until("PAUSED", about("status")) // how it stands is kept each second
	resume := x.told("PAUSED by hand: (watershed control resume FILE)")[0]
	x.follow(0, resume)
	x.told("the crawl, paused -> running")
	x.run(0, about("control stop"))
	release()
	end(exitInterrupted)
	x.told("stopped by order: the same command goes on where this stopped")
	x.run(0, "watershed decide out '"+trialYAML+"' http://a.example/left/ --below")
	x.told("No run takes orders now: it counts when the harvest goes on, or begins anew")
	x.follow(0, harvestIt)
	x.has("http://a.example/p1", "http://a.example/held")
}

func siteGone(x *trial) {
	x.web.links = []string{"/p1", "/held", "/p2"}
	for _, then := range []func(){
		func() { x.set("site.name", "a"); x.follow(0, harvestIt) },
		func() { x.run(0, harvestIt+" --fresh") }, // which moves aside what there is
	} {
		x.held(harvestIt)
		x.web.held.Store(nil)
		x.set("site.name", "other")
		x.run(exitFailed, harvestIt)
		x.told("it has begun with site a, which the YAML does not have any more: put that back until the " +
			"run has ended, or start over with --fresh")
		then()
		x.has("http://a.example/p2")
	}
}

func capturesLost(x *trial) {
	x.web.links = []string{"/broken", "/p1", "/held"}
	x.web.mended.Store(true)
	_, end := x.begin(harvestIt)
	x.interrupt()
	end(exitInterrupted)
	spool, err := filepath.Glob(x.path("harvests/site/run-0001/spool/*.warc.gz*"))
	if err != nil || len(spool) == 0 {
		x.Fatal(spool, err)
	}
	for _, path := range spool {
		if err := os.Remove(path); err != nil {
			x.Fatal(err)
		}
	}
	x.web.mended.Store(false) // so /broken cannot be had again
	release, end := x.begin(harvestIt)
	x.run(0, about("status"))
	report := x.told(`captures MISSING: see (watershed report FILE)`)[0]
	release()
	end(exitLosses)
	x.told("lost: .*; see (.*losses.txt)")
	x.follow(0, report)
	if !strings.Contains(x.said, "http://a.example/broken") {
		x.Error(x.said)
	}
	x.web.mended.Store(true)
	x.follow(0, harvestIt)
	x.has("http://a.example/broken", "http://a.example/p1")
}

func stateDamaged(x *trial) {
	x.run(0, harvestIt)
	if err := os.WriteFile(x.path("harvests/site/state/MANIFEST"), []byte("this is no manifest"),
		0o666); err != nil {
		x.Fatal(err)
	}
	x.run(exitFailed, about("explain")+" http://a.example/")
	x.told("the archive is not affected: (start the harvest again), which rebuilds the state from it")
	for _, runs := range []string{"1 run", "2 runs"} {
		x.follow(0, about("harvest"))
		x.told("the state was rebuilt from the archives: " + runs)
		x.run(0, about("explain")+" http://a.example/")
		if err := os.RemoveAll(x.path("harvests/site/state")); err != nil { // and then none is there
			x.Fatal(err)
		}
	}
	log, err := os.ReadFile(x.path("harvests/site/run-0003/logs/crawl.log"))
	if err != nil || !strings.Contains(string(log), "duplicate:digest") {
		x.Errorf("the third run is no recrawl: %s, %v", log, err)
	}
}

func stateNoFolder(x *trial) {
	x.run(0, harvestIt)
	state, elsewhere := x.path("harvests/site/state"), x.path("on another disk")
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			x.Fatal(err)
		}
	}
	move(state, elsewhere)
	if err := os.WriteFile(state, []byte("a note"), 0o666); err != nil {
		x.Fatal(err)
	}
	const again = `start the harvest again, which rebuilds the state from the archive`
	for _, line := range []string{harvestIt, about("explain") + " http://a.example/"} {
		x.run(exitFailed, line)
		x.told(`the state is no folder \(take it away, and ` + again)
	}
	if err := os.Remove(state); err != nil {
		x.Fatal(err)
	}
	gone := func() {
		for _, line := range []string{about("wacz"), about("explain") + " http://a.example/"} {
			x.run(exitFailed, line)
			x.told(`the state is not there \(the archive is not affected: start the harvest again, which`)
		}
	}
	gone()
	if err := os.Mkdir(state, 0o755); err != nil {
		x.Fatal(err)
	}
	gone() // and nothing is written there
	x.follow(0, about("harvest"))
	x.told("the state was rebuilt from the archives: 1 run,")
	move(state, elsewhere+" 2")
	if err := os.Symlink(elsewhere+" 3", state); err != nil {
		x.Fatal(err)
	}
	x.run(exitFailed, harvestIt)
	x.told(`it is a link to \S.* 3, which is not there \(bring that back, or take the link away and ` + again)
	move(elsewhere+" 2", elsewhere+" 3")
	x.follow(0, about("harvest"))
	x.quiet("rebuilt")
	if err := os.Remove(state); err != nil {
		x.Fatal(err)
	}
	x.run(0, harvestIt+" --quiet")
	x.told("the state was rebuilt from the archives: 3 runs")
}

// stateAndFilesAway: the state is lost after the WARC files were taken to another place.
func stateAndFilesAway(x *trial) {
	x.run(0, harvestIt)
	state, archived, elsewhere := x.path("harvests/site/state"), x.path("harvests/site/run-0001/archive"),
		x.path("on another disk")
	for _, err := range []error{os.Rename(archived, elsewhere), os.RemoveAll(state)} {
		if err != nil {
			x.Fatal(err)
		}
	}
	x.run(0, harvestIt)
	x.told("the state was rebuilt from the archives: 1 run, 0 captures")
	x.told("of 1 run not all WARC files are here(?s:.*)take the folder state away")
	for _, err := range []error{os.RemoveAll(archived), os.Rename(elsewhere, archived), os.RemoveAll(state)} {
		if err != nil {
			x.Fatal(err)
		}
	}
	x.follow(0, about("harvest"))
	x.told("the state was rebuilt from the archives: 2 runs, [1-9]")
	x.quiet("not all WARC files")
}

func stateOfAnother(x *trial) {
	x.run(0, harvestIt)
	if err := os.Rename(x.path("harvests/site"), x.path("harvests/other")); err != nil {
		x.Fatal(err)
	}
	x.set("harvest", "other")
	x.run(exitFailed, harvestIt)
	x.told(`give folder and harvest the name "site" again, or move the folder state away`)
	if err := os.Rename(x.path("harvests/other/state"), x.path("away")); err != nil {
		x.Fatal(err)
	}
	x.follow(0, harvestIt)
	x.told("the state was rebuilt from the archives: 1 run, [1-9]")
}

func fewFiles(x *trial) {
	x.run(exitFailed, "ulimit -n 24; "+harvestIt) // less than an opening asks for
	x.follow(0, x.told(`allow more open files, by (ulimit -n 1024) or more`)[0]+"; "+harvestIt)
}

func diskFull(x *trial) {
	x.web.links = []string{"/held"}
	x.set("limits.free_disk", "1000TB", "limits.disk_wait", "1s")
	_, end := x.begin(harvestIt)
	end(exitNoSpace)
	x.told("no space left on the disk")
	x.meaning("The disk stayed full; make room and start again")
	x.web.held.Store(nil)
	x.set("limits.free_disk", "0B") // as if there were room
	x.follow(0, harvestIt)
	x.has("http://a.example/", "http://a.example/held")
	x.run(exitNoSpace, about("status")+" >/dev/full")
	x.told(regexp.QuoteMeta("(make room on that disk, then give the same command again)"))
	x.follow(0, about("status")+" >status.txt") // as if there were room
}

func packageOfLess(x *trial) {
	x.run(0, harvestIt)
	files, err := filepath.Glob(x.path("harvests/site/run-0001/archive/*"))
	if err != nil || len(files) != 1 {
		x.Fatal(files, err)
	}
	whole, err := os.ReadFile(files[0])
	if err != nil {
		x.Fatal(err)
	}
	if err := os.Truncate(files[0], int64(len(whole)/2)); err != nil {
		x.Fatal(err)
	}
	x.run(exitFailed, about("wacz"))
	x.told("the archive is not what was delivered: bring the files of run-0001 back first: " +
		filepath.Base(files[0]))
	if err := os.WriteFile(files[0], whole, 0o666); err != nil {
		x.Fatal(err)
	}
	x.follow(0, about("wacz"))
	index := x.path("harvests/site/run-0001/indexes/index.cdxj")
	lines, err := os.ReadFile(index)
	if err != nil {
		x.Fatal(err)
	}
	for size, told := range map[int]string{
		len(lines) - 9: "read the index of run-0001: .*", 0: "has no index line beside WARC files",
	} {
		if err := os.Truncate(index, int64(size)); err != nil {
			x.Fatal(err)
		}
		x.run(exitFailed, about("wacz"))
		x.run(0, x.told(told + "; (watershed cdxj '.*' -o '.*') makes it anew")[0])
		if anew, err := os.ReadFile(index); !bytes.Equal(anew, lines) {
			x.Fatalf("%v: %s", err, anew)
		}
	}
	x.follow(0, about("wacz"))
}

func copiesAdvised(x *trial) {
	var all, own []string
	for i := range 12 {
		own = append(own, fmt.Sprintf("/%d", i))
		for _, host := range []string{"a", "m"} {
			all = append(all, fmt.Sprintf("http://%s.example/%d", host, i))
		}
	}
	x.web.made = func(host, path string) (links []string, text string, there bool) {
		for i := range 40 {
			text += fmt.Sprintf("%s%d ", path, i)
		}
		if path == "/" {
			return all, text, host == "a.example"
		}
		return own, text, slices.Contains(own, path)
	}
	x.set("site.include", `["host:m.example"]`, "copies.find", "")
	x.file("patterns.txt", "*.later.example = last.example\n")
	x.file("aliases.txt", "b.later.example = last.example\n")
	x.run(exitFailed, about("copies import")+" patterns.txt")
	x.told(`\(the harvest knows of no hosts yet; (copies.aliases) holds for hosts that come later\)`)
	x.run(0, about("copies import")+" aliases.txt")
	x.follow(0, about("copies reject")+" b.later.example")
	x.run(0, harvestIt)
	x.run(exitFailed, "watershed copies confirm '"+trialYAML+"' later.example --to last.example")
	key := x.told("no run has met the host of .*; (copies.aliases) holds for hosts that come later")[0]
	x.set(key, "[later.example = last.example]")
	x.follow(0, about("config check"))
	x.set(key, "")
	x.follow(0, about("copies list"))
	x.run(0, about("report"))
	x.run(0, harvestIt)
	x.follow(0, x.told(`copies    .*; see (watershed copies list '\S+ \S+')`)[0])
	x.run(0, about("skipped"))
	left := regexp.MustCompile(`mirror +a +(http://(\S+)/\d+) `).FindStringSubmatch(x.said)
	if left == nil {
		x.Fatalf("no copy is left out:\n%s", x.said)
	}
	x.run(0, about("skipped --limit 1"))
	x.follow(0, about("skipped "+x.told("(--limit 0) prints all, --by prefix counts them")[0]))
	x.run(0, about("skipped --limit 1 --by prefix"))
	x.run(0, about("explain")+" "+left[1])
	got := x.told(`to do: (watershed copies list '\S+ \S+') shows why; (watershed copies reject '\S+ \S+' ` +
		`NAME) has it ` +
		`fetched by the next run`)
	x.follow(0, got[0])
	x.follow(0, strings.Replace(got[1], "NAME", left[2], 1))
	x.follow(0, harvestIt)
	x.run(0, about("skipped"))
	x.quiet("mirror")
	log, err := os.ReadFile(x.path("harvests/site/run-0003/logs/crawl.log"))
	if err != nil {
		x.Fatal(err)
	}
	for _, u := range all {
		if strings.HasPrefix(u, "http://"+left[2]+"/") && !strings.Contains(string(log), " "+u+" ") {
			x.Errorf("%s was not fetched", u)
		}
	}
}

func qualityAdvised(x *trial) {
	x.run(0, harvestIt)
	x.run(0, about("quality --fetch"))
	x.follow(0, x.told(`URLs are asked of the next run: ` + extend)[0])
}

// addressesAdvised begins a harvest of an address of this machine; /held ends it early.
func addressesAdvised(x *trial) {
	address := "http://127.0.0.1" + x.port + "/held"
	line := "watershed harvest -q " + address + " --contact mailto:a@b.example"
	folder := x.path("harvests/127.0.0.1" + strings.Replace(x.port, ":", "-", 1) + "-held")
	x.run(exitUsage, line)
	line += " " + x.told(`is a machine of your own network, which is not fetched from unasked: add (.*)`)[0]
	line = strings.Replace(line, " --contact mailto:a@b.example", "", 1)
	x.run(exitUsage, line)
	flag := x.told("webmasters must be able to reach you: say where, once, with (--contact) and a mail " +
		"address " +
		"or a web page; it is kept in .*operator.yaml")[0]
	if err := os.MkdirAll(folder, 0o777); err != nil {
		x.Fatal(err)
	}
	line += " " + flag + " mailto:a@b.example"
	x.run(exitUsage, line)
	x.told(`is there, and has no \S+ beside it: it is the harvest of another YAML. Go on with that, or ` +
		`give another ` +
		`name: (--as) NAME`)
	line += " --as other"
	x.held(line)
	x.run(exitUsage, strings.Replace(line, address, address+" http://127.0.0.1"+x.port+"/more", 1))
	x.told(`has no seed \S+/more: add it there under (seeds), or give another name: --as NAME`)
	file := x.path("harvests/other.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		x.Fatal(err)
	}
	more := strings.Replace(string(text), "- "+address,
		"- "+address+"\n      - http://127.0.0.1"+x.port+"/more", 1)
	if err := os.WriteFile(file, []byte(more), 0o666); err != nil || more == string(text) {
		x.Fatal(err, string(text))
	}
	x.held(strings.Replace(line, address, address+" http://127.0.0.1"+x.port+"/more", 1))
	x.said = string(text)
	x.told("Written by watershed for a harvest of addresses. Change what you like: the same command, or")
	got := x.told("(watershed harvest) with this file, goes by it. Every option: (watershed config example " +
		"reference)")
	x.held(got[0] + " -q harvests/other.yaml")
	x.follow(0, got[1])
}

// held interrupts a harvest when it asks for /held.
func (x *trial) held(line string) {
	x.Helper()
	_, end := x.begin(line)
	x.interrupt()
	end(exitInterrupted)
}

func importsAdvised(x *trial) {
	if err := os.WriteFile(x.path("seeds here.txt"), []byte("http://a.example/\n"), 0o666); err != nil {
		x.Fatal(err)
	}
	x.run(exitConfig, "watershed config check 'seeds here.txt'")
	x.follow(0, x.told(`may be .*: translate it by\n  (.*)`)[0])
	if _, err := os.Stat(x.path("harvest.yaml")); err != nil {
		x.Error(err)
	}
	brozzler := "id: a\nseeds:\n- url: http://a.example/\nwarcprox_meta: {warc-prefix: a}\n"
	if err := os.WriteFile(x.path("their job.yaml"), []byte(brozzler), 0o666); err != nil {
		x.Fatal(err)
	}
	if err := os.Remove(x.path("harvest.yaml")); err != nil {
		x.Fatal(err)
	}
	x.run(exitConfig, "watershed config check 'their job.yaml'")
	x.follow(0, x.told(`is no harvest of this program but .*: translate it by\n  (.*)`)[0])
	x.run(exitConfig, about("import"))
	x.follow(0, x.told(`If it is a harvest of this program: (watershed config check '\S+ \S+')`)[0])
}

func uploadAdvised(x *trial) {
	x.run(0, harvestIt)
	x.run(exitConfig, about("upload"))
	x.follow(0,
		x.told(`upload.store is not set: see the group upload of (watershed config example reference)`)[0])
	for _, key := range []string{"store", "bucket", "access_key", "secret_key"} {
		if !strings.Contains(x.said, "  "+key+": ") {
			x.Errorf("the reference has no %s", key)
		}
	}
	store := &bucket.Store{Bucket: "archive", AccessKey: "hunter2secret"}
	server := httptest.NewServer(store)
	x.Cleanup(server.Close)
	x.set("upload.store", `"`+server.URL+`"`, "upload.bucket", "none", "upload.access_key", "env:NO_KEY",
		"upload.secret_key", "env:KEY", "upload.prefix", "here")
	x.run(exitConfig, about("upload"))
	x.set("upload.access_key", "env:HOME")
	x.run(exitFailed, about("upload"))
	x.told(`the store refuses the key .*: see (upload.access_key) and upload.secret_key, and what that ` +
		`key may do in bucket`)
	x.set("upload.access_key", "env:KEY")
	x.run(exitFailed, about("upload"))
	x.told(`has no bucket "none": create it, or mend (upload.bucket)`)
	x.set("upload.bucket", "archive")
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "<html>Welcome")
	}))
	x.Cleanup(portal.Close)
	x.set("upload.store", `"`+portal.URL+`"`)
	x.run(exitFailed, about("upload"))
	elsewhere := httptest.NewServer(http.RedirectHandler(server.URL, http.StatusMovedPermanently))
	x.Cleanup(elsewhere.Close)
	x.set(x.told(`what answers at .* is no store that speaks S3 \(.*\): see (upload.store)`)[0],
		`"`+elsewhere.URL+`"`)
	x.run(exitFailed, about("upload"))
	x.set(x.told(`the store is asked at the wrong place, and a redirect is not followed \(.*\): see ` +
		`(upload.store) and upload.region`)[0], `"`+server.URL+`"`)
	store.Put("here/site/run-0001/indexes/index.cdxj", []byte("another"))
	x.run(exitFailed, about("upload"))
	x.told(`the store holds something else under this name, which is left as it is: give (upload.prefix) ` +
		`another ` +
		`value, or move that object away`)
	x.set("upload.prefix", "there")
	x.follow(0, about("upload"))

	x.set("upload.access_key", "env:HOME")
	x.run(exitLosses, harvestIt)
	command := x.told(`The archive is whole here. To go on with the upload: (watershed upload '\S+ \S+')`)[0]
	x.set("upload.access_key", "env:KEY")
	x.follow(0, command)
	if len(store.Objects()) < 4 {
		x.Errorf("%d objects", len(store.Objects()))
	}
	// what a process that was killed at the end of a run has left does not keep the run from the store
	x.file("harvests/site/run-0001/status.json", `{"phase": "delivering", "time": "`+
		time.Now().Format(time.RFC3339)+`"}`)
	const lost = "there/site/run-0001/indexes/index.cdxj"
	store.Put(lost, nil)
	x.run(0, about("upload"))
	if _, has := store.Objects()[lost]; !has {
		x.Errorf("%s is not uploaded: %s", lost, x.said)
	}
}

// commandsAdvised types what is no command, and then what is to be tried in its place.
func commandsAdvised(x *trial) {
	x.web.links = []string{"/p1"}
	x.run(0, harvestIt)
	warcs, err := filepath.Glob(x.path("harvests/site/run-0001/archive/*.warc.gz"))
	if err != nil || len(warcs) != 1 {
		x.Fatal(warcs, err)
	}
	for _, word := range slices.Sorted(maps.Keys(elsewhere)) {
		x.run(exitUsage, "watershed "+word)
		for _, line := range regexp.MustCompile(`,? or |, `).Split(x.told("Try: (.*)")[0], -1) {
			switch {
			case strings.Contains(line, "warc ls FILE"):
				line = strings.Replace(line, "FILE", "'"+warcs[0]+"'", 1)
			case strings.Contains(line, "ui --open"):
				line = "timeout --foreground --preserve-status -s INT 2 " + line
			}
			want := 0
			if strings.Contains(line, "control") {
				want = exitFailed // no run is under way
			}
			x.follow(want, strings.NewReplacer("WORDS", "p1", "FOLDER", ".").Replace(line))
		}
	}
	x.run(0, "mkdir empty")
	x.run(exitUsage, "watershed status empty")
	x.follow(0, x.told("is a folder without the YAML of a harvest: (watershed config example) prints one")[0])
	x.run(exitUsage, "watershed")
	x.follow(0, x.told(`These are the first \d+ of \d+ commands: (watershed --help) lists all`)[0])
	help := x.told(`(watershed COMMAND --help) tells of one`)[0]
	for _, name := range []string{"harvest", "copies"} {
		x.follow(0, strings.Replace(help, "COMMAND", name, 1))
	}
	x.file("key", "a key that is long enough\n")
	x.file("cluster.yaml", "{cluster: trial, key: \"file:key\", folder: n, nodes: [{name: n, clients: "+
		"\"127.0.0.1:1\", peers: \"127.0.0.1:2\"}]}\n")
	alone := "watershed harvest -q --words --cluster cluster.yaml '" + trialYAML + "'"
	x.run(exitUsage, alone)
	x.follow(0, strings.Replace(alone, x.told("is for a harvest on one machine: not with (--cluster)")[0]+
		" cluster.yaml ", "", 1))
	x.run(exitUsage, "watershed copies nonsense")
	x.follow(0, x.told("Try: (watershed copies --help)")[0])
	x.run(exitUsage, "watershed nonsense")
	x.follow(0, x.told("Try: (watershed --help)")[0])
	x.run(0, about("search --limit 1")+" example")
	x.follow(0, about("search "+x.told("; there are more: (--from [0-9]+)")[0])+" example")
}

// keysAdvised sets what a message about the YAML says is to be set.
func keysAdvised(x *trial) {
	x.set("copies.find", "confirm", "copies.sketch", "false")
	x.run(exitConfig, about("config check"))
	got := x.told(`set (copies.find): (off) as well`)
	x.set(got[0], got[1])
	x.follow(0, about("config check"))

	x.set("copies.sketch", "", "copies.prune", "run")
	x.run(exitConfig, about("config check"))
	got = x.told(`set (copies.find): (confirm) as well`)
	x.set(got[0], got[1])
	x.follow(0, about("config check"))
	x.set("copies.find", "off", "copies.prune", "", "copies.sketch", "")

	text := x.keys["operator"]
	x.set("operator", "")
	x.run(exitConfig, about("config check"))
	x.told("operator.(name|contact) is required")
	x.set("operator", text)
	x.follow(0, about("config check"))

	x.set("politeness.shared", "always")
	x.run(0, "env -u HOME -u XDG_CACHE_HOME watershed harvest -q --json-log '"+trialYAML+"'")
	key := x.told("other harvests of this machine may ask the same hosts at the same time: give " +
		"(politeness.shared_dir)")[0]
	x.set(key, "shared")
	x.follow(0, "env -u HOME -u XDG_CACHE_HOME watershed harvest -q --json-log '"+trialYAML+"'")
	x.quiet("at the same time")
}

// demoAdvised tries what the demo says to try next.
func demoAdvised(x *trial) {
	x.run(0, "watershed demo --dir 'my demo'")
	lines := strings.Split(strings.TrimSpace(x.told(`(?s)Try next:\n(.*)`)[0]), "\n")
	if len(lines) != 6 {
		x.Errorf("%q", lines)
	}
	for _, line := range lines {
		if strings.Contains(line, " ui ") {
			line = "timeout --foreground --preserve-status -s INT 2 " + line
		}
		x.follow(0, line)
	}
	x.told("run-0002: complete")
}

func killed(x *trial) {
	x.web.links = []string{"/p1", "/held"}
	_, end := x.begin(harvestIt)
	x.kill()
	end(-1)
	x.until("goes on", about("status")) // a moment passes before the process is missed
	x.told("crawling, but no process has told of it since; the same command goes on")
	x.web.held.Store(nil)
	x.follow(0, harvestIt)
	x.has("http://a.example/p1", "http://a.example/held")
}

func limitOfBytes(x *trial) {
	x.web.links = []string{"/p1", "/p2", "/large", "/p3"}
	x.set("limits.bytes", "1kB")
	x.run(exitBytes, "watershed harvest '"+trialYAML+"'")
	key := x.told(`the harvest reached its limit of .* bytes \((limits.bytes)\)`)[0]
	x.run(0, about("explain")+" http://a.example/p3")
	x.told("the same command goes on, where limits.bytes ended it once that is raised")
	x.set(key, "1GB")
	x.follow(0, harvestIt)
	x.has("http://a.example/large", "http://a.example/p3")
}

func trapsAdvised(x *trial) {
	x.web.links = []string{"/styled"}
	x.set("traps.max_nested", "1")
	x.run(0, harvestIt)
	x.run(0, about("skipped"))
	x.run(0, about("explain")+" "+regexp.MustCompile(`http://a\.example/styles/[0-9]`).FindString(x.said))
	nested := x.told(`raise (traps.max_nested), then ` + extend)
	x.set(nested[0], "10000")
	x.follow(0, nested[1])
	x.has("http://a.example/styles/9")
	x.set("harvest", "chains")
	x.web.links = []string{
		"/chain/1", "http://one.a.example/", "http://two.a.example/",
		"http://three.a.example/",
	}
	x.set("site.boundary", "domain", "traps.max_hops", "3", "traps.max_hosts", "3")
	x.run(0, harvestIt)
	x.run(0, about("explain")+" http://a.example/chain/4")
	x.set(x.told("raise (traps.max_hops), then " + extend)[0], "10")
	x.run(0, about("skipped"))
	out := regexp.MustCompile(`http://\w+\.a\.example/\S*`).FindString(x.said)
	x.run(0, about("explain")+" "+out)
	got := x.told("raise (traps.max_hosts), then " + extend)
	x.set(got[0], "10")
	x.follow(0, got[1])
	x.has("http://a.example/chain/4", "http://a.example/chain/6", "http://one.a.example/",
		"http://two.a.example/",
		"http://three.a.example/")
}

func decisionAdvised(x *trial) {
	x.web.links = []string{"/p1", "/p2"}
	x.run(0, about("decide exclude")+" http://a.example/p1")
	x.run(0, harvestIt)
	x.run(0, about("explain")+" http://a.example/p1")
	got := x.told(`withdraw the decision \((watershed decide list '\S+ \S+')\), then ` + extend)
	x.follow(0, got[0])
	x.told("(http://a.example/p1)")
	x.run(0, about("decide withdraw")+" http://a.example/p1")
	x.follow(0, got[1])
	x.has("http://a.example/p1")

	// So it is of what waits when a run is told.
	x.web.links = []string{"/held", "/p3"}
	x.set("harvest", "told")
	release, end := x.begin(harvestIt)
	x.run(0, about("decide exclude")+" http://a.example/p3")
	release()
	end(0)
	x.run(0, about("explain")+" http://a.example/p3")
	got = x.told(`take the rule that is told away from exclude, or withdraw the decision ` +
		`\((watershed decide list '\S+ \S+')\), then ` + extend)
	x.follow(0, got[0])
	x.told("(http://a.example/p3)")
	x.run(0, about("decide withdraw")+" http://a.example/p3")
	x.follow(0, got[1])
	x.has("http://a.example/p3")
}

func loginAdvised(x *trial) {
	x.set("site.seeds", `["http://a.example/members/1"]`, "site.login",
		"{scheme: basic, user: ann, password: env:HOME}")
	x.run(exitFailed, harvestIt)
	x.run(0, about("explain")+" http://a.example/members/1")
	key := x.told("see the log for what was refused, mend (login) under the site in the YAML or the " +
		"file or variable that it names, then run the same command again")[0]
	x.set("site."+key, "{scheme: basic, user: ann, password: env:KEY}")
	x.follow(0, harvestIt)
	x.has("http://a.example/members/1")

	// A seed that anybody may see is no proof of it.
	x.web.links = []string{"/members/2"}
	x.set("harvest", "public", "site.seeds", `["http://a.example/"]`, "site.login",
		"{scheme: basic, user: ann, password: env:HOME}")
	x.run(exitLosses, harvestIt)
	x.told("note +site a: answers had with its login: [0-9]+; it is refused at 1 URL: see losses.txt")
	x.run(0, about("explain")+" http://a.example/members/2")
	x.set("site."+x.told("mend (login) under the site in the YAML")[0],
		"{scheme: basic, user: ann, password: env:KEY}")
	x.follow(0, harvestIt)
	x.has("http://a.example/members/2")
}

func ratesDamaged(x *trial) {
	x.run(0, harvestIt)
	if err := os.WriteFile(x.path("harvests/site/rates.json"), []byte("[[["), 0o666); err != nil {
		x.Fatal(err)
	}
	x.run(0, harvestIt)
	x.told("run-0002: complete")
	x.run(exitFailed, about("forecast"))
	file := x.told(`read (\S+/rates.json): .*: move it away, and how often pages change is learnt anew`)[0]
	x.follow(0, "mv "+file+" away")
	x.follow(0, harvestIt)
	x.run(0, about("forecast"))
	if err := os.WriteFile(x.path("harvests/site/replicas.yaml"), []byte("[["), 0o666); err != nil {
		x.Fatal(err)
	}
	x.run(exitFailed, harvestIt)
	x.told("mend it there, or bring the file back from a copy")
	x.run(0, about("status")) // it is not being opened any more
	x.told(`(?m)^stopped: \d+ URLs`)
}

func earlierDamaged(x *trial) {
	x.run(0, harvestIt)
	whole := x.delivered()
	for path, was := range whole {
		if !strings.HasSuffix(path, ".warc.gz") {
			continue
		}
		text := []byte(was)
		for at := 1000; at < len(text); at += 100 { // behind the record of the file itself
			text[at] ^= 0xff
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			x.Fatal(err)
		}
	}
	x.run(0, harvestIt)
	told := x.told(`WARC file (\S+) is damaged: .* \((watershed warc check \S+) tells all damage`)
	x.follow(exitFailed, told[1])
	x.run(0, harvestIt)
	x.told("is damaged: .* Bring a copy of it back")
	for path, text := range whole {
		if strings.HasSuffix(path, told[0]) {
			err := os.WriteFile(path, []byte(text), 0o666)
			if err != nil {
				x.Fatal(err)
			}
		}
	}
	x.run(0, about("status"))
	x.quiet("is damaged")
}

// advice are the texts of the program that name one of its commands, a flag, or a key of the YAML to be
// set, or that tell to begin again.
func advice(t *testing.T) []string {
	t.Helper()
	reference, err := configs.Parse("reference.yaml", configs.Reference())
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for _, o := range reference.Effective() {
		keys[regexp.MustCompile(`\[\d+\]`).ReplaceAllString(o.Key, "")] = true
	}
	parser, err := newParser()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range parser.Model.Children {
		names = append(names, c.Name)
	}
	key := regexp.MustCompile(`[a-z_]+(?:\.[a-z_]+)+`)
	advises := regexp.MustCompile(`watershed (` + strings.Join(names, "|") + `|--|COMMAND)|--[a-z][a-z-]+|` +
		`same command|start (it |the harvest )?again|harvest asks again`)
	var list []string
	for _, text := range sourceTexts(t) {
		if !strings.Contains(text, " ") || strings.Contains(text, `:"`) || strings.HasPrefix(text,
			"--") { // a name, or the tag of a field
			continue
		}
		named := slices.ContainsFunc(key.FindAllString(text, -1), func(k string) bool { return keys[k] }) &&
			!keys[key.FindString(strings.FieldsFunc(text, unicode.IsSpace)[0])] // which tells of a mistake
		if (named || advises.MatchString(text)) && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// unrun are texts that no trial follows, by the reason.
var unrun = map[string][]string{
	"of the machine's clock, which a test must not set": {
		"set it by NTP, on systemd by timedatectl set-ntp true, and start again",
	},
	"the first line of a format": {"# watershed copies 1"},
}
