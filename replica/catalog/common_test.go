package catalog

import (
	"testing"

	"watershed/replica/cluster"
	"watershed/replica/sketch"
)

// TestSettled: sketches are settled when a catalog is begun; what is not given is as the catalog
// has it, and as it was given last.
func TestSettled(t *testing.T) {
	dir := t.TempDir()
	begin := Options{
		Memory: 8 << 20, Sketch: sketch.Options{Width: 5},
		Cluster: cluster.Options{Threshold: .7, MaxDocuments: 9},
	}
	for _, tt := range []struct {
		o         Options
		good      bool
		threshold float64
	}{
		{begin, true, .7},
		{Options{}, true, .7},
		{Options{Sketch: sketch.Options{Width: 6}}, false, 0},
		{Options{Sketch: sketch.Options{Width: 5}, Cluster: cluster.Options{Threshold: .8}}, true, .8},
		{Options{}, true, .8},
	} {
		c, err := Open(dir, tt.o)
		if (err == nil) != tt.good {
			t.Errorf("%+v: %v", tt.o, err)
		}
		if err != nil {
			continue
		}
		if o := c.Options; o.Sketch.Width != 5 || o.Cluster.Threshold != tt.threshold ||
			o.Cluster.MaxDocuments != 9 {
			t.Errorf("%+v has become %+v", tt.o, o)
		}
		if len(c.Sweeps()) == 0 {
			add(t, c, visit(t, "http://a.example/", text(1)))
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
