package crawler

import (
	"errors"
	"fmt"
	"net/textproto"
	"strings"
	"testing"

	"watershed/crawler/extract"
	"watershed/internal/coding"
	"watershed/internal/guard"
	"watershed/page"
)

// TestUnread: a cut or broken body of a kind that is read for links is told of, and so is the beginning of
// a stream; a picture's is not.
func TestUnread(t *testing.T) {
	broken, plain := errors.New("flate: corrupt"), fmt.Errorf("body is not br: %w", coding.ErrWhole)
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
		{
			"a part",
			page.Exchange{Status: 206, Header: textproto.MIMEHeader{"Content-Range": {"bytes 0-9/11"}}},
			extract.Result{Read: true},
			"a part that nobody asked for (bytes 0-9/11)",
		},
		{"any part", page.Exchange{Status: 206}, extract.Result{Read: true}, "a part"},
		{
			"all of it",
			page.Exchange{
				Status: 206, Header: textproto.MIMEHeader{"Content-Range": {"bytes 0-10/11"}},
			},
			extract.Result{Read: true},
			"",
		},
		{
			"gzip that nobody tells",
			page.Exchange{Body: page.Body{Bytes: []byte("\x1f\x8b\x08")}},
			extract.Result{Declared: "text/html"},
			"not read: it is compressed",
		},
		{
			"a page of a broken coding",
			page.Exchange{Body: page.Body{Err: broken}},
			extract.Result{Declared: "text/html"},
			"flate: corrupt",
		},
		{"a picture of a broken coding", page.Exchange{Body: page.Body{Err: broken}}, extract.Result{}, ""},
		{
			"events",
			page.Exchange{
				Header:    textproto.MIMEHeader{"Content-Type": {"text/event-stream"}},
				Truncated: page.CutTime,
			},
			extract.Result{},
			"read in part: it is a stream",
		},
		{
			"a file of gzip",
			page.Exchange{Body: page.Body{Bytes: []byte("\x1f\x8b\x08")}},
			extract.Result{Declared: "application/gzip"},
			"",
		},
	} {
		got := unread(&tt.x, &tt.r)
		if !strings.Contains(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s: %q", tt.name, got)
		}
	}
}
