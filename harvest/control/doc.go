// Package control carries orders to a run that is under way, and its answers back.
//
// A run listens at a socket in its harvest's folder for as long as it crawls. Whoever may write to that folder may give orders; no
// other user of the machine, and nobody from another one, can. An order is one JSON object on a line, its answer another one; then
// the connection is closed. Orders are carried out one after the other.
//
//	→ {"do":"delay","host":"www.example.org","seconds":5,"by":"anna"}
//	← {"done":[{"time":"2026-11-21T10:00:00Z","by":"anna","do":"delay","what":"delay of www.example.org","old":"2s","new":"5s","visits":1204}]}
//	← {"error":"the delay of www.example.org ...","refused":true}
//
// # Words
//
//   - An order asks a run for something: a change, or an answer.
//   - An entry is a change that was made, as the run's logs/orders.jsonl keeps it.
//   - A run that ended, died, or has its archive delivered takes no orders: ErrNoRun.
//
// A process that dies leaves its socket behind, at which nobody listens; the next run takes it away. A path that is too long for a
// socket's address is a symbolic link to one in a folder of its own below the system's for temporary files.
package control
