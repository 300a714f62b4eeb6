package mirror

import (
	_ "embed"
	"io"
	"slices"
	"strconv"
	"strings"
)

// fittedText are the weights of the fused rankings, made by "lab evaluate mirrors --fit";
// decision 18 tells how.
//
//go:embed weights.tsv
var fittedText string

var fitted = mustWeights(fittedText)

func mustWeights(text string) *Weights {
	w, err := ReadWeights(strings.NewReader(text))
	if err != nil {
		panic("mirror: weights.tsv: " + err.Error())
	}
	return w
}

// weights are those given, or the fitted ones.
func (o Options) weights() *Weights {
	if o.Weights != nil {
		return o.Weights
	}
	return fitted
}

// ReadWeights reads a line for each feature: its name and weight, separated by a tab. Features that
// are not named weigh nothing. The error names the line, or is the reader's.
func ReadWeights(r io.Reader) (*Weights, error) {
	var w Weights
	return &w, ReadRows(r, 2, func(f []string) string {
		i := slices.Index(names[:], f[0])
		if i < 0 {
			return "no feature is called " + strconv.Quote(f[0])
		}
		x, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return err.Error()
		}
		w[i] = x
		return ""
	})
}
