// Package layers holds the rules of the house: which room may import which, and what a document may
// name. A new room needs a place on a floor.
//
// A room is a folder at the top, with all packages in it. A room imports rooms of lower floors
// only, so that no rooms form a circle. The laboratory (lab, cmd/lab) may import the program, and
// the program nothing of it; the program's tests may import the kits below lab/kit, since a kit of
// tests has no other place.
package layers
