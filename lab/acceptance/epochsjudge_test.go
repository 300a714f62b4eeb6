package acceptance

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// TestJudgeOfEpochs: a mirror in force is asked for 15 pages that its original has, too; for more
// only where others drift, and by how much these are, not by half of its pages.
func TestJudgeOfEpochs(t *testing.T) {
	for _, tt := range []struct {
		drifting int // of 5 mirrors, each of 100 pages and a robots.txt
		asked    int // of the mirror m0, besides robots.txt
		reopened bool
		fail     bool
	}{
		{0, 15, true, false},
		{0, 16, true, true},
		// 1 of 4 others: .25 * 63 > .01 * 39 * 40, but .25 * 62 <= .01 * 40 * 41
		{1, 39, true, false},
		{1, 40, true, true},
		{1, 15, false, true},
		// 3 of 4 others: .75 * 45 > .01 * 57 * 58, but .75 * 44 <= .01 * 58 * 59
		{3, 57, true, false},
		{3, 58, true, true},
	} {
		s := &story{work: t.TempDir()}
		var truth, first, now, table strings.Builder
		table.WriteString("from,state\n")
		line := func(b *strings.Builder, host string, page int) {
			fmt.Fprintf(b, "start\tend\t%s\tGET\t/%d\t200\n", host, page)
		}
		for m := range 5 {
			mirror, status, state := fmt.Sprintf("m%d", m), "follow", "pruned"
			if m > 4-tt.drifting {
				status = "drift"
				if tt.reopened {
					state = "reopened"
				}
			}
			fmt.Fprintf(&truth, "original\t%s\t1\t1\t%s\n", mirror, status)
			fmt.Fprintf(&table, "%s,%s\n", mirror, state)
			for page := range 101 {
				line(&first, mirror, page)
			}
		}
		for page := range 101 {
			line(&first, "original", page)
			line(&now, "original", page)
			if page <= tt.asked {
				line(&now, "m0", page)
			}
		}
		var errs []error
		write := func(name, text string) {
			errs = append(errs, os.WriteFile(s.path(name), []byte(text), 0o666))
		}
		write("access-0.tsv", first.String())
		write("access-2.tsv", "")
		for _, epoch := range []string{"1", "2"} {
			errs = append(errs, os.Mkdir(s.path("truth-"+epoch), 0o777))
			write("truth-"+epoch+"/mirrors.tsv", truth.String())
			write("table-"+epoch+".csv", table.String())
		}
		write("access-1.tsv", now.String())
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		if err := s.judge(io.Discard); (err != nil) != tt.fail {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}
