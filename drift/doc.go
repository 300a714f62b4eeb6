// Package drift tells what happened to sites between two harvests: which pages were born, changed,
// moved or went, and how the boundary moved.
//
// A page of the older harvest that the newer one has again is compared by its payload, then by its
// text and links. A page that the newer harvest lacks is looked for: under the address that it
// redirects to, then among the new pages, by payload and by resemblance of the text ("lost and
// found": Broder, Glassman, Manasse and Zweig, Syntactic Clustering of the Web, 1997, section 6). A
// page that was left out as a replica has not changed as far as anybody knows.
//
// How often the pages of a group change is estimated as Cho and Garcia-Molina do (Estimating
// Frequency of Change, 2003, section 4.2): with n visits after an interval, of which X found a
// change, the rate is −ln((n−X+½)/(n+½)) an interval. Unlike X/n it counts changes that were
// overwritten before anybody looked, and is nearly free of bias.
//
// Visits are gone through twice in each harvest. Memory goes with the number of pages (some 100
// bytes each) and of those that changed (some 700 bytes each), not with what they hold. The package
// is pure.
package drift
