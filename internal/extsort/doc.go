// Package extsort sorts more records than memory holds, and keeps sorted records in files that can
// be searched.
//
// A record is an array of 64-bit words, ordered as numbers from the first word to the last
// (Record). A Dir is a directory that one process owns at a time; everything temporary in it
// disappears when it is closed, and when it is next opened after a process that was killed. A
// Sorter takes records in any order, spills them to a Dir as sorted runs once its memory is full,
// and gives them back in order through a Cursor, merging, adding up or dropping records with equal
// keys on the way. A Table is a finished, immutable file of records in order: written once by a
// Writer under a temporary name, then renamed; read as a whole or from any key on, by any number of
// readers at once.
//
// Outline of a sort, after Knuth, The Art of Computer Programming vol. 3 (1998), sections 5.2.5 and
// 5.4.1:
//
//	Add:   append to a buffer; when it is full, sort it by radix, combine neighbours, write a run,
//	       while the next buffer fills
//	Sort:  while there are more runs than FanIn: merge the FanIn smallest into one
//	Next:  a tree of losers picks the smallest head of all runs; neighbours with equal keys are combined
//
// Cost: O(n) for the runs (radix sort) and O(n log runs) for the merge; each record is written and
// read once unless there are more than FanIn runs. All files, runs too, carry checksums: see
// docs/formats/tables.md.
package extsort
