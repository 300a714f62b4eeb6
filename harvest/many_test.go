package harvest

import (
	"fmt"
	"io/fs"
	"path/filepath"
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
