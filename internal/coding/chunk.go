package coding

import (
	"bytes"
	"errors"
	"strconv"
)

// MaxChunkLine bounds the line before a chunk, with its extensions, and a trailer field, in bytes;
// net/http has the same.
const MaxChunkLine = 4 << 10

// ChunkSize reads the line before a chunk of transfer coding (RFC 9112, 7.1), leniently: blanks
// around the size and extensions behind it are passed over. A size beyond all numbers is the
// greatest; such a chunk never comes whole. ok is false for a line without a size. The wire and
// archives are read by this one rule, so that a payload is the same for both.
func ChunkSize(line []byte) (size int64, ok bool) {
	text, _, _ := bytes.Cut(line, []byte(";"))
	n, err := strconv.ParseUint(string(bytes.Trim(text, " \t\r\n")), 16, 63)
	return int64(n), err == nil || errors.Is(err, strconv.ErrRange)
}
