//go:build unix

package sitemap

import (
	"errors"
	"testing"

	"watershed/lab/kit/rusage"
)

// BenchmarkDecide lets an archivist decide on a settled survey of 100,000 fetched pages, take that
// back, and ask why.
func BenchmarkDecide(b *testing.B) {
	k := bulk{sites: 1, pages: 100_000}
	s, err := NewSurvey(k.seeds(), Options{NoClusters: true})
	if err != nil {
		b.Fatal(err)
	}
	for wants := s.Wants(); len(wants) > 0; wants = s.Wants() {
		for _, w := range wants {
			s.Learn(k.visit(w.URL))
		}
	}
	m, _ := s.Map("0")
	u := m.Members.At(m.Members.Len() / 2).URL
	r := mustRule(b, "url:"+string(u))
	for _, c := range []struct {
		name   string
		decide func() error
	}{
		{"pin", func() error { return errors.Join(s.Pin("0", r, false), s.Unpin("0", r)) }},
		{"soft", func() error { return errors.Join(s.PinSoftly("0", r), s.Unpin("0", r)) }},
		{"exclude", func() error { return errors.Join(s.Exclude("0", r), s.Readmit("0", r)) }},
		{"alpha", func() error { return errors.Join(s.Rescale("0", 0.02), s.Rescale("0", 0)) }},
		{"explain", func() error { _, err := s.Explain("0", u, 0); return err }},
	} {
		b.Run(c.name, func(b *testing.B) {
			start := rusage.CPU()
			for b.Loop() {
				if err := c.decide(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((rusage.CPU()-start).Milliseconds())/float64(b.N), "cpu-ms/op")
		})
	}
}
