// Package login logs in to the sites of a harvest, and keeps the logins alive.
//
// A Login belongs to some origins (scheme, host and port), and what is secret in it is sent to them
// and to nobody else: to no other host that a page redirects to or takes its images from. It has any
// of: a user and password for basic or digest authentication (RFC 7617, RFC 7616), fields of its
// own, the cookies of a file, and a form that is filled in.
//
// The package makes no request. The crawler asks it before each request to an origin of a login
// what to ask for first (Due), makes that request as any other of the host, in its turn, and shows
// the answer (Took). Requests for pages carry the Session of that moment; their answers are judged
// (Session.Judge): a sign that the login has expired brings a new login, and the page is asked for
// again.
//
//	due     form: GET the page → fill in its form → POST → follow redirects → look for the sign
//	in      each answer: no sign → good;  sign → due again (form, or a new nonce), or doubted
//	lost    the form, the user or the cookies were refused: no request is made any more
//
// # Invariants
//
//  1. A session gives secrets to requests of its login's origins only, cookies by RFC 6265 besides.
//  2. No error, log line or method but Session.Fields and Step.Body gives a secret.
//  3. Renewals end: a sign that a renewal did not take away counts as one of the page, and the next
//     one is believed after as many signs in a row as there were such vain renewals.
package login
