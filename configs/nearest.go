package configs

// nearest is the word that was probably meant by text: the one of the least edit distance, as far
// as that is at most a third of the length; "" for none.
func nearest(text string, words []string) string {
	best, at := "", len(text)/3+1
	for _, w := range words {
		if d := distance(text, w, at); d < at || d == at && best == "" && d <= max(len(text), len(w))/3 {
			best, at = w, d
		}
	}
	return best
}

// distance is the number of single letters put in, left out, replaced or swapped with their
// neighbour between a and b (Damerau and Levenshtein, optimal string alignment), or limit+1 if it
// is surely larger.
func distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit || len(a) > 64 || len(b) > 64 {
		return limit + 1
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if lower(a[i-1]) == lower(b[j-1]) {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

func lower(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	case c == '-':
		return '_'
	}
	return c
}
