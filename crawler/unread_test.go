package crawler

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"watershed/crawler/extract"
	"watershed/internal/coding"
	"watershed/internal/guard"
	"watershed/page"
)

// TestUnread: a cut or broken body of a kind that is read for links is told of, a picture's is not.
func TestUnread(t *testing.T) {
	broken, plain := errors.New("flate: corrupt"), fmt.Errorf("body is not br: %w", coding.ErrPlain)
	for _, tt := range []struct {
		name string
		x    page.Exchange
		r    extract.Result
		want string
	}{
		{"whole", page.Exchange{}, extract.Result{Read: true}, ""},
		{"panic", page.Exchange{}, extract.Result{Err: fmt.Errorf("x: %w", guard.ErrPanic)}, "not read: x"},
		{"syntax", page.Exchange{}, extract.Result{Read: true, Err: errors.New("line 3")}, "in part: line 3"},
		{"links", page.Exchange{}, extract.Result{Read: true, LinksCut: true}, "more links"},
		{"coding", page.Exchange{Body: page.Body{Err: broken}}, extract.Result{Read: true}, "flate: corrupt"},
		{"plain", page.Exchange{Body: page.Body{Err: plain}}, extract.Result{Read: true}, ""},
		{"long", page.Exchange{Body: page.Body{Cut: true}}, extract.Result{Read: true}, "longer than"},
		{"cut", page.Exchange{Truncated: page.CutTime}, extract.Result{Read: true}, "cut (time)"},
		{"picture", page.Exchange{Truncated: page.CutTime, Body: page.Body{Cut: true}}, extract.Result{}, ""},
	} {
		got := unread(&tt.x, &tt.r)
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
