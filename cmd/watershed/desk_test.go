package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/demo"
	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/ui"
)

// TestDeskBesideHarvest: the desk that a harvest serves pauses it, decides on it, explains and
// stops it, over HTTP.
func TestDeskBesideHarvest(t *testing.T) {
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("correct horse battery"), 0o600); err != nil {
		t.Fatal(err)
	}
	web := demo.New(demo.Options{})
	err := web.Serve(t.Context(), func(ctx context.Context) error {
		file := filepath.Join(dir, "demo.yaml")
		if err := os.WriteFile(file, demoYAML(web), 0o666); err != nil {
			return err
		}
		told, stderr := io.Pipe()
		exit := make(chan int, 1)
		go func() {
			exit <- run(ctx, []string{"harvest", file, "--ui", "--token-file", token}, io.Discard, stderr)
			stderr.Close()
		}()
		d := deskClient{t: t}
		lines := bufio.NewScanner(told)
		for lines.Scan() {
			if _, link, ok := strings.Cut(lines.Text(), "The desk, for one browser: "); ok {
				u, err := url.Parse(link)
				if err != nil {
					return err
				}
				d.root = "http://" + u.Host + "/api/v1/harvests/demo/"
			}
			if strings.HasPrefix(lines.Text(), "crawling") {
				break
			}
		}
		go io.Copy(io.Discard, told) // until it is closed
		d.steps()
		if code := <-exit; code != exitInterrupted {
			t.Errorf("exit %d", code)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	orders, err := harvest.ReadOrders(harvest.Folder(filepath.Join(dir, "demo")).Run(1))
	if err != nil || len(orders) != 4 || orders[0].Do != control.Pause || orders[3].By != "anna" {
		t.Errorf("orders %+v, %v", orders, err)
	}
}

// deskClient is a program that asks a desk.
type deskClient struct {
	t    *testing.T
	root string
}

// steps are what the archivist does while the harvest goes on.
func (d *deskClient) steps() {
	var a control.Answer
	for d.ask("POST", "orders", `{"do":"pause","by":"anna","note":"to look"}`, &a) == http.StatusConflict {
	} // it does not listen yet
	if len(a.Done) != 1 || a.Done[0].New != "paused" {
		d.t.Errorf("pause: %+v", a)
	}
	var ruled ui.Ruled
	if status := d.ask("POST", "decisions",
		`{"do":"exclude","rule":"http://osage.example/verso/","below":true,"by":"anna"}`,
		&ruled); status != 200 || !ruled.Settled {
		d.t.Errorf("exclude: status %d, %+v", status, ruled)
	}
	var x ui.ExplainModel
	if status := d.ask("GET", "explain?url=http://osage.example/verso/a", "", &x); status != 200 || !x.Live ||
		len(x.Sites) != 3 || len(x.Decisions) != 1 {
		d.t.Errorf("explain: status %d, %+v", status, x)
	}
	if status := d.ask("POST", "orders", `{"do":"delay","host":"no host","seconds":3600}`,
		&a); status == 200 {
		d.t.Error("delay of a host that is none")
	}
	if status := d.ask("POST", "orders", `{"do":"limit","limit":"pages","value":1000}`, &a); status != 200 {
		d.t.Errorf("limit: status %d", status)
	}
	if status := d.ask("POST", "orders", `{"do":"stop","by":"anna"}`, &a); status != 200 {
		d.t.Errorf("stop: status %d", status)
	}
}

func (d *deskClient) ask(method, path, body string, answer any) int {
	d.t.Helper()
	r, err := http.NewRequestWithContext(d.t.Context(), method, d.root+path, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer correct horse battery")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Error(err)
		return 0
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode == http.StatusOK {
		err = json.Unmarshal(text, answer)
	}
	if err != nil {
		d.t.Errorf("%s %s: %v\n%s", method, path, err, text)
	}
	return resp.StatusCode
}
