// Package decision keeps what an archivist decided on the pages of a harvest. It stands over the
// harvest's YAML, in the run under way and in later ones: docs/formats/decisions.md.
//
// # Words
//
//   - A decision says one thing of one site, or of all: that the pages of a rule are inside (in),
//     outside (out), fed as a part of the site is and judged like others (soft), not to be had at
//     all (exclude), or at which scale the boundary is drawn (alpha).
//   - Its subject is what it is about: the pin of a rule (in, out, soft), the exclusion of a rule,
//     the scale; each of a site. A decision replaces that on the same subject.
//   - A decision that was replaced or taken back is withdrawn; it is kept, with who did that and
//     when.
//   - A ruling is what the decisions come to for one site. Of pins that match a page the last one
//     holds; exclusion wins over pins.
package decision
