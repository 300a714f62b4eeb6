package sitemap

import (
	"fmt"
	"testing"

	"watershed/flow"
)

func TestProcessOptions(t *testing.T) {
	for _, o := range []ProcessOptions{
		{Superset: supersets},
		{SupersetPages: -1},
		{Inflation: .9},
		{Toll: 2},
		{Toll: -1},
		{Distance: 7},
		{Side: 9},
		{Flow: flow.PaperOptions{Threshold: -1}},
		{Flow: flow.PaperOptions{Sigma: -1}},
	} {
		if err := (Options{Process: o}).Validate(); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
	if (Options{Preset: presets}).Validate() == nil {
		t.Error("an unknown preset is accepted")
	}
}

func ExampleProcessOptions() {
	// The paper as printed, but for a toll that keeps sites apart.
	o := Options{Preset: Senellart2003}
	o.Process.Toll = .01
	fmt.Println(o.Preset, o.Validate())
	// Output: senellart2003 <nil>
}
