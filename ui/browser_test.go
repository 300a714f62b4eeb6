package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"watershed/cluster"
	"watershed/harvest"
	"watershed/lab/kit/browser"
	"watershed/search"
)

// TestBrowser looks at every view in headless Chromium (testdata/browser.cjs).
func TestBrowser(t *testing.T) {
	d := newDesk(t)
	writePages(t, d.folder.Run(1), map[string]string{
		"http://www.gemo.example/a": "<title>" + evil +
			"</title><p>the old page says <b onclick='alert(1)'>much</b> here<script>alert(1)</script><img " +
			"src=lost.png>",
		"http://m0.example/a": "<p>the new page says nothing here <a href='http://live.example/'>away</a>",
	})
	if _, err := search.Update(t.Context(), d.folder, nil); err != nil {
		t.Fatal(err)
	}
	d.server.options.Board = func() (*cluster.Board, error) { return boardOf(evil), nil }
	lookAt(t, d.server, map[string]string{
		"home": "/", "machines": "/machines", "harvest": "/harvests/gemo", "sites": "/harvests/gemo/sites",
		"site":    "/harvests/gemo/sites/000-gemo",
		"region":  "/harvests/gemo/sites/000-gemo?region=http://www.gemo.example/",
		"scales":  "/harvests/gemo/sites/001-scaled?at=0.2",
		"control": "/harvests/gemo/control", "decisions": "/harvests/gemo/decisions",
		"explain": "/harvests/gemo/explain?url=http://h1.example/d1/p1",
		"skipped": "/harvests/gemo/skipped?page=3", "settings": "/harvests/gemo/settings",
		"mirrors": "/harvests/gemo/mirrors", "changes": "/harvests/gemo/changes",
		"captures": "/harvests/gemo/captures",
		"quality":  "/harvests/gemo/quality?pages=5", "search": "/harvests/gemo/search?q=page",
		"compare": "/harvests/gemo/mirrors/compare?from=m0.example",
	}, "")
}

// TestHarvestInBrowser does the same with a real harvest. DESK_HARVEST names its folder, such as
// that of two demos:
//
//	watershed demo --dir D; watershed demo --again --dir D
//	DESK_HARVEST=D/demo go test ./ui -run HarvestInBrowser
//
// DESK_PICTURES names a folder for a picture of each view, as docs/img has them.
func TestHarvestInBrowser(t *testing.T) {
	folder := harvest.Folder(os.Getenv("DESK_HARVEST"))
	if folder == "" {
		t.Skip("DESK_HARVEST is not set")
	}
	s, err := New(Options{Harvests: []Harvest{{Name: filepath.Base(string(folder)), Folder: folder}}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := folder.Last()
	if err != nil {
		t.Fatal(err)
	}
	sites, err := siteFolders(run)
	if err != nil || len(sites) == 0 {
		t.Fatal("the last run has no maps", err)
	}
	root := "/harvests/" + url.PathEscape(filepath.Base(string(folder)))
	paths := map[string]string{"home": "/", "harvest": root, "left-out": root + "/skipped"}
	for _, view := range []string{
		"sites", "control", "decisions", "settings", "mirrors", "changes",
		"captures", "quality", "search",
	} {
		paths[view] = root + "/" + view
	}
	site, most := "", -1
	for i, name := range sites {
		x, err := readSiteMap(filepath.Join(run.Sites(), name, "map.json"))
		if err != nil {
			t.Fatal(err)
		}
		inside := 0
		for k := range x.Blocks {
			inside += b2i(x.Blocks[k].Inside > 0)
		}
		if inside > most { // the site with most blocks has most to show
			site, most = name, inside
			if len(x.Scales) > 0 {
				paths["scales"] = fmt.Sprintf("%s/sites/%s?at=%g", root, name,
					middle(&x.Scales[len(x.Scales)-1]))
			}
			if x.Members.Len() > 0 {
				paths["region"] = fmt.Sprintf("%s/sites/%s?region=%s", root, site,
					url.QueryEscape(hostPrefix(string(x.Members.At(0).URL))))
				paths["explain"] = root + "/explain?" +
					url.Values{"url": {string(x.Members.At(x.Members.Len() - 1).URL)}}.Encode()
			}
		}
		if i < 3 {
			paths["site-"+name] = root + "/sites/" + name
		}
	}
	paths["site"] = root + "/sites/" + site
	lookAt(t, s, paths, os.Getenv("DESK_PICTURES"))
}

// lookAt serves a desk and looks at its views.
func lookAt(t *testing.T, s *Server, views map[string]string, pictures string) {
	t.Helper()
	launch := browser.Launch(t)
	paths, err := json.Marshal(views)
	if err != nil {
		t.Fatal(err)
	}
	whileServed(t, s, func(link string) {
		browser.Run(t, "testdata/browser.cjs", launch, link, string(paths), pictures)
	})
}

// whileServed serves a desk and has something done with its link meanwhile.
func whileServed(t *testing.T, s *Server, do func(link string)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	links, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- s.Serve(ctx, func(link string) { links <- link }) }()
	select {
	case link := <-links:
		do(link)
	case err := <-done:
		done <- err
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
