package upload

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"time"
)

// sums are the SHA-256 of a file and of its parts.
type sums struct {
	size     int64
	modified time.Time
	whole    string // in hexadecimal
	part     int64  // bytes of a part
	parts    [][]byte
}

// sumOf reads a file once. A file that is shorter than it was is errChanged.
func sumOf(ctx context.Context, in io.ReaderAt, info fs.FileInfo, part int64) (*sums, error) {
	x := &sums{size: info.Size(), modified: info.ModTime(), part: part}
	if least := (x.size + mostParts - 1) / mostParts; least > part {
		x.part = (least + mib - 1) / mib * mib
	}
	whole := sha256.New()
	for at := int64(0); at == 0 || at < x.size; at += x.part {
		one := sha256.New()
		n := min(x.part, x.size-at)
		got, err := io.Copy(io.MultiWriter(whole, one), io.NewSectionReader(in, at, n))
		if err == nil && got < n {
			err = errChanged
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, fmt.Errorf("read it: %w", err)
		}
		x.parts = append(x.parts, one.Sum(nil))
	}
	x.whole = hex.EncodeToString(whole.Sum(nil))
	return x, nil
}

func (x *sums) length(i int) int64 { return min(x.part, x.size-int64(i)*x.part) }

// checksum is the file's as S3 tells it: of an object that was put in parts it is that of the parts'
// checksums, and their number.
func (x *sums) checksum() string {
	if len(x.parts) == 1 {
		return base64.StdEncoding.EncodeToString(x.parts[0])
	}
	all := sha256.New()
	for _, p := range x.parts {
		all.Write(p)
	}
	return fmt.Sprintf("%s-%d", base64.StdEncoding.EncodeToString(all.Sum(nil)), len(x.parts))
}

// hashOf is the SHA-256 of what a reader has, in hexadecimal.
func hashOf(in io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, in)
	return hex.EncodeToString(h.Sum(nil)), err
}
