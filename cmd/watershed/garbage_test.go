package main

import "testing"

func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		held uint64
		want int
	}{
		{0, 100},
		{100 << 20, 100},
		{256 << 20, 100},
		{512 << 20, 50},
		{1 << 30, 25},
		{8 << 30, 25},
		{1 << 40, 25},
	} {
		if got := growth(c.held); got != c.want {
			t.Errorf("%d MiB are held: %d %%, want %d", c.held>>20, got, c.want)
		}
	}
}
