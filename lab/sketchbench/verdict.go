package sketchbench

import "watershed/replica/sketch"

// verdict is an answer to whether a ratio reaches a threshold.
type verdict uint8

// The verdicts.
const (
	insufficient verdict = iota // the sample is too small to say
	below
	reached
)

// verdictOf says whether a ratio reaches the threshold; insufficient when the sample is too small,
// unless even the far end of the confidence interval is below.
func verdictOf(e sketch.Estimate, threshold float64) verdict {
	switch {
	case e.Sufficient() && e.Value >= threshold:
		return reached
	case e.Sufficient() || e.Sample > 0 && e.High < threshold:
		return below
	}
	return insufficient
}
