package guard

import (
	"errors"
	"regexp"
	"testing"
)

func TestCall(t *testing.T) {
	if err := Call(func() {}); err != nil {
		t.Error(err)
	}
	var none map[string]int
	var list []int
	for name, read := range map[string]func(){
		"nil map": func() { none["x"] = 1 },
		"index":   func() { _ = list[len(none)] },
		"said":    func() { panic("odd") },
	} {
		err := Call(read)
		if !errors.Is(err, ErrPanic) {
			t.Fatalf("%s: %v", name, err)
		}
		if !regexp.MustCompile(`report: .+ \(guard/guard_test\.go:\d+\)$`).MatchString(err.Error()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
