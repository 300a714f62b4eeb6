package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gabriel-vasile/mimetype"

	"watershed/internal/guard"
	"watershed/page"
)

// Format is the kind of a file by its content.
type Format uint8

const (
	FormatUnknown Format = iota
	FormatWARC           // records of WARC, WET and WAT files
	FormatARC            // records of ARC files
	FormatPackage        // WACZ
	FormatCDXJ           // an index, a line a capture
	FormatCDX            // an older index, a line a capture
	FormatZipNum         // the places of blocks in a packed index
	FormatLinks          // lines "SOURCE TARGET" or "SOURCE TARGET KIND"
)

// String names the format.
func (f Format) String() string {
	return [...]string{
		"unknown file", "WARC file", "ARC file", "WACZ package", "CDXJ index", "CDX index", "ZipNum index",
		"list of links",
	}[f]
}

// Records reports a format whose files are rows of records.
func (f Format) Records() bool { return f == FormatWARC || f == FormatARC }

// Index reports a format whose lines lead to records in other files.
func (f Format) Index() bool { return f == FormatCDXJ || f == FormatCDX || f == FormatZipNum }

// errUnknown says that a file is none that can be read.
var errUnknown = errors.New("read are WARC, ARC, WET, WAT, WACZ, CDX, CDXJ, ZipNum and lists of " +
	"links, plain or packed by gzip, zstd or bzip2")

// maxHead is how much of a file is looked at, in bytes after unpacking: some lines of an index.
const maxHead = 32 << 10

// Sniff tells the format of a file by its first bytes, whatever its name is; where these are damaged
// and it is called like an archive, by a record behind them. The error wraps
// errUnknown and says what was found instead.
func Sniff(path string) (Format, error) {
	info, err := os.Stat(path)
	if err != nil {
		return FormatUnknown, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for who writes to it
		return FormatUnknown, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return FormatUnknown, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	var format Format
	var what string
	if fault := guard.Call(func() { format, what, err = sniff(f) }); fault != nil {
		return FormatUnknown, fault
	}
	if format == FormatPackage {
		format, what = sniffZIP(f, info.Size())
	}
	if format == FormatUnknown && claimsArchive(path) {
		format = behind(f)
	}
	if format != FormatUnknown || err != nil && !isFormat(err) {
		return format, err
	}
	return FormatUnknown, fmt.Errorf("it is %s; %w", what, errUnknown)
}

// maxFront is how far into a file called like an archive a first record is looked for, in bytes.
const maxFront = 1 << 20

// behind tells the format of a file whose first bytes are damaged by a record behind them.
func behind(f io.ReaderAt) (format Format) {
	_ = guard.Call(func() { // a fault leaves the file unknown
		r, err := newFileReader(io.NewSectionReader(f, 0, maxFront), "")
		if err != nil {
			return
		}
		rec, err := r.Next()
		if err != nil && r.Recover() {
			rec, err = r.Next()
		}
		if err == nil {
			format = FormatWARC
			if rec.IsARC() {
				format = FormatARC
			}
		}
	})
	return format
}

// isFormat reports an error of the bytes, not of reading them.
func isFormat(err error) bool {
	var path *os.PathError
	return !errors.As(err, &path)
}

// sniff looks at the first bytes of a file, and describes a file of an unknown format. A ZIP file
// counts as a package. A damaged packing is told by as much as can be unpacked.
func sniff(in io.Reader) (f Format, what string, err error) {
	text, err := Unpack(in)
	if err != nil {
		return FormatUnknown, "", err
	}
	head, err := io.ReadAll(io.LimitReader(text, maxHead))
	if f = formatOf(head, len(head) < maxHead); f != FormatUnknown {
		return f, "", nil
	}
	packed := ""
	if t, ok := text.(*textUnpacker); ok {
		packed = t.u.packing.String() + " of "
	}
	switch {
	case err != nil:
		what = "damaged: " + packed + err.Error()
	case len(head) == 0:
		what = packed + "an empty file"
	default:
		what = packed + mimetype.Detect(head).String()
	}
	return FormatUnknown, what, err
}

// sniffZIP looks into a ZIP file, which may be a document of an office program. A damaged one is a
// package if it is called so: whoever opens it tells what is wrong.
func sniffZIP(f *os.File, size int64) (Format, string) {
	z, err := zip.NewReader(f, size)
	if err != nil {
		if claimsArchive(f.Name()) {
			return FormatPackage, ""
		}
		return FormatUnknown, "a damaged ZIP file"
	}
	for _, x := range z.File {
		if x.Name == "datapackage.json" || strings.HasPrefix(x.Name, "archive/") {
			return FormatPackage, ""
		}
	}
	return FormatUnknown, "a ZIP file without datapackage.json"
}

// claimsArchive reports a file name that archives, packages and indexes have, of whatever content.
func claimsArchive(name string) bool {
	name = strings.TrimSuffix(strings.ToLower(filepath.Base(name)), suffixOpen)
	for _, packed := range []string{".gz", ".zst", ".bz2"} {
		name = strings.TrimSuffix(name, packed)
	}
	switch filepath.Ext(name) {
	case ".warc", ".arc", ".wet", ".wat", ".wacz", ".cdx", ".cdxj":
		return true
	}
	return false
}

// formatOf tells the format of a text by its beginning; whole says that there is no more of it.
func formatOf(head []byte, whole bool) Format {
	head = bytes.TrimLeft(head, "\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("WARC/")):
		return FormatWARC
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return FormatPackage
	case bytes.HasPrefix(head, []byte(fileDesc)):
		return FormatARC
	}
	lines := bytes.Split(head, []byte{'\n'})
	if !whole && len(lines) > 1 {
		lines = lines[:len(lines)-1] // which may be cut
	}
	if _, ok := parseCDXHeading(bytes.TrimRight(lines[0], "\r")); ok {
		return FormatCDX
	}
	if _, ok := parseARCLine(string(lines[0])); ok {
		return FormatARC
	}
	return formatOfLines(lines)
}

// formatOfLines tells an index or list by its lines: most of the first ones must be of it.
func formatOfLines(lines [][]byte) Format {
	const most = 16
	var count [FormatLinks + 1]int
	seen, first := 0, FormatUnknown
	for _, line := range lines {
		line = bytes.TrimRight(line, "\r")
		if len(bytes.TrimSpace(line)) == 0 || strings.IndexByte("#! ", line[0]) >= 0 {
			if bytes.HasPrefix(line, []byte("!meta")) && bytes.Contains(line, []byte("cdxj-gzip")) {
				return FormatZipNum
			}
			continue
		}
		f := formatOfLine(line)
		if count[f]++; first == FormatUnknown {
			first = f
		}
		if seen++; seen == most {
			break
		}
	}
	if 2*count[first] < seen || seen == 0 {
		return FormatUnknown
	}
	return first
}

func formatOfLine(line []byte) Format {
	if e, err := parseEntry(line); err == nil {
		if e.File == "" && e.URL == "" {
			return FormatZipNum
		}
		return FormatCDXJ
	}
	if _, ok := parseBlock(line); ok {
		return FormatZipNum
	}
	if _, err := (cdxForm{}).parse(line); err == nil {
		return FormatCDX
	}
	words := bytes.Fields(line)
	if !isAbsolute(words[0]) || len(words) > 1 && !bytes.Contains(words[1], []byte(":")) {
		return FormatUnknown
	}
	return FormatLinks
}

func isAbsolute(text []byte) bool {
	_, err := page.ParseURL(string(text))
	return err == nil && bytes.Contains(text, []byte("://"))
}
