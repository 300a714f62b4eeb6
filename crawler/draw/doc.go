// Package draw has a Chromium draw pages that scripts make, without a network of its own.
//
// The browser talks to a proxy on loopback and to nothing else, and the proxy asks a Source: the
// crawler, which answers from what it has captured in this run, and fetches the rest as it fetches
// anything, under a lease of the host. So a page is drawn from the very bytes that a reader of the
// archive will see, and politeness, robots.txt and the ledger hold for a browser's requests, too.
//
//	Browser  a Chromium process, started when the first page is to be drawn, over two pipes
//	proxy    of each tab; TLS to the browser by certificates of a key that dies with the process
//	window   of the browser, in which pages of a host are shown one after the other
//	Draw     opens a page in it, waits until it is quiet, does what a patient reader does (behaviours),
//	         waits again, and reads links and text off what is shown then
//	Shell    says whether a page as captured is drawn by scripts
//
// Invariants:
//
//  1. No byte of the browser leaves by another way than the proxy: names are not resolved, QUIC and
//     WebRTC are off, loopback goes through the proxy, too.
//  2. The browser stays on the page that it draws. Another document that it wants to go to, in this
//     window or a new one, becomes a link. No form is sent.
//  3. Chromium keeps its sandbox. Where Watershed runs as root, Chromium runs as another user.
//  4. Each step has a bound. A browser that is silent for too long is killed, and the next page has a
//     new one.
package draw
