// Package ui is the archivist's desk: a web view of harvests, running or finished, made from the
// files in a harvest's folder.
//
// # Words
//
//   - The desk is the server of the views; package replay is the server of archived pages. Each has
//     an origin (a port) of its own.
//   - The link is the address that is printed when the desk starts. It is good for one browser; the
//     browser then has a session.
//   - The secret is a token that a person, or a program (as a bearer token), may give instead of the
//     link. An account is a person with a name, a password and a role.
//   - A view is a page of the desk. Its model is the value that its template shows, and that the
//     JSON API gives as it is.
//   - The picture of a site is land and shore: what belongs, by host and directory, and what it only
//     links to. The dial moves the boundary between scales.
//   - The kind of a page is what a map says of it: inside, pinned, missing, pruned, outside or
//     excluded.
//   - The source of a rule is its origin: a line of the harvest's YAML, a robots.txt, a decision on
//     a replica, or a block.
//
// # Invariants
//
//  1. Nothing is served without the secret, a session whose role permits it or, by the replay, the
//     key that is part of its addresses; the exceptions are the style sheet, the icon, the page that
//     asks for the secret and /healthz.
//  2. The desk does not answer to a name that is not its own (DNS rebinding), nor to a request that
//     another site's page made.
//  3. A request that changes something is a POST from the desk's own page with the session's token,
//     or has the secret.
//  4. No page asks anything of another host: the policy (Content-Security-Policy) allows the own
//     origin alone, no inline script or style. Archived pages are shown on the replay's origin,
//     never on the desk's.
//  5. Titles and URLs are text. Control characters and marks that turn the direction of writing are
//     shown, never obeyed; long texts are cut.
//  6. A file is opened only by a name that a listing of the harvest's folder gave, never by one
//     that a request gave.
//  7. The desk only reads, but for decisions, which go through harvest.Folder: EditTable for
//     replicas, Decide for pages, Want for the next run. A run under way is changed by orders to it
//     (Folder.Order), never by a write to its files. YAML is written, and runs are begun, by package
//     harvest/depot alone.
package ui
