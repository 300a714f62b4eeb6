package main

import (
	"strings"
	"testing"
	"time"

	"watershed/harvest"
	"watershed/replica"
)

// The command that a harvest names at its end can be given as it stands.
func TestPrintCopiesNamesTheFile(t *testing.T) {
	folder := harvest.Folder(t.TempDir())
	var out strings.Builder
	if err := printCopies(&out, folder, "site.yaml"); err != nil || out.Len() > 0 {
		t.Fatalf("without a table %q, %v", out.String(), err)
	}
	table := new(replica.Table)
	if err := table.Put(replica.Entry{
		From: "m.example", To: "www.example", State: replica.Proposed,
		Decided: time.Unix(0, 0),
	}); err != nil {
		t.Fatal(err)
	}
	if err := harvest.WriteTable(folder.Replicas(), table); err != nil {
		t.Fatal(err)
	}
	if err := printCopies(&out, folder, "site.yaml"); err != nil ||
		!strings.HasSuffix(out.String(), " copies list site.yaml\n") {
		t.Errorf("%q, %v", out.String(), err)
	}
}
