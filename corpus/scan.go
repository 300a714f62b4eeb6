package corpus

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"watershed/archive"
)

// scan looks at the records of all WARC files that no index speaks for, several files at a time;
// the result is that of one after the other.
func (c *Corpus) scan(ctx context.Context) error {
	found := make([]scanner, len(c.files))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(c.opt.Workers)
	for i := range c.files {
		if f := &c.files[i]; f.Format != archive.FormatLinks && !f.indexed {
			found[i] = scanner{c: c, f: f, number: int32(i)}
			g.Go(func() error { return found[i].scan(ctx) })
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for i := range found {
		s := &found[i]
		c.stats.Records += s.records
		for _, x := range s.captures {
			c.add(x)
		}
		for _, u := range s.seeds {
			c.addSeed(u)
		}
		s.captures = nil
	}
	return nil
}

// scanner looks at the records of one file.
type scanner struct {
	c      *Corpus
	f      *file
	number int32

	records  int
	captures []capture
	seeds    []string

	ids []twins // of the captures, in their order
	// ids of request records of another method than GET, and of their answers
	foreign map[uint64]bool
	told    int64 // 1 + offset of the last damage
}

// twins are hashes of a record's id and of the ids that it names as concurrent.
type twins struct {
	id    uint64
	named []uint64
}

// scan reads the file to its end. The error is one that ends all reading: the context's.
func (s *scanner) scan(ctx context.Context) (err error) {
	r, err := s.f.Open()
	if err != nil {
		s.c.damaged(Damage{File: s.f.Path, Err: err})
		return nil
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	s.foreign = map[uint64]bool{}
	s.c.guarded(Damage{File: s.f.Path}, func() error { s.lookAll(ctx, r); return nil })
	s.dropForeign()
	return ctx.Err()
}

// lookAll takes note of all records, or of those before the error that ends the reading.
func (s *scanner) lookAll(ctx context.Context, r *archive.FileReader) {
	for ctx.Err() == nil {
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err == nil {
			s.records++
			err = s.look(r, rec)
		}
		if err != nil && !s.pass(r, err) {
			return
		}
	}
}

// pass tells of damage and goes on behind it; false where that is not possible. Only the record was
// wrong, not the file, where the reader goes on by itself.
func (s *scanner) pass(r *archive.FileReader, err error) bool {
	if at := offsetOf(err); s.told != at+1 { // what breaks in a record breaks again where the record ends
		s.told = at + 1
		more := true
		if r.Broken() {
			more = r.Recover()
			err = r.Lost(err)
		}
		s.c.damaged(Damage{File: s.f.Path, Offset: at, Err: err})
		return more
	}
	return !r.Broken() || r.Recover()
}

// offsetOf is where an error of the format is.
func offsetOf(err error) int64 {
	if format, ok := errors.AsType[*archive.FormatError](err); ok {
		return format.Offset
	}
	return 0
}

// look takes note of a record.
func (s *scanner) look(r *archive.FileReader, rec *archive.Record) error {
	switch rec.Type() {
	case archive.TypeWarcinfo:
		return s.readInfo(rec)
	case archive.TypeMetadata:
		return s.readMetadata(rec)
	case archive.TypeRequest:
		return s.readRequest(rec)
	case archive.TypeResponse, archive.TypeRevisit, archive.TypeResource:
		return s.readCapture(r, rec)
	case archive.TypeConversion:
		// the text of a page, as Common Crawl's WET files have it
		if strings.HasPrefix(rec.Header.Get("Content-Type"), "text/plain") {
			return s.readCapture(r, rec)
		}
	}
	return nil
}

// maxFields bounds a warcinfo or metadata block that is read, in bytes; outlinks may be many.
const maxFields = 4 << 20

// quoted finds the addresses among the arguments of GNU wget.
var quoted = regexp.MustCompile(`"(https?://[^"]+)"`)

// readInfo finds the seeds in the arguments of GNU wget.
func (s *scanner) readInfo(rec *archive.Record) error {
	text, err := io.ReadAll(io.LimitReader(rec.Block, maxFields))
	if err != nil {
		return err
	}
	for _, m := range quoted.FindAllStringSubmatch(archive.ParseFields(text).Get("wget-arguments"), -1) {
		s.seeds = append(s.seeds, m[1])
	}
	return nil
}

// readMetadata notes a URL that the crawl began with: Heritrix calls it a seed, our own harvests
// tell an empty discovery path.
func (s *scanner) readMetadata(rec *archive.Record) error {
	if !strings.HasPrefix(rec.Header.Get("Content-Type"), "application/warc-fields") {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(rec.Block, maxFields))
	if err != nil {
		return err
	}
	f := archive.ParseFields(text)
	if f.Get("via") == "" && f.Get("hopsFromSeed") == "" && (f.Has("hopsFromSeed") || f.Has("seed")) {
		s.seeds = append(s.seeds, rec.TargetURI())
	}
	return nil
}

// readRequest notes a request that is no GET: its answer is no page.
func (s *scanner) readRequest(rec *archive.Record) error {
	m, err := rec.HTTP()
	if err != nil {
		return err
	}
	if method := archive.MethodOf(m.Start); method == "GET" || s.c.opt.Posts && method == "POST" {
		return nil
	}
	s.foreign[hashID(rec.ID())] = true
	for _, id := range rec.Header.All("WARC-Concurrent-To") {
		s.foreign[hashID(id)] = true
	}
	return nil
}

func hashID(id string) uint64 { return xxh3.HashString(id) }

// readCapture notes a capture of a page.
func (s *scanner) readCapture(r *archive.FileReader, rec *archive.Record) error {
	u, err := rec.URL()
	if err != nil {
		return nil // a DNS answer, a text or picture under a urn
	}
	x := capture{
		key: u.Key(), payload: digestKey(rec.Header.Get("WARC-Payload-Digest")), file: s.number,
		number: int32(s.records),
		origin: -1, revisit: rec.Type() == archive.TypeRevisit,
	}
	at, err := rec.Date()
	if err == nil {
		x.time = at.UnixNano()
	}
	if o, ok := rec.Origin(); ok {
		x.refers = moment(o.URL.Key(), o.Time.UnixNano())
	}
	if rec.Type() == archive.TypeResource {
		x.status = 200
	} else if rec.Type() == archive.TypeConversion {
		x.status = 201 // after the page itself, where that is there, too
	} else if rec.Size > 0 {
		m, err := rec.HTTP()
		if err != nil {
			return err
		}
		x.status = int16(m.Status)
	}
	t := twins{id: hashID(rec.ID())}
	for _, id := range rec.Header.All("WARC-Concurrent-To") {
		t.named = append(t.named, hashID(id))
	}
	loc, err := r.Location()
	if err != nil {
		return err
	}
	x.offset, x.length = loc.Offset, loc.Length
	if x.length == 0 {
		s.f.stream = true
	}
	s.captures, s.ids = append(s.captures, x), append(s.ids, t)
	return nil
}

// dropForeign lets go of answers to other requests than GET.
func (s *scanner) dropForeign() {
	n := 0
	for i, x := range s.captures {
		foreign := s.foreign[s.ids[i].id]
		for _, id := range s.ids[i].named {
			foreign = foreign || s.foreign[id]
		}
		if !foreign {
			s.captures[n] = x
			n++
		}
	}
	s.captures, s.ids, s.foreign = s.captures[:n], nil, nil
}
