package prove

import "math"

// class comes from the outcomes of a pair's tests to its class. Levels 1 to 5 are tried in this
// order. Failures alone never make a level.
//
// Printed is Table 1 of Bharat and Broder 1999, read as follows where it is silent: level 4 counts
// FS with FM and HS, level 5 counts better outcomes than TS, too; a pair that fits no level is a
// mismatch; all SF is a server failure. Pages that could not be tested are left out of account.
//
// The table is strict: one page of nineteen that is missing, or that a counter changes, makes
// another level, and one page that any two manuals share makes level 4 of a mismatch. Shares reads
// section 2 of the paper, where the levels are told of whole hosts, and estimates what it asks for
// from the tests, and the structure from what is known of both hosts besides. A host may have some
// pages of its own, up to 1-Options.Structure of them, and so many may be missing in the sample as
// that and a standard error make. The front page, on which a mirror says whose it is, is only
// counted where it agrees.
//
//	same structure     on either side, that part of the valid paths is valid on the other side
//	Level 1            same structure; of the pages compared, that part is highly similar, and all
//	                   of these are identical
//	Level 2            the same, and of these that part is equivalent or identical
//	Level 3            same structure, and the mean resemblance is at least Options.Similar
//	Level 4            the mean resemblance is as before, and at least Options.Partial pages
//	                   besides the front page are highly similar
//	Level 5            most paths are valid on both sides, and most pages there show a trace of
//	                   similarity or more
func (t *Tally) class(o Options) Class {
	o = o.WithDefaults()
	n := t.valid()
	switch {
	case n == 0 && t.Count[SF] > 0:
		return ServerFailure
	case n == 0:
		return Undetermined
	case t.compared() == 0:
		return Mismatch
	case o.Criteria == Printed:
		return t.printed()
	}
	return t.shares(&o)
}

// printed are the criteria to the letter.
func (t *Tally) printed() Class {
	switch n := t.valid(); {
	case t.Count[FM] == n:
		return Level1
	case t.Count[FM]+t.Count[FS] == n:
		return Level2
	case t.similar() == n:
		return Level3
	case t.similar() > 0:
		return Level4
	case t.Count[TF] == 0 && t.Count[TS] > 0:
		return Level5
	}
	return Mismatch
}

// shares are the criteria by estimate.
func (t *Tally) shares(o *Options) Class {
	n := t.besides()
	if n.valid() == 0 {
		return Undetermined // front pages alone prove nothing
	}
	alike, compared := n.similar(), n.compared()
	same := alike > 0
	for _, s := range t.From {
		same = same && (s.Valid == 0 || s.holds(o.Structure))
	}
	close := same && compared-alike <= tolerated(compared, o.Structure)
	content := alike > 0 && n.Mean() >= o.Similar
	switch {
	case close && n.Count[FM] == alike:
		return Level1
	case close && n.Count[HS] <= tolerated(alike, o.Structure):
		return Level2
	case content && same:
		return Level3
	case content && alike >= o.Partial:
		return Level4
	case 2*compared > n.valid() && 2*(alike+n.Count[TS]) > compared:
		return Level5
	}
	return Mismatch
}

// besides are the tests without that of the front page.
func (t *Tally) besides() Tally {
	n := *t
	n.Count[t.Root]--
	n.Sum -= t.RootLikeness
	return n
}

// tolerated is how many of n tests may fail where a part of all of them is to hold: their expected
// number and its standard error.
func tolerated(n int, part float64) int {
	k := float64(n)
	return int(k*(1-part) + math.Sqrt(k*part*(1-part)))
}
