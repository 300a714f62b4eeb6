// Package quality checks a sample of a harvest's pages: whether the replay shows their text as it
// was captured, and whether what they need to be shown is held.
//
// # Words
//
//   - A requisite is a file that a page names and needs to be shown: a picture, style sheet, script
//     or frame, or a file that one of these needs in its turn.
//
//   - A requisite is held if a capture answers for it: its own, that of a revisit, or that of the
//     representative in whose favour it was left out. A requisite that its server answered with an
//     error is held, too: it was as broken live.
//
//   - A missing requisite has a reason, from skipped.jsonl and crawl.log of the runs; neverFound is
//     the reason where no run knew the URL.
//
//   - A page is whole if its text is shown in full and all that it needs is held; lacking if
//     something is missing; and not judged if nothing is known to be missing, but scripts, which a
//     check does not run, draw it: it has few words, a text like "Loading", the empty root of a
//     framework, or a framework that draws it anew in the browser.
//
//   - A page that a browser drew when it was captured may be drawn again, by captures alone. It is
//     whole if it asks then for nothing that is missing, and shows the words that it showed before. A
//     request is like another of the page if they differ by made-up values alone, such as the time.
//
// # Invariants
//
//  1. A check reads the archive and the logs, and changes nothing; a report may be kept beside them.
//  2. The same files, seed and number of pages give the same report, but for pages that are drawn
//     again.
//  3. Memory and time are bounded by the sample: the logs are read once, line by line, whatever
//     their length.
package quality
