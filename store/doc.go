// Package store keeps a harvest's state: the record of each URL, the queues, the hosts, the visits,
// and the facts of earlier runs that the next one needs. It is one Badger database in one folder,
// with one writer.
//
// A run is one crawl of the harvest, a recrawl the next one. Tables of a run have its number in
// their keys, so that a recrawl starts with nothing known; tables of the harvest (digests,
// captures, robots) serve all runs. A URL is found by its page.Key. Its record is the
// truth; a queue row is an index entry that counts only as long as the record agrees, because
// Badger has brought deleted keys back before (its issue 2143).
//
// All writing goes through Update and all reading through View or an iteration. A commit survives
// the death of the process, a Checkpoint also a power cut. The caller keeps the state from claiming
// a capture that is not on disk, by this order: sync the archive's record, then Update, then
// Checkpoint.
//
// # Keys
//
// A key is a table's letter and what follows it here; numbers are big-endian, so that keys sort as
// numbers do. run is 4 bytes, key is the 8 bytes of a page.Key.
//
//	M name                     the store itself: "format", "harvest", "split", and "checkpoint0"
//	                           to "checkpoint63"
//	R run                      RunRecord
//	U run key                  URL
//	X run key text             URL whose key is that of another one
//	Q run host¹ rank² order³   queue row: its value is the 8 bytes of a page.Key
//	H run name                 Host
//	T run                      Totals of the run
//	S run site⁴                Totals of one site
//	N run part⁴                names of the sites, since format 11
//	V run seq³ part⁵           page.Visit
//	K run key                  Entry of the ledger
//	C run                      read no more: what the last Checkpoint of earlier versions told
//	D digest⁶                  Original
//	L key                      Capture
//	B origin                   what is kept of a robots.txt
//	P from                     read no more: rules of copies, which earlier versions kept here
//
// ¹ 4 bytes, Host.Number. ² 1 byte, inverted, so that the highest rank comes first; 64 more for an
// https URL. ³ 8 bytes. ⁴ 4 bytes. ⁵ 2 bytes, 0 for the first; since format 10 the
// others count from 1 or from 32769. ⁶ 32 bytes.
//
// # Values
//
// Fields follow each other without names: u is an unsigned varint and i a zigzag varint (both as in
// encoding/binary), b a byte, bool a byte 0 or 1, k 8 bytes big-endian, s a text (its length as u
// and its bytes), t a time (i, nanoseconds since 1970 UTC, 0 for none), d a duration (i,
// nanoseconds), rest what is left of the value. A location is s file, i offset, i length.
//
//	M format    u
//	M harvest   rest
//	M split     b 1, there while a large transaction is half committed
//	M checkpointN    u, number of a checkpoint, by its remainder by 64
//	R           t started, t finished, b state, s config
//	U, X        b state and flags (16 forced, 32 via, 64 queued, 128 spelled), b reason,
//	            b kind (and since format 6 64 part, 128 file, since format 7 32 asked), b depth,
//	            b tries, u site, u host, i priority, i status, u visit, [k via,]
//	            [b rank, u order,] s hops, s rule, [s asked,]
//	            rest URL, spelled where the flag says so
//	H           u number, u done, u failed, u skipped, u robots, i bytes, t due, t last, u failures, b slow,
//	            d crawl delay, d least delay, bool paused,
//	            b flags (1 http given up, 2 https given up, 4 always, 8 causes, 16 files),
//	            t http due, u https failures, t https due,
//	            [s http cause, s https cause, since format 5,] [u files, since format 6,]
//	            rest address (0, 4 or 16 bytes)
//	T, S        i bytes, u number of states, i for each state, then i for each reason up to the end
//	N           the parts in a row are u number of names, s each name, rest of longer lists before
//	V           b 0 and the part as it is, or b 1 and the part as an S2 block
//	K           b reason, s representative, t time, s evidence
//	C           t time, u visits, rest note
//	D           s URL, t time, location, u run, u visit, [s URL spelled, since format 4]
//	L           s URL, t time, i status, s ETag, s Last-Modified, 32 bytes digest, i size,
//	            location, u run, u visit
//	B           rest
//
// The first part of a visit is u number of parts (since format 8, 131072 more where a login
// follows; since format 9, 262144 times whether a browser draws the page: 1 it will, 2 it has, 3
// none could; since format 10, 1048576 more where the other parts count from 32769, and 2097152 where
// the drawing of other pages is to tell whether a browser draws it, with 262144 more where a script
// that it names is to tell that, or, of a script, where it does; since format 11, 4194304 more where
// an inlay follows), then b flags
// (1 noindex, 2 revisit, 4 sketch, 8 soft error, 16 content, 32 unread, 64 spelled, 128 origin
// spelled), s URL, t time, i status, s cause, d duration, s remote, s MIME, s charset, s language,
// s title, s ETag, s Last-Modified, i size, 32 bytes digest, s truncated, location, [of a revisit:
// s URL, t time, location,] s via, s hops, s site, [s sketch,] [k content,] [s URL
// spelled,] [s origin's URL spelled,] [s login,] [s inlay,] and links up to the end.
// Further parts have links alone. A link is b kind, b flags (1 nofollow, 2 new context, 4 text, 8
// spelled), u how many bytes its URL shares with that of the
// link before in the part (of the page before the first), s the rest of its URL, the context (s
// when it is new in the part, else u its number there, from 0), [s text], [s URL spelled; before
// format 4 the reference as the page has it].
//
// # Example
//
// http://example.org/a (say its key is 0123456789abcdef) waits in run 2 on host 7, rank 10, order
// 300:
//
//	55 00000002 0123456789abcdef                     U, run, key
//	72 00 01 02 03                                   pending, forced, via, queued; no reason;
//	                                                 a navigation link; depth 2; 3 tries
//	01 07 d00f 03 05                                 site 1, host 7, priority 1000, status -2, visit 5
//	1122334455667788 0a ac02                         via, rank 10, order 300
//	03 4c454c 00                                     hops LEL, no rule
//	687474703a2f2f6578616d706c652e6f72672f61         the URL
//
//	51 00000002 00000007 f5 000000000000012c         Q, run, host, ^10, 300
//	0123456789abcdef                                 key
//
// testdata/golden.txt has an entry of every table, made by another program from this text.
package store
