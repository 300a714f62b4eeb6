package crawler

import (
	"errors"
	"io"
	"net/textproto"
	"strings"
	"testing"

	"watershed/crawler/fetch"
	"watershed/frontier"
	"watershed/page"
)

// A body that was not done in time is an answer that was cut, as one that broke off is; asking
// again would bring the same. So is what has no end, and for a visit of its own kind.
func TestStatusOf(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\n\r\n"
	for _, tt := range []struct {
		name     string
		kind     error
		response string
		cut      page.Truncation
		want     int
	}{
		{name: "whole", response: head + "x", want: 200},
		{
			name: "not done in time", kind: fetch.ErrTimeout, response: head + "a body without",
			cut: page.CutTime, want: 200,
		},
		{
			name: "nothing of the body in time", kind: fetch.ErrTimeout, response: head, cut: page.CutTime,
			want: page.StatusTimeout,
		},
		{name: "no head in time", kind: fetch.ErrTimeout, want: page.StatusTimeout},
		{
			name: "broken off", kind: fetch.ErrCutShort, response: head + "x",
			cut: page.CutConnected, want: 200,
		},
		{name: "too long", kind: fetch.ErrBody, response: head + "x", cut: page.CutLength, want: 200},
		{
			name: "the disk was full", kind: fetch.ErrSpool, response: head + "x", cut: page.CutUnknown,
			want: page.StatusRefused,
		},
		{name: "lost", kind: fetch.ErrLost, want: page.StatusLost},
	} {
		x := &page.Exchange{Truncated: tt.cut}
		if tt.kind != nil {
			x.Err = &fetch.Error{Kind: tt.kind, Cause: errors.New(tt.name)}
		}
		if tt.response != "" {
			x.Status, x.Head = 200, int64(len(head))
			x.Response = io.NewSectionReader(strings.NewReader(tt.response), 0, int64(len(tt.response)))
		}
		if got := statusOf(x); got != tt.want {
			t.Errorf("%s: status %d, want %d", tt.name, got, tt.want)
		}
	}
	x := &page.Exchange{Truncated: page.CutTime, Header: textproto.MIMEHeader{"Icy-Br": {"40"}}}
	if v := visitOf(&frontier.Lease{}, x); v.Truncated != page.CutEndless {
		t.Errorf("a radio station: %q", v.Truncated)
	}
}
