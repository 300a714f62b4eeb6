package replaycheck

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/harvest"
	"watershed/holdings"
	"watershed/page"
	"watershed/replay"
)

//go:embed compare.cjs
var script string

// check is what is to be compared.
type check struct {
	Folder   harvest.Folder
	Browser  string // the script that starts Chromium
	Proxy    string // of the live web
	Resolve  string // of the live web: Chromium's --host-resolver-rules, "" for none
	Pictures string
	Pages    int
	Seed     uint64
	URLs     []page.URL // in place of a sample
}

// job is one page for the script.
type job struct {
	URL  string `json:"url"`
	View string `json:"view"`
}

// result is what the script says of one page.
type result struct {
	URL    string `json:"url"`
	Live   side   `json:"live"`
	Replay side   `json:"replay"`
}

type side struct {
	Asked []request `json:"asked"`
	Error string    `json:"error"`
	Look  *look     `json:"look"`
}

type request struct {
	URL    string `json:"url"`
	Status int    `json:"status"` // 0 where no answer came
	Kind   string `json:"kind"`
	Error  string `json:"error"`
}

// look is how a page came out.
type look struct {
	Text       string   `json:"text"`
	Height     int      `json:"height"`
	Images     int      `json:"images"` // that are seen
	Broken     []string `json:"broken"`
	Fonts      []string `json:"fonts"`
	Background string   `json:"background"`
	Family     string   `json:"family"`
}

// run serves the replay, has the script open the pages, and judges.
func (c *check) run(ctx context.Context) (_ []verdict, err error) {
	urls := c.URLs
	if urls == nil {
		runs, err := c.Folder.Runs()
		if err != nil {
			return nil, err
		}
		if urls, err = holdings.Sample(c.Folder, runs, c.Pages, c.Seed, false); err != nil {
			return nil, err
		}
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: &replay.Server{
		Key:     "key",
		Folder:  func(name string) (harvest.Folder, bool) { return c.Folder, name == "h" },
		Sheet:   []byte(sheet),
		Allowed: func(*http.Request) bool { return true }, Text: func(s string) string { return s },
	}}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	defer func() {
		err = errors.Join(err, server.Close())
		if e := <-served; !errors.Is(e, http.ErrServerClosed) {
			err = errors.Join(err, e)
		}
	}()
	origin := "http://" + l.Addr().String()
	var jobs []job
	for _, u := range urls {
		jobs = append(jobs, job{string(u), origin + "/key/h/" + replay.Address("view", u, time.Time{})})
	}
	results, err := c.look(ctx, jobs)
	if err != nil {
		return nil, err
	}
	var verdicts []verdict
	for i := range results {
		verdicts = append(verdicts, judge(&results[i], origin))
	}
	return verdicts, nil
}

// sheet has the frame be as wide and high as the window of the live page.
const sheet = "body{margin:0}header{position:absolute;left:-9999px}" +
	"iframe{border:0;display:block;width:100vw;height:100vh}"

// look runs the script.
func (c *check) look(ctx context.Context, jobs []job) (results []result, err error) {
	task, err := json.Marshal(map[string]any{
		"proxy": c.Proxy, "resolve": c.Resolve, "pages": jobs,
		"pictures": c.Pictures,
	})
	if err != nil {
		return nil, err
	}
	launch, err := filepath.Abs(c.Browser)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "node", "-e", script, launch)
	cmd.Stdin = bytes.NewReader(task)
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("browser: %w: %s", err, wrong.String())
	}
	return results, json.Unmarshal(out.Bytes(), &results)
}

// verdict is what was found of one page.
type verdict struct {
	url        string
	requisites int      // that the live page loaded
	missing    []string // of these, what the replay did not load
	leaks      []string // what was asked of others than the replay
	differs    []string // how the page looks otherwise
}

func (v *verdict) good() bool { return len(v.missing)+len(v.leaks)+len(v.differs) == 0 }

// print tells it in a line, and a line for each thing that is wrong.
func (v *verdict) print(out io.Writer) {
	mark := "PASS"
	if !v.good() {
		mark = "FAIL"
	}
	fmt.Fprintf(out, "%s %s: %d requisites, %d missing, %d requests elsewhere\n", mark, v.url, v.requisites,
		len(v.missing), len(v.leaks))
	for name, list := range map[string][]string{
		"missing": v.missing, "elsewhere": v.leaks,
		"differs": v.differs,
	} {
		for _, line := range list {
			fmt.Fprintf(out, "     %s: %.300s\n", name, line)
		}
	}
}

// judge compares both sides of a page. Scripts are no requisites here, nor is what is not seen in a
// page: its icon, its manifest.
func judge(r *result, origin string) verdict {
	v := verdict{url: r.URL}
	loaded := map[string]bool{}
	for _, q := range r.Replay.Asked {
		if strings.HasPrefix(q.URL, "data:") {
			continue
		}
		if !strings.HasPrefix(q.URL, origin+"/") {
			v.leaks = append(v.leaks, q.URL)
			continue
		}
		u := askedFor(q.URL)
		if u != "" && q.Status >= 200 && q.Status < 400 {
			loaded[u] = true
		}
	}
	if r.Live.Error != "" || r.Replay.Error != "" {
		v.differs = append(v.differs, "live "+r.Live.Error+", replay "+r.Replay.Error)
	}
	seen := map[string]bool{}
	for _, q := range r.Live.Asked {
		u := canonical(q.URL)
		if strings.HasPrefix(q.URL, "data:") || q.Kind == "script" || q.Kind == "other" || q.Status < 200 ||
			q.Status >= 400 || u == canonical(r.URL) || seen[u] || strings.HasSuffix(u, "/favicon.ico") {
			continue
		}
		seen[u] = true
		v.requisites++
		if !loaded[u] {
			v.missing = append(v.missing, fmt.Sprintf("%s (%s)", u, q.Kind))
		}
	}
	slices.Sort(v.missing)
	if r.Live.Look != nil && r.Replay.Look != nil {
		v.differs = append(v.differs, r.Live.Look.differs(r.Replay.Look)...)
	}
	return v
}

// differs tells in what two looks differ, but for what the absence of a script may have done.
func (a *look) differs(b *look) (list []string) {
	if a.Text != b.Text {
		at := 0
		for at < min(len(a.Text), len(b.Text)) && a.Text[at] == b.Text[at] {
			at++
		}
		from := max(0, at-40)
		list = append(list, fmt.Sprintf("text: live %q, replay %q", a.Text[from:min(len(a.Text), at+60)],
			b.Text[from:min(len(b.Text), at+60)]))
	}
	if d := a.Height - b.Height; d < -2 || d > 2 {
		list = append(list, fmt.Sprintf("height: live %d, replay %d", a.Height, b.Height))
	}
	if a.Images != b.Images {
		list = append(list, fmt.Sprintf("images: live %d, replay %d, broken %v", a.Images,
			b.Images, b.Broken))
	}
	if !slices.Equal(a.Fonts, b.Fonts) {
		list = append(list, fmt.Sprintf("fonts: live %v, replay %v", a.Fonts, b.Fonts))
	}
	if a.Background != b.Background {
		list = append(list, fmt.Sprintf("background: live %s, replay %s", a.Background, b.Background))
	}
	if a.Family != b.Family {
		list = append(list, fmt.Sprintf("font family: live %s, replay %s", a.Family, b.Family))
	}
	return list
}

// askedFor is the archived URL that an address of the replay asks for.
func askedFor(address string) string {
	u, err := url.Parse(address)
	if err != nil || !strings.HasSuffix(u.Path, "/page") {
		return ""
	}
	return canonical(u.Query().Get("u"))
}

// canonical is an address as the archive has it, without its scheme: browsers ask some hosts by
// HTTPS whatever the link says.
func canonical(address string) string {
	u, err := page.ParseURL(address)
	if err != nil {
		return address
	}
	return strings.TrimPrefix(string(u), u.Scheme()+":")
}
