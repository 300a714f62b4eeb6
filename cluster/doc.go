// Package cluster has harvests on several machines take turns at the hosts and addresses of the web,
// through a broker (NATS JetStream), has nodes share a harvest by its shards, and runs a node of that
// broker.
//
// A Member is a harvest in a cluster. It has a session, a key of a bucket in the broker, which it
// renews every 3 s. Every host and every address belongs to one of 65,536 slots, further keys of
// that bucket. Whoever wants to ask a host takes its slot for a turn, asks as often as its own manners allow,
// and gives the slot back after some 10 s. A write names the revision that it replaces, and is refused
// where that is not the last one: of two that take a slot, one gets it.
//
// Invariants:
//  1. A slot is used only between an answer of the broker that it was taken and the write that gives
//     it back. Where no answer came, the slot is given back, and not used.
//  2. A member whose session was not renewed for 9 s, counted from the sending of the last renewal
//     that was answered, asks nothing, and its requests end.
//  3. A member takes the slots of another one only after it has ended the session of that one, by a
//     write that replaces a renewal which it has known for 15 s. The write is refused where the session was
//     renewed since. As 15 s begin later than the 9 s, nobody asks any more then, provided that a
//     request ends within 6 s of being told to.
//  4. No turn depends on the clock of another machine. A record says how long ago the last request was
//     when it was written, and how long the slot is to rest from then on; the reader counts from when it
//     read that. A record that was there before counts as older by no more than the broker's clock and
//     the reader's own both say.
//
// The bucket is named turns-NAME, and has these keys; the values are JSON:
//
//	protocol      "4"
//	session.ID    {"who":"one, harvest gemo"}            who asks; with "ended":true nobody any more
//	slot.NUMBER   {"held":"ID","by":"ID","ago":0,"rest":2000}
//	wish.NUMBER   {"by":"ID","for":12000}
//
//	node.NAME     {"session":"ID","room":4,"patience":600000000000}  a node that harvests shards
//	harvest.NAME  {"round":1,"count":256,"shards":[3,17],"by":"one","yaml":"SHA-256"}
//	shard.NAME.017  {"node":"one","round":1,"state":"running","captured":12}
//	decided.NAME.HASH  {"do":"out","rule":"host:a.example","by":"anna","time":"…"}  for each site
//
// An empty value says that a record was removed. It is removed itself after an hour, as is the record of a
// session that has ended, by the next member to come.
//
// Here held is the session whose turn it is, or missing; by is the session that asked last, ago how
// many milliseconds before the writing, and rest for how many after it the slot is to be left alone. A
// member that waits for a slot writes its wish, unless there is one, and the others let it go first
// for so many milliseconds.
//
// A node that has room takes a shard that waits, by a write of its own name into the record, and then
// harvests it; it alone changes the record from then on, until the session that the node's record names
// has been over for the patience that the record says. A node whose session is lost ends its
// harvests after half of that. A node that hands its shards over writes records without a node,
// whose from names itself; who takes such a shard fetches the folder, and then removes from. The
// YAML of a harvest and what its shards brought lie in the store of objects harvests-NAME;
// questions about a shard go to the subject watershed.NAME.NODE.
//
// A program that speaks another protocol waits until no session is alive of those that use the bucket,
// and then writes its own. The nodes of a broker tell each other what their clocks say, and a hash of the
// nodes that they know of, on the subject watershed-clocks.NAME: "one 1795772202809949565 6f1d…".
//
// A process that is stopped for longer than 9 s (SIGSTOP) between its look at the clock and the sending of a
// request sends that one request when it goes on. A machine whose monotonic clock stood still (suspended to
// memory, a virtual machine that is paused) believes in its session until the broker refuses the next
// renewal, or until 9 s of that clock are over: invariants 2 and 3 are of clocks that go on.
package cluster
