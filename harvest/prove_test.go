package harvest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"watershed/page"
	"watershed/replica"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

// twins is a site whose mirror nothing tells of: the mirror is as mirrored makes it, an older
// edition has other texts.
func twins(t *testing.T) (*web, Plan) {
	w, site := mirrored()
	for i := range 10 {
		w.pages[fmt.Sprintf("old.site.example/c%d", i)] = links("/") + prose(50+i)
	}
	all := []string{"/c1", "/c2", "/c3", "/c4", "/c5", "/c6", "/c7", "/c8", "/c9", "/c0"}
	for i := range 5 { // for which the site is not asked
		all = append(all, fmt.Sprintf("/d%d", i))
		w.pages["old.site.example"+all[len(all)-1]] = links("/") + prose(70+i)
	}
	w.pages["old.site.example/"] = links(all...)
	w.pages["www.site.example/"] += links("http://old.site.example/")
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	return w, p
}

// A mirror that was crawled as a whole is proved by what was captured, without a request; an older
// edition is not.
func TestMirrorFoundInCaptures(t *testing.T) {
	w, p := twins(t)
	p.Replicas.Find, p.Replicas.Confirm = true, true
	folder := Folder(t.TempDir())
	run(t, folder, p)
	e := state(t, folder, replica.Confirmed)
	if e.To != "www.site.example" || e.Level != 3 || e.Method != "captured" || e.By != "test" {
		t.Errorf("entry %+v", e)
	}
	table, err := ReadTable(folder.Replicas())
	if err != nil {
		t.Fatal(err)
	}
	if table.Len() != 1 {
		t.Errorf("%d entries: %v", table.Len(), table.All())
	}
	w.forget()
	run(t, folder, p)
	if n := w.onHost("m.site.example"); n != 4 {
		t.Errorf("the second harvest asked the mirror for %d pages; its entry page and 3 were to be", n)
	}
	state(t, folder, replica.Pruned)
}

// Where the plan only wants proposals, what was found is left to be confirmed.
func TestMirrorProposedOnly(t *testing.T) {
	_, p := twins(t)
	p.Replicas.Find = true
	folder := Folder(t.TempDir())
	run(t, folder, p)
	if e := state(t, folder, replica.Proposed); e.Level != 3 {
		t.Errorf("level %d", e.Level)
	}
}

// proposals puts pairs into the table, a host and what stands for it in turn.
func proposals(t *testing.T, folder Folder, names ...string) {
	t.Helper()
	err := folder.EditTable(func(table *replica.Table) error {
		for i := 0; i < len(names); i += 2 {
			if _, err := table.Propose(replica.Entry{
				From: names[i], To: names[i+1], Method: "ranking",
				Found: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A pair that was proposed is tested while the next harvest goes on: only what the tests ask for is
// fetched of a host that is not of the site.
func TestMirrorProvedInHarvest(t *testing.T) {
	w, site := mirrored()
	site.Boundary, site.Seeds = sitemap.HostOnly, []page.URL{"http://www.site.example/"}
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Confirm = true
	folder := Folder(t.TempDir())
	run(t, folder, p)
	if n := w.onHost("m.site.example"); n != 0 {
		t.Fatalf("the mirror was asked for %d pages", n)
	}
	proposals(t, folder, "m.site.example", "www.site.example")
	w.forget()
	run(t, folder, p)
	e := state(t, folder, replica.Confirmed)
	if e.Level != 3 || e.Method != "ranking" || e.Evidence.Tested != 10 || e.Evidence.Agreed < 9 {
		t.Errorf("entry %+v", e)
	}
	if n := w.onHost("m.site.example"); n < 10 || n > 13 {
		t.Errorf("the tests asked the mirror for %d pages: its front page and 9 paths were to be", n)
	}
}

// TestTestsCountForTheirSite: what tests ask of a site's copies is no page of the first site.
func TestTestsCountForTheirSite(t *testing.T) {
	w, site := mirrored()
	site.Boundary = sitemap.HostOnly
	first := sitemap.Site{
		Name: "first", Seeds: []page.URL{"http://first.example/"}, Boundary: sitemap.HostOnly,
	}
	for i, path := range []string{"/", "/a", "/b", "/c"} {
		w.pages["first.example"+path] = links("/a", "/b", "/c") + prose(80+i)
	}
	p := w.start(t, first, site)
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Confirm = true
	p.Frontier.Sites[0].Limits.Pages, p.Sites[0].MaxPages = 4, 4
	folder := Folder(t.TempDir())
	run(t, folder, p)
	proposals(t, folder, "m.site.example", "www.site.example")
	w.forget()
	run(t, folder, p)
	if n, m := w.onHost("first.example"), w.onHost("m.site.example"); n != 4 || m < 10 {
		t.Errorf("the second harvest asked for %d pages of the first site, and %d of the mirror", n, m)
	}
}

// TestTestedOnce: two hosts of which a directory is left out as a copy are not proposed, and tested, as a
// whole by each run.
func TestTestedOnce(t *testing.T) {
	w := &web{pages: map[string]string{}}
	for h, host := range []string{original, copyHost} {
		home := []string{}
		for i := range 24 {
			at := fmt.Sprintf("%s/manual/c%d", host, i)
			w.pages[at] = links(fmt.Sprintf("c%d", (i+1)%24), fmt.Sprintf("c%d", i*5%24)) + prose(i)
			own := fmt.Sprintf("%s/own%d", host, i)
			w.pages[own] = strings.Replace(links("/"), "page", own, 1) + prose(100+100*h+i)
			home = append(home, "http://"+at, "http://"+own)
		}
		w.pages[host+"/"] = links(home...) + prose(90+h)
	}
	p := w.start(t, sitemap.Site{
		Name: "A", Seeds: []page.URL{"http://" + original + "/", "http://" + copyHost + "/"},
		Boundary: sitemap.HostOnly,
	})
	p.Crawl.Sketch = new(sketch.Options)
	p.Replicas.Find, p.Replicas.Confirm = true, true
	folder := Folder(t.TempDir())
	for n := range 3 {
		w.forget()
		run(t, folder, p)
		table, err := ReadTable(folder.Replicas())
		if err != nil {
			t.Fatal(err)
		}
		if all := table.All(); len(all) != 1 || !all[0].State.InForce() {
			t.Errorf("after run %d: %v", n+1, all)
		}
		sample := replica.DefaultMinSample + 1 - n // smaller after each run in which it agrees
		if asked := w.onHost(copyHost); n > 0 && asked != 1+24+sample {
			t.Errorf("run %d asked the copy for %d pages", n+1, asked)
		}
	}
}

// Verify fetches only what the tests want, archives it, and decides what was proposed; what cannot
// be reached stays as it is.
func TestVerify(t *testing.T) {
	w, site := mirrored()
	for i := range 10 {
		w.pages[fmt.Sprintf("old.site.example/c%d", i)] = links("/") + prose(50+i)
	}
	w.pages["old.site.example/"] = prose(99)
	site.Boundary = sitemap.HostOnly
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	proposals(t, folder, "m.site.example", "www.site.example", "old.site.example", "www.site.example")
	w.forget()
	opened := 0
	v, err := Verify(context.Background(), folder, p, nil, func(*Harvest) { opened++ })
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Proved) != 2 || v.Open != 0 || opened != 1 || v.Stats.Mirrors != 1 {
		t.Fatalf("verified %+v", v)
	}
	if e := state(t, folder, replica.Confirmed); e.Level != 3 || e.By != "test" ||
		e.Note != "level 3; FM 1, HS 9" {
		t.Errorf("entry %+v", e)
	}
	table, err := ReadTable(folder.Replicas())
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := table.Get("old.site.example"); e.State != replica.Rejected || e.By != "test" || e.Level != 0 {
		t.Errorf("entry %+v", e)
	}
	if n := w.onHost("www.site.example"); n > 2 {
		t.Errorf("%d pages were fetched that are captured already", n)
	}
	got := captured(t, &Delivered{Run: v.Run})
	if got["http://m.site.example/c3"] == "" || got["http://old.site.example/c3"] == "" {
		t.Errorf("%s does not hold what was fetched: %d captures", v.Run, len(got))
	}
	if runs, _ := folder.Runs(); len(runs) != 1 {
		t.Errorf("the harvest has %d runs after the tests", len(runs))
	}
	if _, err := Verify(context.Background(), folder, p,
		[]string{"nobody.example"}, nil); err == nil {
		t.Error("a name that the table does not have was taken")
	}
}

// A host that holds a mirror of a manual, and other things, is left out as far as the manual goes.
func TestVerifyDirectory(t *testing.T) {
	w, site := mirrored()
	for i := range 12 {
		chapter := links("/doc/") + prose(100+i)
		w.pages[fmt.Sprintf("www.site.example/doc/c%d", i)] = chapter
		w.pages[fmt.Sprintf("shelf.example/doc/c%d", i)] = chapter
		w.pages[fmt.Sprintf("shelf.example/own/c%d", i)] = links("/") + prose(200+i)
		w.pages["www.site.example/doc/"] += links(fmt.Sprintf("/doc/c%d", i))
		w.pages["shelf.example/doc/"] += links(fmt.Sprintf("/doc/c%d", i))
		w.pages["shelf.example/"] += links(fmt.Sprintf("/own/c%d", i))
	}
	w.pages["shelf.example/"] += links("/doc/") + prose(300)
	w.pages["www.site.example/"] += links("/doc/", "http://shelf.example/")
	site.Seeds = append(site.Seeds, "http://shelf.example/")
	p := w.start(t, site)
	p.Crawl.Sketch = new(sketch.Options)
	folder := Folder(t.TempDir())
	run(t, folder, p)
	proposals(t, folder, "shelf.example", "www.site.example")
	if _, err := Verify(context.Background(), folder, p, nil, nil); err != nil {
		t.Fatal(err)
	}
	table, err := ReadTable(folder.Replicas())
	if err != nil {
		t.Fatal(err)
	}
	e, ok := table.Get("http://shelf.example/doc/")
	if !ok || e.State != replica.Confirmed || e.To != "http://www.site.example/doc/" || table.Len() != 1 {
		t.Errorf("entries %+v", table.All())
	}
}
