package catalog

import (
	"context"
	"errors"
	"fmt"

	"watershed/internal/extsort"
	"watershed/replica/sketch"
)

const (
	templateKind  = "template"
	leastTemplate = 8 // texts of a host below which nothing is called its template
)

// hostFeature is ⟨host, feature, texts that have it⟩; of feature 0 it is the number of the host's
// texts.
type hostFeature [3]uint64

func templateName(number uint32) string { return fmt.Sprintf("template-%04d.table", number) }

// learnTemplate finds the shingles that more than a share of a host's texts in this sweep have.
// Copies of one text on a host count once. Memory: half of the memory handed in, and 16 bytes a
// document.
func (s *sweep) learnTemplate(ctx context.Context, dir *extsort.Dir, memory int) (err error) {
	sorter, err := extsort.NewSorter(dir, extsort.Options[hostFeature]{
		MemoryBytes: memory / 2, Key: 2,
		Combine: extsort.AddUp[hostFeature],
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sorter.Close()) }()
	seen := map[[2]uint64]bool{}
	var x sketch.Sketch
	for d, err := range s.all(ctx) {
		if err != nil {
			return err
		}
		some, err := d.sketch(&x)
		if err != nil {
			return fmt.Errorf("sketch of %s: %w", d.URL, err)
		}
		text := [2]uint64{hostKey(d.URL), x.Lexical}
		if !some || d.Gone || d.Part || seen[text] {
			continue
		}
		seen[text] = true
		if err := sorter.Add(hostFeature{text[0], 0, 1}); err != nil {
			return err
		}
		for _, v := range x.Values {
			if v == 0 {
				continue // stands for the number of texts; one page in 10^9 has it
			}
			if err := sorter.Add(hostFeature{text[0], v, 1}); err != nil {
				return err
			}
		}
	}
	c, err := sorter.Sort(ctx)
	if err != nil {
		return err
	}
	w, err := extsort.NewWriter[hostFeature](dir, templateName(s.Number), templateKind)
	if err != nil {
		return errors.Join(err, c.Close())
	}
	defer func() { err = errors.Join(err, w.Abort()) }()
	texts := uint64(0)
	err = c.Each(ctx, func(h hostFeature) error {
		if h[1] == 0 {
			texts = h[2]
			return w.Write(h)
		}
		if texts < leastTemplate || float64(h[2]) <= max(2, s.MainText*float64(texts)) {
			return nil
		}
		return w.Write(h)
	})
	if err != nil {
		return err
	}
	return w.Commit()
}

// openTemplate opens the table of a sweep that has one.
func (s *sweep) openTemplate(dir *extsort.Dir) (err error) {
	if s.MainText > 0 {
		s.template, err = extsort.OpenTable[hostFeature](dir, templateName(s.Number), templateKind)
	}
	return err
}

// templateOf is the template of a host, ascending; nil where there is none.
func (s *sweep) templateOf(host uint64) (list []uint64, err error) {
	if s.template == nil {
		return nil, nil
	}
	c := s.template.From(hostFeature{host, 1})
	for c.Next() && c.Record()[0] == host {
		list = append(list, c.Record()[1])
	}
	return list, errors.Join(c.Err(), c.Close())
}
