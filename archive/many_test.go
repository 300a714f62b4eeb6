package archive

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyFaults: of a file that is nothing but faults some are kept, and the others counted: a member
// of a megabyte can have millions.
func TestManyFaults(t *testing.T) {
	const records = 5_000
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(strings.Repeat(
		"WARC/1.0\nWARC-Type: response\nContent-Length: 0\n\n\n\n", records)))
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	if err = errors.Join(err, z.Close(), os.WriteFile(path, b.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
	src := &Source{Path: path}
	err = src.Entries(func(Entry) error { return nil })
	places, kept := 0, 0
	var count func(error)
	count = func(err error) {
		if many, is := err.(interface{ Places() int }); is {
			places += many.Places()
			return
		}
		if joined, is := err.(interface{ Unwrap() []error }); is && strings.Contains(err.Error(), "\n") {
			for _, err := range joined.Unwrap() {
				count(err)
			}
			return
		}
		places++
		kept++
	}
	count(err)
	if places < records || kept > 1_001 {
		t.Errorf("damage at %d places of %d, %d of them kept", places, records, kept)
	}
	rep, err := new(Checker).Check(t.Context(), src)
	if err != nil || rep.OK() || len(rep.Problems) > 1_000 || len(rep.Problems)+rep.Unnamed < records {
		t.Errorf("%d problems are kept, and %d not, of %d records; %v", len(rep.Problems), rep.Unnamed,
			rep.Records, err)
	}
}
