// Package control carries orders to a run that is under way, and its answers back.
//
// A run listens at a socket in its harvest's folder from the moment that it has the store until it
// is delivered. Whoever may write to that folder may give orders; no other user of the machine, and
// nobody from another one, can. An order is one JSON object on a line, its answer another one; then
// the connection is closed. Each is answered at once, whatever the run does just then.
//
//	→ {"do":"delay","host":"www.example.org","seconds":5,"by":"anna"}
//	← {"done":[{"time":"2026-11-21T10:00:00Z","by":"anna","do":"delay","what":"delay of
//	    www.example.org","old":"2s","new":"5s","visits":1204}]}
//	← {"error":"the delay of www.example.org ...","refused":true}
//
// # Words
//
//   - An order asks a run for something: a change, or an answer.
//   - An entry is a change that was made, as the run's logs/orders.jsonl keeps it.
//   - A phase is what the run is doing: it is opened, crawls, or is delivered. An order that makes
//     no sense in that phase is refused: a PhaseError.
//   - A run that ended or died takes no orders: ErrNoRun.
//
// A process that dies leaves its socket behind, at which nobody listens; the next run takes it
// away. A path that is too long for a socket's address is a symbolic link to one in a folder of its
// own below the system's for temporary files.
package control
