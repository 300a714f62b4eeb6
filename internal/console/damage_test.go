package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"watershed/internal/guard"
)

// TestDamage: a panic while one file is read is told of that file.
func TestDamage(t *testing.T) {
	var told bytes.Buffer
	bad := Damage{Out: &told}
	bad.Read("good", func() error { return nil })
	if bad.Err() != nil || told.Len() > 0 {
		t.Errorf("nothing is damaged: %v, %q", bad.Err(), told.String())
	}
	var none map[string]int
	bad.Read("bad", func() error { none["x"]++; return nil })
	bad.Read("worse", func() error { return guard.ErrPanic })
	if err := bad.Err(); err == nil || !strings.Contains(err.Error(), "2 places in 2 files") {
		t.Error(err)
	}
	for _, want := range []string{"damaged: bad: ", "nil map", "damage_test.go:", "damaged: worse: "} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("%q is not told: %q", want, told.String())
		}
	}
	interrupted := Damage{Out: &told}
	interrupted.Read("whole", func() error { return fmt.Errorf("read: %w", context.Canceled) })
	if err := interrupted.Err(); err != nil {
		t.Errorf("an interrupt is told as damage: %v", err)
	}
	// Each place of a file counts, and of a file with very many only the first are printed.
	told.Reset()
	bad = Damage{Out: &told}
	many := make([]error, 100)
	for i := range many {
		many[i] = fmt.Errorf("at %d", i)
	}
	bad.Read("a", func() error { return errors.Join(errors.Join(many...), nil) })
	bad.Read("b", func() error { return errors.Join(many[1:3]...) })
	one := Damage{Out: io.Discard}
	one.Read("a.warc", func() error { return errors.New("cut") })
	if err := one.Err(); err == nil || !strings.Contains(err.Error(), "1 place in 1 file;") {
		t.Errorf("one place: %v", err)
	}
	if err := bad.Err(); err == nil || !strings.Contains(err.Error(), "102 places in 2 files") {
		t.Error(err)
	}
	if n := strings.Count(told.String(), "\n"); n != mostTold+1 ||
		!strings.Contains(told.String(), "damaged: b: at 1\n") {
		t.Errorf("%d lines: %s", n, &told)
	}
}
