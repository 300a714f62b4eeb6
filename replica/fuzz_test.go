package replica

import (
	"bytes"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzReadYAML: whatever is read can be written and reads back equal.
func FuzzReadYAML(f *testing.F) {
	f.Add([]byte("version: 1\nreplicas:\n  - {from: a.example, to: b.example, level: 2, note: x}\n"))
	f.Add([]byte("version: 1\nreplicas:\n  - from: http://a.example/x/\n    to: http://b.example/\n    " +
		"history: [{state: proposed}]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := ReadYAML(text)
		if err != nil {
			return
		}
		again(t, table, (*Table).WriteYAML, func(b []byte) (*Table, error) { return ReadYAML(b) })
	})
}

// FuzzReadCSV is the same for CSV.
func FuzzReadCSV(f *testing.F) {
	f.Add([]byte("from,to,state,history\na.example,b.example,rejected,\"proposed,,,\n\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := ReadCSV(bytes.NewReader(text))
		if err != nil {
			return
		}
		again(t, table, (*Table).WriteCSV, func(b []byte) (*Table, error) {
			return ReadCSV(bytes.NewReader(b))
		})
	})
}

func again(t *testing.T, table *Table, write func(*Table, io.Writer) error,
	read func([]byte) (*Table, error),
) {
	t.Helper()
	var b bytes.Buffer
	if err := write(table, &b); err != nil {
		t.Fatal(err)
	}
	got, err := read(b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if d := cmp.Diff(table.All(), got.All()); d != "" {
		t.Fatalf("%s\n%s", d, b.String())
	}
}
