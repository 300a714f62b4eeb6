package configs

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// Share is a part of a whole, written as a percentage ("1%") or as a number from 0 to 1 ("0.01").
type Share float64

// parseShare reads what String writes, and numbers.
func parseShare(text string) (Share, error) {
	number, percent := strings.CutSuffix(strings.TrimSpace(text), "%")
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(n) {
		return 0, errors.New("want a part such as 1% or 0.01")
	}
	if percent {
		n /= 100
	}
	if n < 0 || n > 1 {
		return 0, errors.New("a part is between 0% and 100%")
	}
	return Share(n), nil
}

// String writes a percentage, rounded to a millionth of it.
func (s Share) String() string {
	return strconv.FormatFloat(math.Round(float64(s)*1e8)/1e6, 'f', -1, 64) + "%"
}
