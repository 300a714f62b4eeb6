// Package collections judges what package replica/collection finds, on webs whose copies are known:
// section 4 of J. Cho, N. Shivakumar, H. Garcia-Molina, Finding replicated web collections, 2000. A
// Truth is read once and then only read.
package collections
