package crawler

import (
	"sync"

	"watershed/replica/sketch"
)

// sketches lends builders of sketches to the workers; the zero value sketches nothing.
type sketches struct {
	on   bool
	pool sync.Pool // of *sketch.Builder
}

func (s *sketches) begin(o *sketch.Options) error {
	if o == nil {
		return nil
	}
	first, err := sketch.NewBuilder(*o)
	if err != nil {
		return err
	}
	s.on = true
	s.pool.New = func() any {
		b, _ := sketch.NewBuilder(*o) // the options were good for the first
		return b
	}
	s.pool.Put(first)
	return nil
}

// get lends a builder, nil where nothing is sketched. Give it back with put.
func (s *sketches) get() *sketch.Builder {
	if !s.on {
		return nil
	}
	b, _ := s.pool.Get().(*sketch.Builder)
	return b
}

func (s *sketches) put(b *sketch.Builder) {
	if b != nil {
		s.pool.Put(b)
	}
}

// finish gives the sketch of the text that was given to a builder, as it is stored: nil where there was none.
func finish(b *sketch.Builder) []byte {
	if b == nil {
		return nil
	}
	s := b.Sketch()
	if s.Tokens == 0 {
		return nil
	}
	return s.AppendEncode(nil)
}
