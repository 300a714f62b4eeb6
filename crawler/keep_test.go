package crawler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"watershed/archive"
	"watershed/crawler/fetch"
	"watershed/frontier"
	"watershed/page"
	"watershed/store"
)

// A checkpoint that finds the disk full has the crawl wait for room, and ends it with ErrNoSpace
// only when nobody made any.
func TestSecure(t *testing.T) {
	s, err := store.Open(store.Options{Dir: t.TempDir(), Harvest: "test", MinFreeBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	number, err := s.StartRun(store.RunRecord{Started: time.Unix(0, 0), State: store.RunOpen})
	if err != nil {
		t.Fatal(err)
	}
	f, err := frontier.Open(s, number, frontier.Options{Sites: []frontier.Site{{Name: "S"}}})
	if err != nil {
		t.Fatal(err)
	}
	broken, stopped := errors.New("broken"), errors.New("stopped")
	for _, tt := range []struct {
		name  string
		found error
		wait  bool // for room, until the crawl is stopped
		want  error
	}{
		{name: "saved"},
		{name: "state full, nobody made room", found: store.ErrNoSpace, want: ErrNoSpace},
		{name: "archive full, nobody made room", found: archive.ErrNoSpace, want: ErrNoSpace},
		{name: "stopped while it waits", found: store.ErrNoSpace, wait: true, want: context.Canceled},
		{name: "something else", found: broken, want: broken},
	} {
		c := &tools{
			Parts: Parts{Frontier: f},
			opt:   Options{DiskWait: 1, Log: slog.New(slog.NewTextHandler(io.Discard, nil))},
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		if tt.wait {
			c.opt.DiskWait = 1 << 60
			cancel(stopped)
		}
		err := c.secure(ctx, func() error {
			if tt.found != nil {
				return fmt.Errorf("checkpoint: %w", tt.found)
			}
			return nil
		})
		cancel(nil)
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
		if c.hold.reasons != 0 {
			t.Errorf("%s: the crawl stays held", tt.name)
		}
	}
}

// TestFullDiskInFrontier: a crawl waits for room where the frontier finds the disk full, too, while it
// records by itself what is not to be fetched.
func TestFullDiskInFrontier(t *testing.T) {
	st, asked := openStore(t), 0
	f, err := frontier.Open(st, 1, frontier.Options{
		Sites: []frontier.Site{{Name: "S"}},
		Late:  func(page.URL) bool { return true },
		Stand: func(*store.Tx, page.URL) (stand frontier.Stand, err error) {
			if asked++; asked > 1 {
				err = store.ErrNoSpace
			}
			return stand, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Update(func(tx *store.Tx) error {
		_, err := f.Add(tx, []frontier.Candidate{{URL: "http://www.example.org/", Wanted: true}})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	fetcher, err := fetch.New(fetch.Options{UserAgent: "watershed-test"})
	if err != nil {
		t.Fatal(err)
	}
	c := crawlerOf(t, st, Options{Agent: "watershed", DiskWait: 1})
	c.Frontier, c.Fetcher = f, fetcher
	if err := c.work(t.Context()); !errors.Is(err, ErrNoSpace) || asked < 2 {
		t.Errorf("asked %d times: %v", asked, err)
	}
}
