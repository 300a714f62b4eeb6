package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"

	"watershed/internal/disk"
	"watershed/page"
)

// Package has the parts of a WACZ file (Webrecorder, WACZ 1.1.1): a ZIP of
//
//	archive/NAME.warc.gz                     stored, so that records are read out of the ZIP by their offset
//	indexes/index.cdx.gz, indexes/index.idx  the CDXJ in gzip blocks (stored), and where each begins
//	pages/pages.jsonl, pages/extraPages.jsonl
//	logs/NAME                                crawl.log, skipped.jsonl, reports, mirrors.json
//	datapackage.json                         names, sizes and SHA-256 of all the above
//	datapackage-digest.json                  SHA-256 of datapackage.json, and its signature where
//	                                         there is one
type Package struct {
	Title, Description string
	Software           string // "watershed"
	Created            time.Time
	MainPage           page.URL  // that a viewer opens first; may be empty
	MainDate           time.Time // its WARC-Date

	WARCs []string                      // paths; base names must differ
	Index string                        // path of the sorted CDXJ of these files
	Pages iter.Seq2[PackagePage, error] // the seeds
	Extra iter.Seq2[PackagePage, error] // the other pages; nil for none
	Logs  []string                      // paths; base names must differ

	Key *ecdsa.PrivateKey // that signs the package, on the curve P-384; nil for no signature

	// of MergeWACZ, in place of the paths
	from  []*WACZ   // packages whose WARC files are taken over
	index io.Reader // sorted CDXJ
}

// PackagePage is a line of pages.jsonl: a page that a reader may open.
type PackagePage struct {
	ID     string `json:"id"`
	URL    string `json:"url"` // as the capture spells it
	Date   string `json:"ts"`  // exactly the capture's WARC-Date, see Date
	Title  string `json:"title,omitempty"`
	Text   string `json:"text,omitempty"`
	Icon   string `json:"favIconUrl,omitempty"`
	MIME   string `json:"mime,omitempty"`
	Status int    `json:"status,omitempty"`
	Size   int64  `json:"size,omitempty"`
	Seed   bool   `json:"seed,omitempty"`
	Depth  int    `json:"depth"`

	// links from the site, of a page that is no page of it and was captured as its context
	Context int `json:"context,omitempty"`
}

// waczVersion is the version of the format that is written.
const waczVersion = "1.1.1"

// DataPackage is datapackage.json (Frictionless Data Package with the members of WACZ).
type DataPackage struct {
	Profile      string        `json:"profile"`
	Version      string        `json:"wacz_version"`
	Title        string        `json:"title,omitempty"`
	Description  string        `json:"description,omitempty"`
	Created      string        `json:"created,omitempty"`
	Modified     string        `json:"modified,omitempty"`
	Software     string        `json:"software,omitempty"`
	MainPage     string        `json:"mainPageUrl,omitempty"`
	MainPageDate string        `json:"mainPageDate,omitempty"`
	Resources    []PackageFile `json:"resources"`
}

// packageDigest is datapackage-digest.json.
type packageDigest struct {
	Path   string     `json:"path"`
	Hash   string     `json:"hash"`
	Signed *Signature `json:"signedData,omitempty"`
}

// PackageFile is a file that a data package lists.
type PackageFile struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"` // "sha256:" and hexadecimal
	Bytes int64  `json:"bytes"`
}

// WriteWACZ writes the package to a file, which appears under its name only when it is whole and on
// disk. Everything is streamed; memory goes with the number of files and a thousandth of the index. A
// whole package of that name that differs in its dates alone stays as it is.
func WriteWACZ(d disk.FS, path string, p Package) error {
	err := disk.WriteFile(disk.Or(d), path, 0o644, func(f io.Writer) error {
		w := waczWriter{path: path, zip: zip.NewWriter(f), at: p.Created.UTC(), names: make(map[string]bool)}
		deflate, err := flate.NewWriter(nil, packageLevel)
		if err != nil {
			return err
		}
		w.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
			deflate.Reset(w) // a package is written file by file
			return deflate, nil
		})
		return w.write(p)
	})
	if errors.Is(err, errAsBefore) {
		return disk.Or(d).SyncDir(filepath.Dir(path))
	}
	return withSpace(err)
}

// packageLevel is at which level texts and logs are deflated, all of which the archive or the run's
// folder has as well. On texts of 74 MB level 5 takes 1.7 times as long for 4 % less, the standard
// library's default longer still.
const packageLevel = 2

// errAsBefore says that a package is already there.
var errAsBefore = errors.New("the package is as it was")

// waczWriter writes the files of a package one after the other and remembers them for
// datapackage.json.
type waczWriter struct {
	path      string // of the package
	zip       *zip.Writer
	at        time.Time
	names     map[string]bool // taken, of resources and of paths
	resources []PackageFile
}

func (w *waczWriter) write(p Package) error {
	for _, warc := range p.WARCs {
		if err := w.file("archive/", warc, zip.Store); err != nil {
			return err
		}
	}
	for _, x := range p.from {
		if err := w.copyWARCs(x); err != nil {
			return err
		}
	}
	if err := w.index(&p); err != nil {
		return err
	}
	if err := w.pages("pages/pages.jsonl", "pages", "All Pages", p.Pages); err != nil {
		return err
	}
	if p.Extra != nil {
		if err := w.pages("pages/extraPages.jsonl", "extraPages", "Extra Pages", p.Extra); err != nil {
			return err
		}
	}
	for _, log := range p.Logs {
		if err := w.file("logs/", log, zip.Deflate); err != nil {
			return err
		}
	}
	return w.finish(p)
}

// create begins a file of the package; done has to be called when it is written.
func (w *waczWriter) create(path string, method uint16) (out io.Writer, done func(), err error) {
	if w.names[path] {
		return nil, nil, fmt.Errorf("two files are called %s", path)
	}
	w.names[path] = true
	z, err := w.zip.CreateHeader(&zip.FileHeader{Name: path, Method: method, Modified: w.at})
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.New()
	c := &counter{w: io.MultiWriter(z, sum)}
	return c, func() {
		w.resources = append(w.resources, PackageFile{
			Name: w.name(path), Path: path, Bytes: c.bytes,
			Hash: "sha256:" + hex.EncodeToString(sum.Sum(nil)),
		})
	}, nil
}

// put writes a file of the package.
func (w *waczWriter) put(path string, method uint16, in io.Reader) error {
	out, done, err := w.create(path, method)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	done()
	return nil
}

// name makes a resource's name: lower case, only the characters that Data Package allows, and
// unlike all before.
func (w *waczWriter) name(path string) string {
	base := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("-._", r) {
			return r
		}
		return '-'
	}, strings.ToLower(path[strings.LastIndexByte(path, '/')+1:]))
	name := base
	for i := 2; w.names["name "+name]; i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	w.names["name "+name] = true
	return name
}

func (w *waczWriter) file(folder, path string, method uint16) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = w.put(folder+filepath.Base(path), method, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("pack %s: %w", filepath.Base(path), err)
	}
	return nil
}

func (w *waczWriter) index(p *Package) (err error) {
	in := p.index
	if in == nil {
		f, err := os.Open(p.Index)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	var idx bytes.Buffer
	out, done, err := w.create("indexes/index.cdx.gz", zip.Store)
	if err == nil {
		err = writeZipNum(in, out, &idx, "index.cdx.gz", 0)
	}
	if err != nil {
		return err
	}
	done()
	return w.put("indexes/index.idx", zip.Deflate, &idx)
}

func (w *waczWriter) pages(path, id, title string, pages iter.Seq2[PackagePage, error]) error {
	out, done, err := w.create(path, zip.Deflate)
	if err != nil {
		return err
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	head := struct {
		Format string `json:"format"`
		ID     string `json:"id"`
		Title  string `json:"title"`
	}{"json-pages-1.0", id, title}
	if err := e.Encode(head); err != nil {
		return err
	}
	if pages != nil {
		for p, err := range pages {
			if err == nil {
				err = e.Encode(p)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
	}
	done()
	return nil
}

// finish writes the two files that list the others.
func (w *waczWriter) finish(p Package) error {
	d := DataPackage{
		Profile: "data-package", Version: waczVersion,
		Title: p.Title, Description: p.Description, Software: cmp.Or(p.Software, "watershed"),
		Created: p.Created.UTC().Format(time.RFC3339), Modified: p.Created.UTC().Format(time.RFC3339),
		MainPage: string(p.MainPage), Resources: w.resources,
	}
	if !p.MainDate.IsZero() {
		d.MainPageDate = Date(p.MainDate)
	}
	text, err := json.MarshalIndent(&d, "", "  ")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	digest := packageDigest{Path: "datapackage.json", Hash: "sha256:" + hex.EncodeToString(sum[:])}
	if p.Key != nil {
		if digest.Signed, err = sign(p.Key, digest.Hash, d.Software, p.Created); err != nil {
			return err
		}
	}
	if w.asBefore(d, digest.Signed) {
		return errAsBefore
	}
	digestText, err := json.MarshalIndent(&digest, "", "  ")
	if err != nil {
		return err
	}
	for _, f := range []struct{ path, text string }{
		{"datapackage.json", string(text)},
		{"datapackage-digest.json", string(digestText) + "\n"},
	} {
		if err := w.put(f.path, zip.Deflate, strings.NewReader(f.text)); err != nil {
			return err
		}
	}
	return w.zip.Close()
}

// asBefore reports that the package that is there is whole, and the same but for its dates.
func (w *waczWriter) asBefore(d DataPackage, signed *Signature) bool {
	before, err := OpenWACZ(w.path)
	if err != nil {
		return false
	}
	defer before.Close() //nolint:errcheck // it was only read
	d.Created, d.Modified = before.Data.Created, before.Data.Modified
	if !reflect.DeepEqual(d, before.Data) || len(before.Verify()) > 0 {
		return false
	}
	was, err := before.Signature()
	return err == nil && (was == nil) == (signed == nil) && (was == nil || was.PublicKey == signed.PublicKey)
}
