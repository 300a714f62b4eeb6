package frontier_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"watershed/frontier"
	"watershed/page"
	"watershed/store"
)

// A crawler of one worker, on a web of three pages.
func Example() {
	web := map[page.URL][]page.URL{
		"http://a.example/":  {"http://a.example/1", "http://b.example/"},
		"http://b.example/":  {"http://a.example/"},
		"http://a.example/1": {"http://a.example/private"},
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(store.Options{Dir: dir, Harvest: "example"})
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	run, err := st.StartRun(store.RunRecord{Started: time.Now(), State: store.RunOpen})
	if err != nil {
		log.Fatal(err)
	}
	f, err := frontier.Open(st, run, frontier.Options{Politeness: frontier.Politeness{Min: time.Millisecond}})
	if err != nil {
		log.Fatal(err)
	}
	err = st.Update(func(tx *store.Tx) error {
		_, err := f.Add(tx, []frontier.Candidate{{URL: "http://a.example/", Wanted: true}})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	for {
		lease, err := f.Lease(context.Background())
		if errors.Is(err, frontier.ErrDone) {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		err = st.Update(func(tx *store.Tx) error {
			if lease.URL == "http://a.example/private" {
				_, err := f.Finish(tx, lease, frontier.Outcome{
					Status: page.StatusRobots, Unsent: true,
					Rule: "Disallow: /private",
				})
				return err
			}
			visit := page.Visit{URL: lease.URL, Status: 200, Via: lease.Via, Hops: lease.Hops}
			var found []frontier.Candidate
			for _, u := range web[lease.URL] {
				visit.Links = append(visit.Links, page.Link{URL: u, Kind: page.Navigation})
				found = append(found, frontier.Candidate{
					URL: u, Via: lease.URL, Hops: lease.Hops + "L",
					Kind: page.Navigation, Wanted: true,
				})
			}
			if err := tx.PutVisit(run, &visit); err != nil {
				return err
			}
			if _, err := f.Add(tx, found); err != nil {
				return err
			}
			_, err := f.Finish(tx, lease, frontier.Outcome{Status: 200, Visit: visit.Seq})
			return err
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	for v, err := range st.Visits(run, 0) {
		fmt.Println(v.URL, v.Hops, err)
	}
	for left, err := range f.Left() {
		fmt.Println(left.URL.URL, left.State, left.Reason, left.Rule, err)
	}
	// Unordered output:
	// http://a.example/  <nil>
	// http://b.example/ L <nil>
	// http://a.example/1 L <nil>
	// http://a.example/private skipped robots Disallow: /private <nil>
}
