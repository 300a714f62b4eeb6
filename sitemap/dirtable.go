package sitemap

// dirTable holds a number for some directories. It is made once and emptied after each use, so that a use costs what it
// touches and not all directories of the web. The zero value is empty and ready.
type dirTable struct {
	numbers []uint32 // by directory
	used    []dirID  // those that are not 0, in order of first use
}

// get is the number of d, 0 if none was given.
func (t *dirTable) get(d dirID) uint32 {
	if int(d) >= len(t.numbers) {
		return 0
	}
	return t.numbers[d]
}

// set gives d a number above 0.
func (t *dirTable) set(d dirID, n uint32) {
	if int(d) >= len(t.numbers) {
		t.numbers = append(t.numbers, make([]uint32, int(d)+1-len(t.numbers))...)
	}
	if t.numbers[d] == 0 {
		t.used = append(t.used, d)
	}
	t.numbers[d] = n
}

// empty forgets all numbers.
func (t *dirTable) empty() {
	for _, d := range t.used {
		t.numbers[d] = 0
	}
	t.used = t.used[:0]
}
