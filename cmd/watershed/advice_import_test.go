package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// equalsAdvised imports files of other crawlers whose options have equals of another kind, sets in the
// YAML that import wrote what each note names, and wants the harvest to go by it.
func equalsAdvised(x *trial) {
	var proxied struct {
		sync.Mutex
		agents map[string]string // of each address that came by the proxy
	}
	proxied.agents = map[string]string{}
	noise := make([]byte, 1_200_000)
	for i, r := 0, rand.New(rand.NewPCG(1, 2)); i < len(noise); i++ {
		noise[i] = byte(r.Uint32())
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proxied.Lock()
		proxied.agents[r.URL.String()] = r.UserAgent()
		proxied.Unlock()
		if strings.HasPrefix(r.URL.Path, "/noise") {
			_, _ = w.Write(noise) // a client that went away
			return
		}
		x.web.ServeHTTP(w, r)
	}))
	x.Cleanup(proxy.Close)
	file := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(x.path(name)), 0o777); err != nil {
			x.Fatal(err)
		}
		if err := os.WriteFile(x.path(name), []byte(text), 0o666); err != nil {
			x.Fatal(err)
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile(x.path(name))
		if err != nil {
			x.Fatal(err)
		}
		return string(text)
	}
	// ours is what import wrote, with the operator that it asks for, and the options of the trial.
	ours := func(name string) {
		text := strings.NewReplacer(`name: ""`, "name: The Library of A", `contact: ""`,
			"contact: mailto:web@a.example").Replace(read(name))
		for line := range strings.Lines(read(trialYAML)) {
			if key, _, _ := strings.Cut(line, ":"); key != "harvest" && key != "operator" && key != "sites" {
				text += line
			}
		}
		file(name, text)
		x.follow(0, "watershed config check "+name)
	}

	file("crawl.yaml", "seeds: [http://a.example/]\nscopeType: host\nheadless: true\ntext: to-warc\n"+
		"userAgent: x\ncombineWARC: true\nproxyServer: socks5://there:1\n")
	x.run(0, "watershed import crawl.yaml -o their.yaml")
	draw := x.told("headless: a browser draws pages where (browser.draw) says so, and needs no such " +
		"setting")[0]
	words := x.told("text: words are indexed by (harvest --words)")[0]
	x.told("userAgent: the User-Agent has the program's name, and (operator.name) and (operator.contact)")
	size := x.told("combineWARC: WARC files are as long as (archive.warc_size) says")[0]
	by := x.told("proxyServer: only an HTTP proxy can be used: (network.proxy)")[0]
	x.said = read("their.yaml")
	x.told(`# Made by (watershed import) of crawl.yaml \(Browsertrix\)`)
	x.web.links = []string{"/p1", "/noise/1", "/noise/2"}
	x.set(draw, "never", size, "1MB", by, `"`+proxy.URL+`"`)
	ours("their.yaml")
	x.follow(0, "watershed "+words+" -q their.yaml")
	x.has("http://a.example/p1", "http://a.example/noise/2")
	x.run(0, "watershed search their.yaml p17") // a word of /p1
	if !strings.Contains(x.said, "http://a.example/p1") {
		x.Errorf("no word is indexed: %s", x.said)
	}
	proxied.Lock()
	agent := proxied.agents["http://a.example/p1"]
	clear(proxied.agents)
	proxied.Unlock()
	if !strings.Contains(agent, "watershed") ||
		!strings.Contains(agent, "The Library of A") || !strings.Contains(agent, "web@a.example") {
		x.Errorf("the proxy was told %q", agent)
	}
	warcs, err := filepath.Glob(x.path("harvests/a.example/run-0001/archive/*.warc.gz"))
	if err != nil || len(warcs) < 2 {
		x.Errorf("%d WARC files of 1 MB, %v", len(warcs), err)
	}

	x.set(size, "", by, "")
	file("job.yaml", "id: timed\nseeds:\n- url: http://a.example/\n  time_limit: 30\n  ignore_robots: true\n")
	x.run(0, "watershed import job.yaml -o timed.yaml")
	got := x.told(`ignore_robots: robots.txt is obeyed; to ignore it write (politeness.robots): (ignore) ` +
		`with a (robots_reason)`)
	limit := x.told("time_limit: no equal for each seed; (limits.time) is that of the whole harvest")[0]
	x.web.links = []string{"/secret/1"}
	for i := range 80 {
		x.web.links = append(x.web.links, fmt.Sprintf("/secret/p%d", i))
	}
	x.set(got[0], got[1], "politeness."+got[2], "they agreed", limit, "6s", // of some 16
		"politeness.min_delay", "200ms", "politeness.max_delay", "200ms")
	ours("timed.yaml")
	x.follow(exitTime, "watershed harvest -q timed.yaml")
	x.has("http://a.example/secret/1")

	x.set(limit, "", got[0], "", "politeness."+got[2], "",
		"politeness.min_delay", "0s", "politeness.max_delay", "0s")
	file("theirs/hts-cache/doit.log", "-r2 -m5000 "+
		"-P proxy:80 -%L list.txt http://a.example/\nlaunch httrack\n")
	file("list.txt", "http://a.example/p1\n")
	x.run(0, "watershed import theirs -o mirror.yaml")
	body := x.told("m5000: a limit for single files is (fetch.max_body)")[0]
	by = x.told("-P: a proxy is told under (network.proxy)")[0]
	x.follow(0, x.told("-%L: a list of addresses: (watershed import list.txt), or seeds")[0])
	x.web.links = []string{"/large"}
	x.set(body, "16KiB", by, `"`+proxy.URL+`"`)
	ours("mirror.yaml")
	file("mirror.yaml", strings.Replace(read("mirror.yaml"), "harvest: a.example", "harvest: mirror", 1))
	x.follow(exitLosses, "watershed harvest -q mirror.yaml")
	x.run(0, "watershed explain mirror.yaml http://a.example/large")
	proxied.Lock()
	defer proxied.Unlock()
	if !strings.Contains(x.said, "was cut") || proxied.agents["http://a.example/large"] == "" {
		x.Error(x.said)
	}
}
