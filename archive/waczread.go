package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto"
	_ "crypto/md5" // for packageHash, as the two behind it
	_ "crypto/sha1"
	_ "crypto/sha512"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// WACZ reads a package of any writer. It is safe for concurrent use.
type WACZ struct {
	Data DataPackage

	f     io.ReaderAt
	size  int64
	close func() error // nil where the package that holds it closes
	zip   *zip.Reader
	files map[string]*zip.File
}

// OpenWACZ opens a package and reads its datapackage.json. It has to be closed.
func OpenWACZ(name string) (*WACZ, error) { return openPackage(name, (*WACZ).open) }

func openPackage(name string, open func(*WACZ) error) (*WACZ, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	stat, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	w := &WACZ{f: f, size: stat.Size(), close: f.Close, files: make(map[string]*zip.File)}
	if err := open(w); err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", name, err), f.Close())
	}
	return w, nil
}

// nested opens a package that lies in this one, and is valid as long as this one is open. A package
// that was compressed there cannot be read in places.
func (w *WACZ) nested(name string, open func(*WACZ) error) (*WACZ, error) {
	section, ok := w.Section(name)
	if !ok {
		return nil, errors.New("the package that holds it has compressed it; it can be read on its own")
	}
	inner := &WACZ{f: section, size: section.Size(), files: make(map[string]*zip.File)}
	return inner, open(inner)
}

// sniff tells the format of a file of the package.
func (w *WACZ) sniff(name string) (Format, error) {
	in, err := w.File(name)
	if err != nil {
		return FormatUnknown, err
	}
	f, what, err := sniff(in)
	if err = errors.Join(err, in.Close()); f == FormatUnknown && err == nil {
		err = fmt.Errorf("it is %s; %w", what, errUnknown)
	}
	return f, err
}

// maxDataPackage bounds datapackage.json, in bytes.
const maxDataPackage = 64 << 20

func (w *WACZ) open() error {
	var err error
	if w.zip, err = zip.NewReader(w.f, w.size); err != nil {
		return err
	}
	if err := w.list(); err != nil {
		return err
	}
	text, err := w.read("datapackage.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &w.Data); err != nil {
		return fmt.Errorf("datapackage.json: %w", err)
	}
	return nil
}

// salvage opens a package without its directory and datapackage.json, which may be lost.
func (w *WACZ) salvage() (err error) {
	if w.zip, err = salvage(w.f, w.size); err != nil {
		return err
	}
	return w.list()
}

func (w *WACZ) list() error {
	var packed uint64
	for _, f := range w.zip.File {
		w.files[f.Name] = f
		if packed += min(f.CompressedSize64, uint64(w.size)+1); packed > uint64(w.size) {
			return errOverlap
		}
	}
	return nil
}

// errOverlap says that the files of a package take more room than it has, so that some share their
// bytes. A package of a megabyte could have a million files of a megabyte so.
var errOverlap = errors.New("the files in it overlap")

// Close closes the file that OpenWACZ opened.
func (w *WACZ) Close() error {
	if w.close == nil {
		return nil
	}
	return w.close()
}

// Files gives the paths of all files, in the order of the ZIP.
func (w *WACZ) Files() []string {
	names := make([]string, 0, len(w.zip.File))
	for _, f := range w.zip.File {
		names = append(names, f.Name)
	}
	return names
}

// File opens a file of the package by its path.
func (w *WACZ) File(name string) (io.ReadCloser, error) {
	f := w.files[name]
	if f == nil {
		return nil, fmt.Errorf("package has no %s: %w", name, os.ErrNotExist)
	}
	return f.Open()
}

func (w *WACZ) read(name string) ([]byte, error) {
	r, err := w.File(name)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(r, maxDataPackage))
	return text, errors.Join(err, r.Close())
}

// Section gives a file of the package that is stored, not compressed, as a part of the package's
// bytes; ok is false for one that is compressed or missing. It is valid until Close.
func (w *WACZ) Section(name string) (r *io.SectionReader, ok bool) {
	f := w.files[name]
	if f == nil || f.Method != zip.Store {
		return nil, false
	}
	begin, err := f.DataOffset()
	if err != nil {
		return nil, false
	}
	return io.NewSectionReader(w.f, begin, int64(f.UncompressedSize64)), true
}

// Entries gives all index entries, in the order of the package's indexes.
func (w *WACZ) Entries() iter.Seq2[*Entry, error] {
	return func(yield func(*Entry, error) bool) {
		for _, f := range w.zip.File {
			dir, name := path.Split(f.Name)
			if dir == "indexes/" && !strings.HasSuffix(name, ".idx") && !scan(f, yield) {
				return
			}
		}
	}
}

// scan yields the entries of one index; false when the caller wants no more, or after an error.
func scan(f *zip.File, yield func(*Entry, error) bool) bool {
	in, err := f.Open()
	if err != nil {
		yield(nil, err)
		return false
	}
	defer in.Close()
	var text io.Reader = in
	if strings.HasSuffix(f.Name, ".gz") {
		if text, err = gzip.NewReader(in); err != nil {
			yield(nil, err)
			return false
		}
	}
	for s := NewEntries(text); ; {
		e, err := s.Next()
		if errors.Is(err, io.EOF) {
			return true
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", f.Name, err)
		}
		if !yield(e, err) || err != nil {
			return false
		}
	}
}

// Pages gives the lines of pages.jsonl and then of extraPages.jsonl, whatever members other writers
// put there.
func (w *WACZ) Pages() iter.Seq2[PackagePage, error] {
	return func(yield func(PackagePage, error) bool) {
		for _, name := range []string{"pages/pages.jsonl", "pages/extraPages.jsonl"} {
			if w.files[name] == nil {
				continue
			}
			if !w.pages(name, yield) {
				return
			}
		}
	}
}

func (w *WACZ) pages(name string, yield func(PackagePage, error) bool) bool {
	in, err := w.File(name)
	if err != nil {
		yield(PackagePage{}, err)
		return false
	}
	defer in.Close()
	r := bufio.NewReader(in)
	for {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return true
		}
		var p struct {
			PackagePage
			Format string `json:"format"`
		}
		if err == nil && len(line) > 0 {
			err = json.Unmarshal(line, &p)
		}
		if err != nil {
			yield(PackagePage{}, fmt.Errorf("%s: %w", name, err))
			return false
		}
		if p.Format == "" && p.URL != "" && !yield(p.PackagePage, nil) {
			return false
		}
	}
}

// Verify reads every file of the package and tells each that is not as datapackage.json and
// datapackage-digest.json say, and a signature that is not of this package.
func (w *WACZ) Verify() []error {
	var bad []error
	seen := map[string]bool{}
	listed := map[string]bool{"datapackage.json": true, "datapackage-digest.json": true}
	for _, r := range w.Data.Resources {
		if seen[r.Path] {
			bad = append(bad, fmt.Errorf("%s: listed twice in datapackage.json", r.Path))
			continue
		}
		seen[r.Path], listed[r.Path] = true, true
		if err := w.verify(r); err != nil {
			bad = append(bad, fmt.Errorf("%s: %w", r.Path, err))
		}
	}
	for _, name := range w.Files() {
		if !listed[name] && !strings.HasSuffix(name, "/") {
			bad = append(bad, fmt.Errorf("%s: not listed in datapackage.json", name))
		}
	}
	if w.files["datapackage-digest.json"] != nil {
		if err := w.verifyDigest(); err != nil {
			bad = append(bad, fmt.Errorf("datapackage-digest.json: %w", err))
		}
	}
	return bad
}

func (w *WACZ) verify(r PackageFile) error {
	in, err := w.File(r.Path)
	if err != nil {
		return err
	}
	if r.Hash == "" {
		return errors.Join(errors.New("datapackage.json tells no hash of it"), in.Close())
	}
	kind, want, err := packageHash(r.Hash)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	sum := kind.New()
	c := &counter{w: sum}
	if err := errors.Join(copyPooled(c, in), in.Close()); err != nil {
		return err
	}
	if r.Bytes != c.bytes {
		return fmt.Errorf("has %d bytes, not %d", c.bytes, r.Bytes)
	}
	if !bytes.Equal(want, sum.Sum(nil)) {
		return fmt.Errorf("has another %s", kind)
	}
	return nil
}

// packageHash reads a hash as data packages tell it, "sha256:" and hexadecimal digits. Without a name it
// is MD5 (Data Package 1, hash).
func packageHash(text string) (kind crypto.Hash, sum []byte, err error) {
	name, digits, named := strings.Cut(text, ":")
	if !named {
		name, digits = "md5", text
	}
	kind = map[string]crypto.Hash{
		"md5": crypto.MD5, "sha1": crypto.SHA1, "sha256": crypto.SHA256, "sha512": crypto.SHA512,
	}[strings.ReplaceAll(strings.ToLower(name), "-", "")]
	sum, err = hex.DecodeString(digits)
	if kind == 0 || err != nil || len(sum) != kind.Size() {
		return 0, nil, fmt.Errorf("its hash is none that is known here: %.80q", text)
	}
	return kind, sum, nil
}

// Signature is that of the package, nil where it has none.
func (w *WACZ) Signature() (*Signature, error) {
	if w.files["datapackage-digest.json"] == nil {
		return nil, nil
	}
	digest, err := w.digest()
	return digest.Signed, err
}

func (w *WACZ) digest() (d packageDigest, err error) {
	text, err := w.read("datapackage-digest.json")
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	return d, err
}

func (w *WACZ) verifyDigest() error {
	digest, err := w.digest()
	if err != nil {
		return err
	}
	data, err := w.read("datapackage.json")
	if err != nil {
		return err
	}
	kind, want, err := packageHash(digest.Hash)
	if err != nil {
		return err
	}
	sum := kind.New()
	sum.Write(data)
	if !bytes.Equal(want, sum.Sum(nil)) {
		return fmt.Errorf("datapackage.json has another %s", kind)
	}
	if digest.Signed != nil {
		return digest.Signed.verify(digest.Hash)
	}
	return nil
}
