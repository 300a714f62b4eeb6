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
	for p := range presets {
		if q, err := ParsePreset(p.String()); err != nil || q != p {
			t.Error(p, q, err)
		}
	}
	for s := range supersets {
		if q, err := ParseSuperset(s.String()); err != nil || q != s {
			t.Error(s, q, err)
		}
	}
	for _, text := range []string{"gemo", presets.String()} {
		if _, err := ParsePreset(text); err == nil {
			t.Error(text)
		}
		if _, err := ParseSuperset(text); err == nil {
			t.Error(text)
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
