package archive

import (
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"watershed/internal/extsort"
	"watershed/page"
)

// Problem is something in a WARC file that is not as WARC 1.1 wants it.
type Problem struct {
	Offset  int64 // of the record or its gzip member; -1 when it is about the file
	URI     string
	Text    string
	Warning bool // readers cope with it; most files of older writers have some
}

func (p Problem) String() string {
	kind := "error"
	if p.Warning {
		kind = "warning"
	}
	if p.Offset < 0 {
		return kind + ": " + p.Text
	}
	return strings.TrimSpace(fmt.Sprintf("%s at %d: %s %s", kind, p.Offset, p.Text, p.URI))
}

// Report is the result of Check for a file.
type Report struct {
	File     string    // its path
	Bytes    int64     // read
	Records  int       // read
	Digests  int       // that were computed and agreed
	Problems []Problem // the first thousand
	Unnamed  int       // further ones, of which nothing but their number is kept
	wrong    bool      // any of them all is an error
}

// mostFaults bounds what is kept of the faults of a file; a small one can have millions.
const mostFaults = 1_000

// mostTold bounds the text and the address of a Problem, in bytes: both quote fields of a record,
// which may be as long as a header.
const mostTold = 2_000

// OK reports a file without an error; warnings it may have.
func (r *Report) OK() bool { return !r.wrong }

func (r *Report) add(p Problem) {
	r.wrong = r.wrong || !p.Warning
	if len(r.Problems) == mostFaults {
		r.Unnamed++
		return
	}
	p.Text, p.URI = clip(p.Text), clip(p.URI)
	r.Problems = append(r.Problems, p)
}

func clip(text string) string {
	if len(text) <= mostTold {
		return text
	}
	return strings.Clone(strings.ToValidUTF8(text[:mostTold], "")) + "…"
}

// Checker checks WARC files of any writer: gzip members, framing, header fields, digests and HTTP
// framing, and, with Spill, how records name each other. Its memory does not grow with the number of
// records. It is not safe for concurrent use.
type Checker struct {
	// Spill is where the ids of all records are sorted, 56 bytes each; nil leaves them unread.
	Spill *extsort.Dir

	ids   *extsort.Sorter[mention]
	files []string // by number, their paths
}

// Check reads the file through. Damage is in the report; an error says that the file could not be
// read at all, or that ctx has ended, which is looked at before each record. Of an ARC file it
// checks that its records can be read: the format has no digests, ids or types. How records name
// each other is told by Finish.
func (c *Checker) Check(ctx context.Context, s *Source) (rep Report, err error) {
	if c.Spill != nil && c.ids == nil {
		if c.ids, err = extsort.NewSorter(c.Spill, extsort.Options[mention]{}); err != nil {
			return rep, err
		}
	}
	c.files = append(c.files, s.Path)
	r, err := s.Open()
	if err != nil {
		return rep, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	name := filepath.Base(s.Path)
	f := checking{c: c, rep: &rep}
	rep = Report{File: s.Path}
	for {
		if ctx.Err() != nil {
			return rep, ctx.Err()
		}
		rec, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			f.record(rec)
			_, err = r.Location()
			f.quirks(rec)
		}
		if format, ok := errors.AsType[*FormatError](err); ok {
			more := r.Recover()
			text := errors.New(strings.TrimSuffix(format.Err.Error()+": "+format.Detail, ": "))
			writing := !more && strings.HasSuffix(name, suffixOpen) // such a file ends anywhere
			rep.add(Problem{Offset: format.Offset, Text: r.Lost(text).Error(), Warning: writing})
			if !more {
				break
			}
			continue
		}
		if err != nil {
			return rep, err
		}
	}
	rep.Bytes = r.position()
	f.file(name)
	return rep, nil
}

// CheckIndex checks an index beside files: each of its lines has to lead to a record, where several files
// have one name in that which lies nearest. Lines of other files are passed over, as those may have been
// removed after their upload.
func CheckIndex(ctx context.Context, index string, files []Source) (Report, error) {
	rep, named, nearest := Report{File: index}, map[string]*Source{}, map[string]int{}
	for i := range files {
		x, near := &files[i], 1+together(index, files[i].Path)
		switch most := nearest[x.Name]; {
		case x.Package != nil || near < most:
		case near == most: // nobody knows which of them it means
			named[x.Name] = nil
		default:
			named[x.Name], nearest[x.Name] = x, near
		}
	}
	err := readIndex(index, func(e Entry) error {
		src := named[e.File]
		if src == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		rec, err := src.OpenAt(e.Offset)
		if err != nil {
			rep.add(Problem{Offset: -1, Text: fmt.Sprintf("%s is not in its file: %v", e.URL, err)})
			return nil
		}
		of, request := rec.TargetURI(), rec.Type() == TypeRequest
		if request || of != e.URL && of != e.Extra[recordedAs] {
			text := fmt.Sprintf("%s is not at %d of %s, but the %s of %s",
				e.URL, e.Offset, e.File, rec.Type(), of)
			// other programs may spell an address otherwise
			rep.add(Problem{Offset: -1, Text: text, Warning: !request})
		}
		return rec.Close()
	})
	return rep, err
}

// together counts the folders in which both paths lie.
func together(a, b string) (folders int) {
	for i := 0; i < min(len(a), len(b)) && a[i] == b[i]; i++ {
		if a[i] == filepath.Separator {
			folders++
		}
	}
	return folders
}

// checking is the check of one file.
type checking struct {
	c     *Checker
	rep   *Report
	rec   *Record
	first string  // type of the first record
	info  *Record // the first warcinfo
	last  string  // id of the last warcinfo
}

func (f *checking) problem(warning bool, format string, args ...any) {
	f.rep.add(Problem{
		Offset: f.rec.Offset, URI: f.rec.TargetURI(), Text: fmt.Sprintf(format, args...),
		Warning: warning,
	})
}

var (
	dateForm  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$`)
	shortForm = regexp.MustCompile(`^\d{4}(-\d\d(-\d\d(T\d\d:\d\dZ)?)?)?$`) // since WARC 1.1
	idForm    = regexp.MustCompile(`^<[A-Za-z][A-Za-z0-9+.-]*:[^\s<>]+>$`)
)

// fields are those of belongs, in the order in which they are checked.
var fields = slices.Sorted(maps.Keys(belongs))

// belongs tells on which types a field may stand (WARC 1.1, clause 5); a field that is not named
// may stand on all.
var belongs = map[string][]string{
	fieldRefersURI:  {TypeRevisit},
	fieldRefersDate: {TypeRevisit},
	fieldProfile:    {TypeRevisit},
	fieldFilename:   {TypeWarcinfo},
	fieldRefers:     {TypeMetadata, TypeRevisit, TypeConversion},
	fieldConcurrent: {TypeRequest, TypeResponse, TypeResource, TypeMetadata, TypeRevisit},
	fieldIP:         {TypeRequest, TypeResponse, TypeResource, TypeMetadata, TypeRevisit},
	fieldPayloadDigest: {
		TypeRequest, TypeResponse, TypeResource, TypeRevisit, TypeConversion,
		typeContinuation,
	},
	fieldWarcinfo: {
		TypeRequest, TypeResponse, TypeResource, TypeMetadata, TypeRevisit, TypeConversion,
		typeContinuation,
	},
	fieldURI: {
		TypeRequest, TypeResponse, TypeResource, TypeMetadata, TypeRevisit, TypeConversion,
		typeContinuation,
	},
}

// record checks a record and reads its block.
func (f *checking) record(rec *Record) {
	f.rec = rec
	f.rep.Records++
	if f.first == "" {
		f.first = rec.Type()
	}
	if rec.Type() == TypeWarcinfo && f.info == nil {
		f.info = rec
	}
	if !rec.IsARC() {
		f.fields()
		f.identity()
	}
	f.block()
	if rec.Type() == TypeRevisit {
		f.revisit()
	}
}

func (f *checking) fields() {
	rec, kind := f.rec, f.rec.Type()
	if rec.Version != version11 {
		f.problem(true, "version is %s", rec.Version)
	}
	d := rec.Header.Get(fieldDate)
	if !dateForm.MatchString(d) && (rec.Version < version11 || !shortForm.MatchString(d)) {
		f.problem(false, "%s %q is not UTC in the form 2006-01-02T15:04:05Z", fieldDate, d)
	} else if _, err := rec.Date(); err != nil {
		f.problem(false, "%s %q is no date of the calendar", fieldDate, d)
	}
	known := slices.Contains(belongs[fieldURI], kind) || kind == TypeWarcinfo
	if !known {
		f.problem(true, "%s %q is unknown, so readers pass over the record", fieldType, kind)
	}
	if uri := rec.TargetURI(); uri == "" && known && kind != TypeWarcinfo && kind != TypeMetadata {
		f.problem(false, "no %s", fieldURI)
	} else if strings.ContainsAny(uri, " \t") ||
		strings.IndexFunc(uri, func(r rune) bool { return r <= ' ' || r >= 0x7F }) >= 0 {
		f.problem(false, "%s is no URI", fieldURI)
	} else if strings.HasPrefix(uri, "http") && strings.Contains(uri, "#") {
		f.problem(true, "%s has a fragment", fieldURI)
	}
	for _, name := range fields {
		kinds := belongs[name]
		if known && rec.Header.Has(name) && !slices.Contains(kinds, kind) {
			f.problem(name == fieldPayloadDigest, "%s does not belong on a %s", name, kind)
		}
	}
	seen := make(map[string]bool, len(rec.Header))
	for _, h := range rec.Header {
		name := strings.ToLower(h.Name)
		if seen[name] && !strings.EqualFold(name, fieldConcurrent) &&
			!strings.EqualFold(name, fieldProtocol) && !strings.EqualFold(name, fieldCipher) {
			f.problem(false, "%s stands more than once", h.Name)
		}
		seen[name] = true
	}
	if ip := rec.Header.Get(fieldIP); ip != "" {
		if a, err := netip.ParseAddr(ip); err != nil || a.String() != ip {
			f.problem(err == nil, "%s %q is not an address in its canonical form", fieldIP, ip)
		}
	}
	if rec.Size > 0 && !rec.Header.Has(fieldContentType) {
		f.problem(true, "no %s", fieldContentType)
	}
	f.contentType()
}

func (f *checking) contentType() {
	kind, uri := f.rec.Type(), f.rec.TargetURI()
	if (kind == TypeRequest || kind == TypeResponse) && strings.HasPrefix(uri, "http") {
		got := strings.ReplaceAll(strings.ToLower(f.rec.Header.Get(fieldContentType)), " ", "")
		if got != "application/http;msgtype="+kind {
			f.problem(got == "application/http", "%s is %q", fieldContentType,
				f.rec.Header.Get(fieldContentType))
		}
	}
}

// identity checks the form of the record id, and keeps for Finish which id the record has and which
// others it names. Most records name the last warcinfo of their file, which is not kept.
func (f *checking) identity() {
	rec, id := f.rec, f.rec.ID()
	if !idForm.MatchString(id) {
		f.problem(false, "%s %q is no URI in angle brackets", fieldID, id)
		return
	}
	if f.c.ids == nil {
		return
	}
	role := isRecord
	if rec.Type() == TypeWarcinfo {
		role, f.last = isWarcinfo, id
	}
	f.mention(id, role)
	for _, target := range rec.Header.All(fieldConcurrent) {
		f.mention(target, isConcurrent)
	}
	if info := rec.Header.Get(fieldWarcinfo); info != "" && info != f.last {
		f.mention(info, namesWarcinfo)
	}
}

// block reads the block, sums it and looks at the HTTP message in it.
func (f *checking) block() {
	rec := f.rec
	var all io.Reader = rec.Block
	want, known := parseDigest(rec.Header.Get(fieldBlockDigest))
	var sum hash.Hash
	if known {
		sum = want.newHash()
		all = io.TeeReader(rec.Block, sum)
	} else if rec.Header.Has(fieldBlockDigest) {
		f.problem(true, "%s is of an unknown kind", fieldBlockDigest)
	}
	payload := all
	var m *Message
	if rec.isHTTP() && rec.Size > 0 {
		var err error
		if m, err = readMessage(all); err != nil {
			if _, told := errors.AsType[*FormatError](err); !told { // by the reader
				f.problem(false, "HTTP head: %v", err)
			}
			return
		}
		if m.Head == 0 {
			f.problem(false, "the answer has no HTTP head, as of HTTP/0.9")
		}
		m.truncated = rec.Truncated() != page.Whole
		payload = m.Body
	}
	f.payload(m, payload)
	if err := copyPooled(io.Discard, all); err != nil {
		return // the reader tells it
	}
	if known {
		f.digest(fieldBlockDigest, want, sum)
	}
}

func (f *checking) digest(name string, want digestText, sum hash.Hash) {
	if string(sum.Sum(nil)) == string(want.sum) {
		f.rep.Digests++
		return
	}
	f.problem(false, "%s is not that of the bytes", name)
}

// payload reads the body, sums the payload and compares lengths.
func (f *checking) payload(m *Message, body io.Reader) {
	raw, net := &counter{w: io.Discard}, io.Discard
	want, known := parseDigest(f.rec.Header.Get(fieldPayloadDigest))
	known = known && f.rec.Type() != TypeRevisit
	if known {
		raw.w, net = want.newHash(), want.newHash()
	}
	counted := io.TeeReader(body, raw)
	if m != nil {
		m.Body = counted
		counted = m.Payload()
	}
	if copyPooled(net, counted) != nil {
		return // the reader tells it
	}
	if m != nil && copyPooled(io.Discard, m.Body) != nil {
		return
	}
	if m != nil {
		f.message(m, raw.bytes)
	}
	if !known {
		return
	}
	sum := net.(hash.Hash)
	if framed := raw.w.(hash.Hash).Sum(nil); string(framed) == string(want.sum) &&
		string(sum.Sum(nil)) != string(framed) {
		f.problem(true, "%s covers the chunk framing, not the payload", fieldPayloadDigest)
		return
	}
	f.digest(fieldPayloadDigest, want, sum)
}

// message checks an HTTP message whose body had that many bytes.
func (f *checking) message(m *Message, body int64) {
	kind := f.rec.Type()
	if kind != TypeResponse && kind != TypeRevisit {
		return
	}
	if !strings.HasPrefix(m.Start, "HTTP/1.") || m.Status == 0 {
		f.problem(true, "status line is %q", m.Start[:min(len(m.Start), 60)])
	}
	if m.Status >= 100 && m.Status < 200 && m.Status != 101 {
		f.problem(false, "an interim answer %d stands for the response", m.Status)
	}
	if kind == TypeRevisit || m.truncated {
		return
	}
	if err := m.FramingError(); err != nil {
		f.problem(true, "chunks: %v, and no %s", err, fieldTruncated)
	}
	length := m.Header.Get("Content-Length")
	if length == "" || m.Chunked() || m.Status == 204 || m.Status == 304 || body == 0 {
		return // no body where one was announced may be an answer to HEAD
	}
	if n, err := parseLength(length); err != nil || n != body {
		f.problem(true, "HTTP Content-Length is %s, the body has %d bytes, and no %s", length, body,
			fieldTruncated)
	}
}

func (f *checking) revisit() {
	h := f.rec.Header
	profile := unbracket(h.Get(fieldProfile))
	// WARC 1.0 drafts had "uri-agnostic-" before it
	same := strings.HasSuffix(profile, "identical-payload-digest")
	if !same && !strings.HasSuffix(profile, "/revisit/server-not-modified") {
		f.problem(true, "%s %q is none of the standard", fieldProfile, profile)
	}
	if same && !h.Has(fieldPayloadDigest) {
		f.problem(false, "no %s on a revisit", fieldPayloadDigest)
	}
	if !h.Has(fieldRefersURI) || !h.Has(fieldRefersDate) {
		f.problem(true, "no %s or %s, by which replay finds the original", fieldRefersURI, fieldRefersDate)
	}
	if same && f.rec.Size > 0 && f.rec.Truncated() != page.CutLength {
		f.problem(true, "no %s: length on a revisit without its body", fieldTruncated)
	}
}

// quirks tells the faults that the reader tolerated.
func (f *checking) quirks(rec *Record) {
	if q := rec.Quirks &^ (QuirkShared | QuirkNoRecordID); q != 0 {
		f.problem(true, "%s", q)
	}
	if rec.Quirks&QuirkShared != 0 {
		f.problem(false, "the member that it was packed in has more than this record")
	}
}

// file makes the checks that are possible only at the end of the file.
func (f *checking) file(name string) {
	about := func(warning bool, format string, args ...any) {
		f.rep.add(Problem{
			Offset: -1, Text: fmt.Sprintf(format, args...),
			Warning: warning,
		})
	}
	open := strings.HasSuffix(name, suffixOpen)
	if open {
		about(true, "the file is being written, or whoever wrote it did not come to its end")
	}
	if f.rep.Records == 0 {
		about(open, "no record")
		return
	}
	if f.first != TypeWarcinfo {
		about(true, "the first record is a %s, not a warcinfo", f.first)
	} else if got := f.info.Header.Get(fieldFilename); f.info.IsARC() {
		return
	} else if got != strings.TrimSuffix(name, suffixOpen) {
		about(true, "%s says %q", fieldFilename, got)
	}
}
