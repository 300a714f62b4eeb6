package archive

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"watershed/internal/console"
	"watershed/internal/guard"
	"watershed/page"
)

// Source is a file that was found by its content: a row of records, on its own or in a package, an
// index, or a list of links.
type Source struct {
	Path    string // as told; in a package with that of the package before it
	Name    string // base name, without ".open"
	Format  Format
	Package *WACZ  // that holds it, nil for none
	In      string // its path in there

	// Described has Entries tell of records what no index needs, by the names of Common Crawl's:
	// redirect, mime-detected and truncated.
	Described bool
}

func sourceAt(path string, f Format) Source {
	return Source{Path: path, Name: strings.TrimSuffix(filepath.Base(path), suffixOpen), Format: f}
}

// Compressed reports a file that its package has compressed.
func (s *Source) Compressed() bool {
	if s.Package == nil {
		return false
	}
	_, stored := s.Package.Section(s.In)
	return !stored
}

// Open reads the records from the first on. It has to be closed.
func (s *Source) Open() (*FileReader, error) {
	if s.Package == nil {
		return OpenFile(s.Path)
	}
	if section, ok := s.Package.Section(s.In); ok {
		return newFileReader(section, s.Name)
	}
	in, err := s.Package.File(s.In)
	if err != nil {
		return nil, err
	}
	r, err := newStreamReader(in, s.Name)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	r.close = in.Close
	return r, nil
}

// OpenAt opens the record at an offset. It has to be closed.
func (s *Source) OpenAt(offset int64) (*Record, error) {
	return s.OpenWithin(offset, math.MaxInt64-max(offset, 0))
}

// OpenWithin is OpenAt for a record whose length in the file is known.
func (s *Source) OpenWithin(offset, length int64) (*Record, error) {
	loc := page.Location{File: s.Name, Offset: offset, Length: length}
	if s.Package != nil {
		section, stored := s.Package.Section(s.In)
		if !stored { // it can only be read from its start
			return nil, fmt.Errorf("%s: the package has compressed it", s.Path)
		}
		return OpenAt(section, loc)
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	rec, err := OpenAt(f, loc)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	rec.closer = f
	return rec, nil
}

type closer func() error

func (c closer) Close() error { return c() }

// Entries calls yield with the index entries of the source: of its records, but of
// those that no index has, or the lines of the index that it is. Damage is passed over and joined
// in the error: a *FormatError for each damaged place, and for each gzip member that several
// records share, as they cannot be sought.
func (s *Source) Entries(yield func(Entry) error) error {
	switch {
	case s.Format == FormatZipNum:
		files, err := IndexFiles(s.Path)
		for _, file := range files {
			err = errors.Join(err, readIndex(file, yield))
		}
		return err
	case s.Format.Index():
		return readIndex(s.Path, yield)
	case s.Format == FormatLinks:
		return fmt.Errorf("a %s has no records", s.Format)
	}
	r, err := s.Open()
	if err != nil {
		return err
	}
	return errors.Join(indexRecords(r, s.Described, yield), r.Close())
}

// IndexLines reads an index file of any kind, perhaps packed. Beside a ZipNum file of its name the
// last line of each packed block may lack its end. Behind a damaged block of gzip it goes on with the
// next one.
func IndexLines(f *os.File) (*Entries, error) {
	in, err := Unpack(f)
	if err != nil {
		return nil, err
	}
	if t, ok := in.(*textUnpacker); ok {
		name := strings.TrimSuffix(f.Name(), ".gz")
		_, err := os.Stat(strings.TrimSuffix(name, filepath.Ext(name)) + ".idx")
		t.blocks = err == nil
		s := NewEntries(in)
		s.skip = func() bool { return t.skip(f) }
		return s, nil
	}
	return NewEntries(in), nil
}

// readIndex reads the lines of an index.
func readIndex(path string, yield func(Entry) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines, err := IndexLines(f)
	if err != nil {
		return err
	}
	var damage []error
	for {
		e, err := lines.Next()
		if err == nil {
			err = yield(*e)
		} else if errors.Is(err, ErrEntry) {
			damage = append(damage, err)
			continue
		}
		if errors.Is(err, io.EOF) {
			return errors.Join(damage...)
		}
		if err != nil {
			return errors.Join(append(damage, err)...)
		}
	}
}

// Gathered has the sources that some paths name. It has to be closed.
type Gathered struct {
	Sources  []Source // in the order of the paths, those of a folder in the order of their paths
	Packages []*WACZ  // that were opened, with those in them
	Paths    []string // of these
	Indexes  []string // of folders, beside records
	Left     Left     // what folders hold beside

	damaged func(path string, err error)
}

// Left counts the files of folders that are not read.
type Left struct {
	Unknown  int    // neither archive nor index
	Packages int    // beside WARC or ARC files, which they may hold once more
	Indexes  int    // beside records
	Example  string // path of one of them
}

// String tells what was left out; "" where nothing was.
func (l Left) String() string {
	var parts []string
	for _, p := range []struct {
		n               int
		one, more, then string
	}{
		{l.Packages, "package", "packages", "and"},
		{l.Indexes, "index", "indexes", "beside the archives, and"},
		{l.Unknown, "file that is", "files that are", "neither archive nor index"},
	} {
		if p.n > 0 {
			parts = append(parts, console.Plural(p.n, p.one, p.more)+" "+p.then)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.TrimSuffix(strings.TrimSuffix(strings.Join(parts, " "), " and"), ",")
	return "left out of folders: " + text + ", such as " + l.Example
}

// Gather finds out what the paths name, each file by its content. Of a folder it takes the WARC and
// ARC files in it and below; of one without any its packages; of one without these its indexes.
// Files that cannot be read are told to damaged, and so are files of no format that are named
// themselves or are called like an archive, and a folder that has other files alone.
func Gather(paths []string, damaged func(path string, err error)) *Gathered {
	g := &Gathered{damaged: damaged}
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			damaged(p, err)
		case info.IsDir():
			g.folder(p)
		default:
			g.file(p)
		}
	}
	return g
}

// Close closes the packages.
func (g *Gathered) Close() error {
	var errs []error
	for _, w := range slices.Backward(g.Packages) {
		errs = append(errs, w.Close())
	}
	g.Packages, g.Paths = nil, nil
	return errors.Join(errs...)
}

// file takes in a file that was named.
func (g *Gathered) file(path string) {
	f, err := Sniff(path)
	if err != nil {
		g.damaged(path, err)
		return
	}
	g.add(path, f)
}

// add takes in a file of that format. A panic of its reader is damage of it alone.
func (g *Gathered) add(path string, f Format) {
	if err := guard.Call(func() { g.open(path, f) }); err != nil {
		g.damaged(path, err)
	}
}

func (g *Gathered) open(path string, f Format) {
	if f != FormatPackage {
		g.Sources = append(g.Sources, sourceAt(path, f))
		return
	}
	g.pack(path, 1, func(how func(*WACZ) error) (*WACZ, error) { return openPackage(path, how) })
}

// pack takes in a package, of which the files are sought where it says nothing that can be read of them.
func (g *Gathered) pack(at string, depth int, open func(how func(*WACZ) error) (*WACZ, error)) {
	w, err := open((*WACZ).open)
	if err != nil {
		var again error
		if w, again = open((*WACZ).salvage); again != nil {
			g.damaged(at, err)
			return
		}
		g.damaged(at, fmt.Errorf("%w; its files are sought by the heads before them", err))
	}
	g.Packages, g.Paths = append(g.Packages, w), append(g.Paths, at)
	g.unpack(at, w, depth)
}

// folder takes in the files of a folder.
func (g *Gathered) folder(dir string) {
	var records, packages, indexes, other []string
	formats := map[string]Format{}
	behind := dir + string(filepath.Separator) // a link, too
	err := filepath.WalkDir(behind, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			g.damaged(path, err)
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		f, err := Sniff(path)
		switch formats[path] = f; {
		case f.Records():
			records = append(records, path)
		case f == FormatPackage:
			packages = append(packages, path)
		case f.Index():
			indexes = append(indexes, path)
		case err == nil || errors.Is(err, errUnknown) && !claimsArchive(path):
			other = append(other, path)
		case isEmpty(d): // whoever has begun it has written nothing
		default:
			g.damaged(path, err)
		}
		return nil
	})
	if err != nil {
		g.damaged(dir, err)
	}
	files := records
	switch {
	case len(records) > 0:
		g.leave(&g.Left.Packages, packages)
		g.Indexes = append(g.Indexes, indexes...)
		defer g.leave(&g.Left.Indexes, indexes)
	case len(packages) > 0:
		files = packages
		g.leave(&g.Left.Indexes, indexes)
	case len(indexes) > 0:
		files = slices.DeleteFunc(indexes, led(indexes, formats))
	case len(other) > 0:
		g.damaged(dir, errors.New("no archive is in this folder"))
		return
	}
	g.leave(&g.Left.Unknown, other)
	slices.Sort(files)
	for _, path := range files {
		g.add(path, formats[path])
	}
}

// led tells the files that ZipNum files among the paths lead to, so that none is read twice.
func led(paths []string, formats map[string]Format) func(path string) bool {
	to := map[string]bool{}
	for _, path := range paths {
		if formats[path] != FormatZipNum {
			continue
		}
		files, _ := IndexFiles(path) // an error comes again where it is read
		for _, file := range files {
			to[file] = true
		}
	}
	return func(path string) bool { return to[path] }
}

func isEmpty(d fs.DirEntry) bool {
	info, err := d.Info()
	return err == nil && info.Size() == 0
}

func (g *Gathered) leave(count *int, paths []string) {
	if *count += len(paths); len(paths) > 0 && g.Left.Example == "" {
		g.Left.Example = slices.Min(paths)
	}
}

// mostNested is how deep packages may lie in packages: an archive of archives has two levels.
const mostNested = 3

// unpack takes in the archives of a package, and of the packages in it.
func (g *Gathered) unpack(at string, w *WACZ, depth int) {
	for _, name := range w.Files() {
		in, full := strings.HasPrefix(name, "archive/"), at+"/"+name
		if strings.HasSuffix(name, "/") || !in && !strings.HasSuffix(strings.ToLower(name), ".wacz") {
			continue
		}
		f, err := w.sniff(name)
		switch {
		case f == FormatPackage && depth == mostNested:
			g.damaged(full, fmt.Errorf("package lies in more than %d others", mostNested-1))
		case f == FormatPackage:
			g.pack(full, depth+1, func(how func(*WACZ) error) (*WACZ, error) { return w.nested(name, how) })
		case f.Records() || in && claimsArchive(name) && (err == nil || errors.Is(err, errUnknown)):
			s := sourceAt(full, f)
			s.Package, s.In, s.Name = w, name, path.Base(name)
			g.Sources = append(g.Sources, s)
		case err != nil && claimsArchive(name):
			g.damaged(full, err)
		default:
			g.leave(&g.Left.Unknown, []string{full})
		}
	}
}

// FindSource finds the records that a path names: a file, or one in a package, whose name may be left
// out where it is the only one. The caller closes what was gathered.
func FindSource(name string) (*Source, *Gathered, error) {
	file := name
	info, err := os.Stat(file)
	for err != nil && filepath.Dir(file) != file {
		file = filepath.Dir(file)
		info, err = os.Stat(file)
	}
	if err != nil || info.IsDir() {
		return nil, nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	var damage error
	g := Gather([]string{file}, func(_ string, err error) { damage = errors.Join(damage, err) })
	var within []*Source
	for i := range g.Sources {
		switch s := &g.Sources[i]; {
		case s.Path == name && (s.Format.Records() || s.Package != nil):
			return s, g, nil
		case s.Package != nil && strings.HasPrefix(s.Path, name+"/"):
			within = append(within, s)
		}
	}
	if len(within) == 1 {
		return within[0], g, nil
	}
	if len(within) > 1 && damage == nil {
		damage = fmt.Errorf("%s has %d archives: name one of them, such as %s", name, len(within),
			within[0].Path)
	}
	if damage == nil {
		damage = fmt.Errorf("%s has no records", name)
	}
	return nil, nil, errors.Join(damage, g.Close())
}

// blockLine is a line of a ZipNum file: the place of a block in a packed index.
type blockLine struct {
	file           string // "" where the heading names it
	offset, length int64
}

// parseBlock reads a line "KEY TIME<TAB>FILE<TAB>OFFSET<TAB>LENGTH", perhaps with a number behind it.
func parseBlock(line []byte) (b blockLine, ok bool) {
	words := strings.Split(string(line), "\t")
	if len(words) < 4 || len(words) > 5 || words[1] == "" {
		return b, false
	}
	b.file = words[1]
	_, err := fmt.Sscan(words[2], &b.offset)
	_, err2 := fmt.Sscan(words[3], &b.length)
	return b, err == nil && err2 == nil
}

// IndexFiles are the packed indexes that a ZipNum file leads to: those beside it that its heading or its
// lines name.
func IndexFiles(idx string) ([]string, error) {
	f, err := os.Open(idx)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := Unpack(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", idx, err)
	}
	names, err := blockFiles(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", idx, err)
	}
	if len(names) == 0 {
		names = []string{strings.TrimSuffix(filepath.Base(idx), ".idx")}
	}
	var files []string
	for _, name := range names {
		path, ok := beside(filepath.Dir(idx), name)
		if !ok {
			return nil, fmt.Errorf("%s leads to %s: %w", idx, name, os.ErrNotExist)
		}
		files = append(files, path)
	}
	return files, nil
}

// maxBlockFiles bounds what a ZipNum file leads to: the index of a whole crawl of Common Crawl has 300
// files.
const maxBlockFiles = 1 << 14

// blockFiles are the names in a ZipNum file, each once, of which there may be maxBlockFiles.
func blockFiles(text io.Reader) ([]string, error) {
	var names []string
	seen := map[string]bool{"": true}
	for r := bufio.NewReaderSize(text, 64<<10); ; {
		line, err := readLine(r)
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return names, err
		}
		name := blockFile(line)
		if seen[name] {
			continue
		}
		if len(names) == maxBlockFiles {
			return names, fmt.Errorf("it names more than %d files", maxBlockFiles)
		}
		seen[name] = true
		names = append(names, name)
	}
}

// blockFile is the name in a line or heading of a ZipNum file, "" where there is none.
func blockFile(line []byte) string {
	if b, ok := parseBlock(line); ok {
		return b.file
	}
	var meta struct{ Filename string }
	_, object, ok := bytes.Cut(line, []byte("{"))
	if !ok || !bytes.HasPrefix(line, []byte("!meta")) ||
		json.Unmarshal(append([]byte("{"), object...), &meta) != nil {
		return ""
	}
	return meta.Filename
}

// beside finds a file of a name in a folder, as it stands or as a packed index.
func beside(dir, name string) (string, bool) {
	for _, suffix := range []string{"", ".gz", ".cdx.gz", ".cdxj.gz"} {
		p := filepath.Join(dir, filepath.Base(filepath.ToSlash(name))+suffix)
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return p, true
		}
	}
	return "", false
}
