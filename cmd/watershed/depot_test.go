package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/ui"
)

// folderDesk is the program's desk of a folder, as a process of its own, and a browser at it.
type folderDesk struct {
	t    *testing.T
	cmd  *exec.Cmd
	root string
	form string
	page string // the first
	http http.Client
}

func newFolderDesk(t *testing.T, dir string) *folderDesk {
	t.Helper()
	d := startDesk(t, exec.Command("watershed", "ui", "--allow-private", "127.0.0.0/8", dir))
	d.form = formOf(d.page)
	return d
}

// formOf is the secret that a page gives to its forms.
func formOf(page string) string {
	return regexp.MustCompile(`name="csrf" value="([^"]+)"`).FindStringSubmatch(page)[1]
}

// startDesk has a command serve a desk, and a browser enter it, whatever its name and certificate are.
func startDesk(t *testing.T, cmd *exec.Cmd) *folderDesk {
	t.Helper()
	d := &folderDesk{t: t, cmd: cmd}
	out, err := d.cmd.StdoutPipe()
	if err == nil {
		err = d.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the desk prints no link")
	}
	u, err := url.Parse(lines.Text())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.kill)
	d.root = u.Scheme + "://" + u.Host
	d.http.Jar, _ = cookiejar.New(nil) // without options it cannot fail
	d.http.Transport = &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+u.Port())
		},
	}
	d.page = d.get(lines.Text())
	return d
}

// kill ends the desk as the worst end would.
func (d *folderDesk) kill() {
	_ = d.cmd.Process.Kill() // it may have ended
	_ = d.cmd.Wait()         // and then tells of the signal
}

func (d *folderDesk) text(r *http.Response, err error) string {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		d.t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", r.StatusCode, text)
}

func (d *folderDesk) get(address string) string {
	d.t.Helper()
	return d.text(d.http.Get(address))
}

func (d *folderDesk) post(path string, pairs ...string) string {
	d.t.Helper()
	values := url.Values{"csrf": {d.form}}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return d.text(d.http.PostForm(d.root+path, values))
}

// TestDeskBeginsHarvests: what is pasted into the desk is harvested by a process that pauses to be
// looked at, is not begun twice, outlives the desk, and is found, ended and begun again by the next.
func TestDeskBeginsHarvests(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>%s</title><link rel="icon" href="data:,">`, r.URL.Path)
		if r.URL.Path == "/" {
			for i := range 400 {
				fmt.Fprintf(w, `<a href="/p%d">p%d</a> `, i, i)
			}
		}
	}))
	defer site.Close()
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	d := newFolderDesk(t, dir)
	page := d.post("/new", "do", "write", "pasted", site.URL, "name", "mine", "contact", "a@library.example")
	yaml := regexp.MustCompile(`(?s)<textarea name="yaml"[^>]*>(.*?)</textarea>`).FindStringSubmatch(page)
	if yaml == nil || !strings.Contains(page, "In order: 1 site, 1 seed.") {
		t.Fatal(page)
	}
	text := strings.NewReplacer("&#34;", `"`, "&lt;", "<").Replace(yaml[1]) +
		"politeness: {min_delay: 20ms, max_delay: 20ms, address_delay: 0s}\n"
	if page := d.post("/new", "do", "look", "yaml", text); !strings.HasPrefix(page, "200 ") {
		t.Fatal(page)
	}
	if page := d.post("/harvests/mine/runs", "do", "start"); !strings.HasPrefix(page, "409 ") ||
		!strings.Contains(page, "The harvest is under way") {
		t.Errorf("it is begun twice: %s", page)
	}
	run := harvest.Folder(filepath.Join(dir, "mine")).Run(1)
	status := func() *ui.Status {
		x, err := ui.ReadStatus(run, time.Now())
		if err != nil || x == nil {
			return &ui.Status{}
		}
		return x
	}
	within(t, "it pauses", func() bool { return status().Held })
	if x := status(); x.Visits < 100 || x.Visits > 250 {
		t.Errorf("it pauses after %d", x.Visits)
	}
	d.kill()
	if !status().Live {
		t.Error("the harvest ended with the desk")
	}
	d = newFolderDesk(t, dir)
	if page := d.post("/harvests/mine/runs", "do", "start"); !strings.HasPrefix(page, "409 ") {
		t.Errorf("the next desk begins it twice: %s", page)
	}
	second, said := exec.Command("watershed", "ui", dir).CombinedOutput()
	if said == nil || !strings.Contains(string(second), "another desk keeps this folder") {
		t.Errorf("a second desk: %v, %s", said, second)
	}
	d.post("/harvests/mine/runs", "do", "stop")
	within(t, "it stops", func() bool {
		x := status()
		return x.Phase == "stopped" || !x.Live && x.Ending != nil
	})
	within(t, "it goes on", func() bool {
		return strings.HasPrefix(d.post("/harvests/mine/runs", "do", "start"), "200 ")
	})
	within(t, "it takes orders", func() bool {
		return strings.HasPrefix(d.post("/harvests/mine/runs", "do", control.Resume), "200 ")
	})
	within(t, "it is complete", func() bool {
		x := status()
		return !x.Live && x.Ending != nil && x.Ending.Sum.Captured > 400
	})
	within(t, "it can be begun again", func() bool {
		page = d.get(d.root + "/")
		return strings.Contains(page, "Recrawl<span") && strings.Contains(page, "Extend<span")
	})
}

// within waits for what another process does.
func within(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !is(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not within five minutes", what)
		}
	}
}
