package harvest

import (
	"encoding/binary"
	"fmt"
	"testing"

	"watershed/frontier"
	"watershed/page"
	"watershed/store"
)

// Of a lost file with more captures than one transaction of the database holds, which are some
// thirteen thousand writes, each is asked for again, and nothing refers to it any more.
func TestManyLostCaptures(t *testing.T) {
	const captures = 8000 // two writes each, beside those that may be committed early
	st, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	l := &losses{
		ground: &ground{store: st, record: store.RunRecord{Number: 1}}, places: map[page.Location]bool{},
	}
	var list []*page.Visit
	for len(list) < captures {
		err := st.Update(func(tx *store.Tx) error {
			for range 500 {
				v := &page.Visit{
					URL:    page.URL(fmt.Sprintf("http://a.example/%d", len(list))),
					Status: 200, Record: page.Location{File: "lost.warc.gz", Offset: int64(len(list))},
				}
				binary.BigEndian.PutUint32(v.Digest[:], uint32(len(list)))
				tx.PutCapture(&store.Capture{URL: v.URL, Digest: v.Digest, Record: v.Record, Run: 1})
				tx.PutOriginal(v.Digest, &store.Original{
					Origin: page.Origin{URL: v.URL, Record: v.Record}, Run: 1,
				})
				if err := frontier.Adopt(tx, 1, v, 0); err != nil {
					return err
				}
				l.places[placeOf(v.Record)] = true
				list = append(list, v)
			}
			tx.Distrust()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	f, err := frontier.Open(st, 1, frontier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.want(f, list); err != nil {
		t.Fatal(err)
	}
	if n := f.Stats().States[store.Pending]; n != int64(len(list)) {
		t.Errorf("%d of %d lost captures are asked for again", n, len(list))
	}
	if err := st.View(func(tx *store.Tx) error {
		for _, v := range list {
			_, captured, err := tx.Capture(v.URL)
			_, referred, also := tx.Original(v.Digest)
			if err != nil || also != nil || captured || referred {
				return fmt.Errorf("%s is referred to: %v, %v, %v, %w", v.URL, captured, referred, err, also)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}
