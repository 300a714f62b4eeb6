package archive

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// salvage reads a ZIP file whose directory, at its end, is cut off or does not lead to the files: it
// makes another directory of the heads that stand before the files, up to the first place where none
// stands. The last file may be cut. The order of the fields is that of PKWARE's APPNOTE.TXT, 4.3.
//
// Cost: a read of each head, and one of the file where sizes stand behind the data. The directory
// has at most maxDataPackage bytes.
func salvage(f io.ReaderAt, size int64) (*zip.Reader, error) {
	le := binary.LittleEndian
	var dir []byte
	records := uint64(0)
	for at := int64(0); len(dir) < maxDataPackage; records++ {
		var head [30]byte
		if _, err := f.ReadAt(head[:], at); err != nil || string(head[:4]) != "PK\x03\x04" {
			break // errors come again where the files are read
		}
		name := make([]byte, int(le.Uint16(head[26:]))+int(le.Uint16(head[28:])))
		if _, err := f.ReadAt(name, at+30); err != nil {
			break
		}
		name, extra := name[:le.Uint16(head[26:])], name[le.Uint16(head[26:]):]
		begin := at + 30 + int64(len(name)) + int64(len(extra))
		crc, packed, whole := le.Uint32(head[14:]), uint64(le.Uint32(head[18:])), uint64(le.Uint32(head[22:]))
		if packed == math.MaxUint32 {
			if i := bytes.Index(extra, []byte{1, 0, 16, 0}); i >= 0 && len(extra) >= i+20 {
				whole, packed = le.Uint64(extra[i+4:]), le.Uint64(extra[i+12:])
			}
		}
		next := uint64(0) // bytes behind the data
		if le.Uint16(head[6:])&8 != 0 {
			crc, packed, whole, next = behindData(f, begin, size)
		}
		if left := uint64(size - begin); packed > left {
			crc, packed = 0, left
			if whole = max(whole, left); le.Uint16(head[8:]) == zip.Store {
				whole = left
			}
		}
		dir = append(dir, "PK\x01\x02\x2D\x00\x2D\x00"...)
		dir = le.AppendUint16(dir, le.Uint16(head[6:])&^8)
		dir = append(dir, head[8:14]...) // method and time
		dir = le.AppendUint32(dir, crc)
		dir = le.AppendUint64(dir, math.MaxUint64) // the sizes stand in the extra field
		dir = le.AppendUint16(dir, uint16(len(name)))
		dir = append(append(dir, 28), make([]byte, 11)...)
		dir = le.AppendUint32(dir, math.MaxUint32)
		dir = append(append(dir, name...), 1, 0, 24, 0)
		dir = le.AppendUint64(le.AppendUint64(le.AppendUint64(dir, whole), packed), uint64(at))
		at = begin + int64(packed) + int64(next)
	}
	if records == 0 {
		return nil, zip.ErrFormat
	}
	long := uint64(len(dir))
	dir = append(dir, "PK\x06\x06\x2C\x00\x00\x00\x00\x00\x00\x00\x2D\x00\x2D\x00"...)
	dir = append(dir, make([]byte, 8)...)
	for _, n := range []uint64{records, records, long, uint64(size)} {
		dir = le.AppendUint64(dir, n)
	}
	dir = append(dir, "PK\x06\x07\x00\x00\x00\x00"...)
	dir = le.AppendUint64(dir, uint64(size)+long)
	dir = append(dir, "\x01\x00\x00\x00PK\x05\x06\x00\x00\x00\x00"...)
	dir = append(append(dir, bytes.Repeat([]byte{0xFF}, 12)...), 0, 0)
	return zip.NewReader(&extended{f.ReadAt, size, bytes.NewReader(dir).ReadAt}, size+int64(len(dir)))
}

// behindData finds the sizes that stand behind a file's data: where they are those of the bytes
// between. Without them the file is taken to be all that follows.
func behindData(f io.ReaderAt, begin, size int64) (crc uint32, packed, whole, length uint64) {
	const most = 24 // bytes of such a place, with sizes of 64 bits
	le := binary.LittleEndian
	buf := make([]byte, 64<<10+most)
	for at := begin; at < size; at += int64(len(buf) - most) {
		n, err := f.ReadAt(buf, at)
		for i := 0; i+16 <= n; i++ {
			more := bytes.Index(buf[i:n], []byte("PK\x07\x08"))
			if i += max(more, 0); more < 0 || i+16 > n {
				break
			}
			b, data := buf[i:n], uint64(at-begin)+uint64(i)
			switch {
			case len(b) >= most && le.Uint64(b[8:]) == data:
				return le.Uint32(b[4:]), data, le.Uint64(b[16:]), most
			case uint64(le.Uint32(b[8:])) == data:
				return le.Uint32(b[4:]), data, uint64(le.Uint32(b[12:])), 16
			}
		}
		if err != nil {
			break
		}
	}
	return 0, math.MaxInt64, 0, 0
}

// extended is a file with bytes behind it.
type extended struct {
	file func(p []byte, at int64) (int, error)
	size int64
	tail func(p []byte, at int64) (int, error)
}

// ReadAt reads from both.
func (e *extended) ReadAt(p []byte, at int64) (n int, err error) {
	if at < e.size {
		n, err = e.file(p[:min(int64(len(p)), e.size-at)], at)
		if n == len(p) || err != nil && !errors.Is(err, io.EOF) {
			return n, err
		}
	}
	m, err := e.tail(p[n:], at+int64(n)-e.size)
	return n + m, err
}
