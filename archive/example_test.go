package archive_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"watershed/archive"
)

// A writer takes drafts a batch at a time and tells where each record lies, by which it is read
// again.
func Example() {
	dir, err := os.MkdirTemp("", "archive")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	w, err := archive.NewWriter(archive.Options{Dir: dir, Info: archive.Info{Operator: "Example Library"}})
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	places, err := w.Write(archive.Resource("urn:example:note", "text/plain", at, []byte("kept")))
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	rec, err := archive.Open(dir, places[0])
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()
	fmt.Println(rec.Version, rec.Type(), rec.TargetURI(), rec.Size)

	rep, err := new(archive.Checker).Check(context.Background(),
		&archive.Source{Path: filepath.Join(dir, places[0].File)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rep.Records, "records,", rep.Digests, "digests agree,", len(rep.Problems), "problems")
	// Output:
	// WARC/1.1 resource urn:example:note 4
	// 2 records, 3 digests agree, 0 problems
}

// A CDXJ index is searched without being read as a whole.
func ExampleIndex() {
	text := `org,example)/ 20260304050607 {"url": "http://example.org/", "status": "200", "length": ` +
		`"10", "offset": "0", "filename": "a.warc.gz"}
org,example)/a 20260304050608 {"url": "http://example.org/a", "status": "404", "length": "10", ` +
		`"offset": "10", "filename": "a.warc.gz"}
`
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "index.cdxj")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
	index, err := archive.OpenIndex(path)
	if err != nil {
		log.Fatal(err)
	}
	defer index.Close()
	for e, err := range index.Prefix("org,example)") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.URL, e.Status, e.Location().Offset)
	}
	// Output:
	// http://example.org/ 200 0
	// http://example.org/a 404 10
}
