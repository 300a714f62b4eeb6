// Package replay shows archived pages as they were, out of a harvest's WARC files, without running
// anything that is in them.
//
// # Words
//
//   - The view of a capture is a page of ours: a banner that says what is shown, and the archived
//     page in a frame.
//   - The key is a part of every address; a client that does not know it gets nothing. Archived
//     pages have no cookies and no scripts by which they could use it.
//
// # Invariants
//
//  1. Everything archived is hostile. It is served with a policy that makes its origin opaque
//     (sandbox), runs no script, sends no form, and loads from this server alone.
//  2. Markup is rewritten token by token, in time linear in its length: each address that a page
//     names leads back here, and anything that could lead elsewhere is left out. Text stays text:
//     none can become markup on the way.
//  3. A revisit is shown by the capture that it refers to, a URL that was left out as a replica by
//     that of its representative; the banner says so.
//  4. The server makes no request.
package replay
