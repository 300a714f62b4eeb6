package demo

// Options decides what a Web is. The zero value is the web of the first harvest. Every value is
// valid: a negative one is 0.
type Options struct {
	// Seed makes other text, other links between pages and other edits. The sites and the hosts
	// stay.
	Seed int
	// Epoch is the number of harvests since the first. Each edits, moves, takes away and adds some
	// pages.
	Epoch int
}
