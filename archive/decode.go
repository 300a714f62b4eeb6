package archive

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"

	"watershed/page"
)

// maxCodings bounds how many content codings one payload may have been through.
const maxCodings = 4

// Decode undoes the content codings (RFC 9110, 8.4.1; the values of Content-Encoding in their order): gzip, deflate with or
// without its zlib frame, br, zstd. It holds at most limit bytes of what comes out, however much would; Body.Cut tells that
// there was more. A coding that is not known or broken leaves what was decoded before, with Body.Err.
func Decode(payload io.Reader, codings []string, limit int64) page.Body {
	var names []string
	for _, name := range strings.Split(strings.Join(codings, ","), ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		if name != "" && name != "identity" {
			names = append(names, name)
		}
	}
	if len(names) > maxCodings {
		return page.Body{Err: fmt.Errorf("%d content codings", len(names))}
	}
	r := payload
	for i := len(names) - 1; i >= 0; i-- {
		decoded, err := decoder(r, names[i])
		if err != nil {
			return page.Body{Err: fmt.Errorf("content coding %s: %w", names[i], err)}
		}
		defer decoded.Close()
		r = decoded
	}
	return readBounded(r, limit)
}

func readBounded(r io.Reader, limit int64) page.Body {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	b := page.Body{Bytes: data, Err: err}
	if int64(len(data)) > limit {
		b.Bytes, b.Cut, b.Err = data[:limit], true, nil
	}
	return b
}

func decoder(r io.Reader, name string) (io.ReadCloser, error) {
	switch name {
	case "gzip", "x-gzip":
		return gzip.NewReader(r)
	case "deflate":
		br := bufio.NewReader(r)
		if head, _ := br.Peek(2); len(head) == 2 && head[0]&0x0F == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			return zlib.NewReader(br)
		}
		return flate.NewReader(br), nil
	case "br":
		return io.NopCloser(brotli.NewReader(r)), nil
	case "zstd":
		d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
		if err != nil {
			return nil, err
		}
		return d.IOReadCloser(), nil
	}
	return nil, fmt.Errorf("not known")
}
