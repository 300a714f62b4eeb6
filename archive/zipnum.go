package archive

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
)

// zipNumLines is how many index lines make a gzip block: what py-wacz takes, so that a look-up
// reads some tens of kilobytes.
const zipNumLines = 1024

// writeZipNum packs a sorted index: data gets gzip members of lines lines each (zipNumLines when
// 0), and idx a heading and, a line a member, the key and timestamp of its first line with its
// place:
//
//	!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}
//	org,example)/ 20260304050607 {"offset": 0, "length": 31201, "digest": "sha256:…"}
//
// name is what the data will be called.
func writeZipNum(index io.Reader, data, idx io.Writer, name string, lines int) error {
	z := zipNum{data: data, idx: bufio.NewWriter(idx)}
	z.zw = gzip.NewWriter(&z.member)
	_, err := z.idx.WriteString(`!meta 0 {"format": "cdxj-gzip-1.0", "filename": ` +
		string(appendJSON(nil, name)) + "}\n")
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(index, 64<<10)
	for {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return errors.Join(z.flush(), z.idx.Flush())
		}
		if err != nil {
			return fmt.Errorf("pack index: %w", err)
		}
		if len(line) == 0 || line[0] == '!' || line[0] == ' ' {
			continue
		}
		if err := z.add(line); err != nil {
			return fmt.Errorf("pack index: %w", err)
		}
		if z.lines == cmp.Or(lines, zipNumLines) {
			if err := z.flush(); err != nil {
				return fmt.Errorf("pack index: %w", err)
			}
		}
	}
}

type zipNum struct {
	data   io.Writer
	idx    *bufio.Writer
	zw     *gzip.Writer
	member bytes.Buffer
	first  []byte // key and timestamp of the member's first line
	lines  int
	offset int64
}

func (z *zipNum) add(line []byte) error {
	if z.lines == 0 {
		z.member.Reset()
		z.zw.Reset(&z.member)
		head, _, ok := bytes.Cut(line, []byte(" {"))
		if !ok {
			return fmt.Errorf("index line %q has no JSON", line[:min(len(line), 80)])
		}
		z.first = append(z.first[:0], head...)
	}
	z.lines++
	if _, err := z.zw.Write(line); err != nil {
		return err
	}
	_, err := z.zw.Write([]byte{'\n'})
	return err
}

func (z *zipNum) flush() error {
	if z.lines == 0 {
		return nil
	}
	z.lines = 0
	if err := z.zw.Close(); err != nil {
		return err
	}
	sum := sha256.Sum256(z.member.Bytes())
	n := z.member.Len()
	fmt.Fprintf(z.idx, "%s {\"offset\": %d, \"length\": %d, \"digest\": \"sha256:%s\"}\n", z.first, z.offset,
		n, hex.EncodeToString(sum[:]))
	z.offset += int64(n)
	_, err := z.data.Write(z.member.Bytes())
	return err
}
