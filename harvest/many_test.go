package harvest

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"watershed/internal/disk"
	"watershed/page"
	"watershed/sitemap"
)

// countingDisk counts how often each file and folder is synced.
type countingDisk struct {
	disk.OS

	mu    sync.Mutex
	syncs map[string]int // by path
}

func (d *countingDisk) count(path string) {
	d.mu.Lock()
	d.syncs[path]++
	d.mu.Unlock()
}

func (d *countingDisk) OpenFile(path string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := d.OS.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return &countedFile{f, d}, nil
}

func (d *countingDisk) SyncDir(path string) error {
	d.count(path)
	return d.OS.SyncDir(path)
}

type countedFile struct {
	disk.File

	disk *countingDisk
}

func (f *countedFile) Sync() error {
	f.disk.count(f.Name())
	return f.File.Sync()
}

// The files of the sites are made durable together, each once, however many sites there are: to wait
// for the disk after each file takes most of the time of a delivery.
func TestMapsAreSyncedOnce(t *testing.T) {
	w := &web{pages: map[string]string{}}
	var sites []sitemap.Site
	for i := range 5 {
		host := fmt.Sprintf("s%d.example", i)
		w.pages[host+"/"] = links("/one")
		w.pages[host+"/one"] = links("/")
		sites = append(sites, sitemap.Site{Name: host, Seeds: []page.URL{page.URL("http://" + host + "/")}})
	}
	p := w.start(t, sites...)
	counted := &countingDisk{syncs: map[string]int{}}
	p.Disk = counted
	d := run(t, Folder(t.TempDir()), p)
	err := filepath.WalkDir(d.Run.Sites(), func(path string, _ fs.DirEntry, err error) error {
		// the folder itself is synced once more at the end of the run
		if n := counted.syncs[path]; n != 1 && path != d.Run.Sites() {
			t.Errorf("%s is synced %d times", path, n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range counted.syncs {
		if strings.HasPrefix(path, d.Run.Sites()) && strings.HasSuffix(path, disk.Suffix) {
			t.Errorf("%s is synced before it has its name", path)
		}
	}
}

// Of many maps those are asked about a URL that have something to say of it, and no others: the answers
// are those of all maps.
func TestMentions(t *testing.T) {
	w := &web{pages: map[string]string{}}
	var sites []sitemap.Site
	urls := map[page.URL]bool{}
	const many = 20
	for i := range many {
		host, next := fmt.Sprintf("s%d.example", i), fmt.Sprintf("http://s%d.example/", (i+1)%many)
		list := links("/dir/one", "/dir/two", "/dir/gone", "/secret", next, "http://common.example/")
		for _, path := range []string{"/", "/dir/one", "/dir/two"} {
			w.pages[host+path] = list
		}
		w.pages[host+"/dir/two"] += `<img src="http://img.example/none.png">`
		for _, path := range []string{"/", "/dir/one", "/dir/two", "/dir/gone", "/secret", "/nobody"} {
			urls[page.URL("http://"+host+path)] = true
		}
		sites = append(sites, sitemap.Site{
			Name: host, Seeds: []page.URL{page.URL("http://" + host + "/")},
			MaxPages: i % 2 * 2, Exclude: []page.Rule{rule(t, "regex:/secret$")},
		})
	}
	urls["http://common.example/"], urls["http://img.example/none.png"] = true, true
	p := w.start(t, sites...)
	maps := run(t, Folder(t.TempDir()), p).Maps
	mentions := sitemap.MentionsIn(maps)
	said := map[string]int{}
	for u := range urls {
		asked := 0
		for range mentions.Of(u) {
			asked++
		}
		if u.Host() != "common.example" && u.Host() != "img.example" && asked > 2 {
			t.Errorf("%s: %d maps are asked", u, asked)
		}
		for name, is := range map[string]func(*sitemap.Map, page.URL) bool{
			"outside": (*sitemap.Map).Excludes, "not had": (*sitemap.Map).NotHad,
			"waits": (*sitemap.Map).Waits, "made up": (*sitemap.Map).MadeUp,
			"in vain": func(m *sitemap.Map, u page.URL) bool { return m.Vain(u) != sitemap.VainNothing },
		} {
			want := slices.ContainsFunc(maps, func(m *sitemap.Map) bool { return is(m, u) })
			if got := mentions.Any(u, is); got != want {
				t.Errorf("%s, %s: %t, want %t", u, name, got, want)
			}
			if want {
				said[name]++
			}
		}
	}
	t.Log(said)
	for _, name := range []string{"outside", "not had", "waits", "in vain"} {
		if said[name] == 0 {
			t.Errorf("nothing is %s: the test says nothing of it", name)
		}
	}
}

// Whether a host was named is not looked for in each of very many sites.
func TestStrangersOfManySites(t *testing.T) {
	g := new(ground)
	for i := range 1000 {
		seed := page.URL(fmt.Sprintf("http://s%d.example/", i))
		g.plan.Sites = append(g.plan.Sites, sitemap.Site{Seeds: []page.URL{seed}})
	}
	stranger := g.strangers()
	n := testing.AllocsPerRun(10, func() {
		if stranger("http://s999.example/page") {
			t.Error("a host with a seed is a stranger")
		}
	})
	if n > 10 {
		t.Errorf("%.0f allocations to find that out", n)
	}
}
