package sitemap

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"

	"watershed/page"
	"watershed/sitemap/protocol"
)

// WriteJSON writes the map as one JSON object in UTF-8, a line for each entry of a list, so that
// two maps can be compared line by line. The keys are those of Map and of the types of its lists;
// capacities are integers in millionths.
//
//	{"site":"Gemo","boundary":"logical","seeds":["https://www-rocq.example/verso/"],"converged":true,…
//	"blocks":[
//	{"name":"prefix","known":412,…},
//	…],
//	"scales":[
//	{"least":0.034,"most":1,"pages":2,"known":0,"cut":4000000,"blocks":[0]},
//	…],
//	"members":[
//	{"url":"https://osage.example/verso/","why":"flow","state":"fetched","block":3},
//	…],
//	"requisites":[…],
//	"outside":[…],
//	"cut":[…],
//	"wider":[…],
//	"needed":[…]}
func (m *Map) WriteJSON(w io.Writer) error {
	out := &mapWriter{w: bufio.NewWriter(w)}
	head := *m
	head.Seeds = slices.Clone(m.Seeds)
	spell := func(urls ...*page.URL) {
		for _, u := range urls {
			*u = m.as(*u)
		}
	}
	for i := range head.Seeds {
		spell(&head.Seeds[i])
	}
	text, err := json.Marshal(mapHead{Map: &head})
	if err != nil {
		return fmt.Errorf("map of site %s: %w", m.Site, err)
	}
	_, out.err = out.w.Write(text[:len(text)-1])
	member := func(x *Member) { spell(&x.URL) }
	requisite := func(x *Requisite) { spell(&x.URL, &x.For) }
	writeList(out, "blocks", slices.All(m.Blocks), func(*Block) {})
	writeList(out, "scales", slices.All(m.Scales), func(*Scale) {})
	writeList(out, "members", m.Members.All(), member)
	writeList(out, "requisites", slices.All(m.Requisites), requisite)
	writeList(out, "outside", slices.All(m.Outside), func(x *Outsider) { spell(&x.URL, &x.From) })
	if len(m.Context) > 0 {
		writeList(out, "context", slices.All(m.Context), func(x *Neighbour) { spell(&x.URL, &x.From) })
	}
	writeList(out, "cut", slices.All(m.Cut), func(x *CutEdge) { spell(&x.From, &x.To) })
	writeList(out, "wider", m.Wider.All(), member)
	writeList(out, "needed", slices.All(m.Needed), requisite)
	out.print("}\n")
	if err := cmp.Or(out.err, out.w.Flush()); err != nil {
		return fmt.Errorf("write map of site %s: %w", m.Site, err)
	}
	return nil
}

// mapWriter keeps the first error.
type mapWriter struct {
	w   *bufio.Writer
	err error
}

func (o *mapWriter) print(format string, args ...any) {
	if o.err == nil {
		_, o.err = fmt.Fprintf(o.w, format, args...)
	}
}

// writeList writes a list, an entry a line, with its URLs as they are spelled.
func writeList[T any](o *mapWriter, name string, list iter.Seq2[int, T], spell func(*T)) {
	o.print(",\n%q:[", name)
	between := "\n"
	for _, x := range list {
		if o.err != nil {
			return
		}
		spell(&x)
		var text []byte
		if text, o.err = json.Marshal(&x); o.err == nil {
			o.print("%s%s", between, text)
		}
		between = ",\n"
	}
	o.print("]")
}

// mapHead hides the lists of a Map from JSON.
type mapHead struct {
	*Map
	Blocks     []Block     `json:"blocks,omitempty"`
	Scales     []Scale     `json:"scales,omitempty"`
	Members    []Member    `json:"members,omitempty"`
	Requisites []Requisite `json:"requisites,omitempty"`
	Outside    []Outsider  `json:"outside,omitempty"`
	Context    []Neighbour `json:"context,omitempty"`
	Cut        []CutEdge   `json:"cut,omitempty"`
	Wider      []Member    `json:"wider,omitempty"`
	Needed     []Requisite `json:"needed,omitempty"`
}

// ReadMap reads what WriteJSON writes, page by page. WriteSURTs and WriteRegexes of the map that it
// gives know only the outsiders and the pages of wider scales that it lists, and may join a
// directory of which the survey knew more.
func ReadMap(r io.Reader) (*Map, error) {
	m := new(Map)
	in := newMapReader(r)
	err := expect(in.Decoder, '{')
	for err == nil && in.More() {
		err = m.readKey(in)
	}
	if err == nil {
		err = expect(in.Decoder, '}')
	}
	if err != nil {
		return nil, fmt.Errorf("read map: %w", err)
	}
	m.name()
	m.sortPages()
	m.addOthers()
	return m, nil
}

// addOthers fills others with what the map lists, of which the lists are in order.
func (m *Map) addOthers() {
	wider := m.Wider.urls.from(0)
	more := wider.next()
	var text []byte
	for i := range m.Outside {
		if m.Outside[i].Reason == "failed" {
			continue
		}
		text = append(text[:0], m.Outside[i].URL...)
		for ; more && bytes.Compare(wider.text, text) < 0; more = wider.next() {
			m.others.add(wider.text)
		}
		m.others.add(text)
	}
	for ; more; more = wider.next() {
		m.others.add(wider.text) // but for one that is there already
	}
}

// as is a URL as it is spelled.
func (m *Map) as(u page.URL) page.URL { return page.URL(u.As(m.Spelled[u])) }

// each calls do with each URL of the lists but those of members and of the cut, and with the one
// beside it, of a page that leads there; nil where none is told.
func (m *Map) each(do func(u, from *page.URL)) {
	for _, list := range [][]Requisite{m.Requisites, m.Needed} {
		for i := range list {
			do(&list[i].URL, &list[i].For)
		}
	}
	for i := range m.Outside {
		do(&m.Outside[i].URL, &m.Outside[i].From)
	}
	for i := range m.Context {
		do(&m.Context[i].URL, &m.Context[i].From)
	}
	for i := range m.Seeds {
		do(&m.Seeds[i], nil)
	}
}

// name has the names of URLs stand in the lists of a map that was read, whatever their spelling.
func (m *Map) name() {
	name := func(u, from *page.URL) {
		*u, _ = page.Spelling(*u).URL()
		if from != nil {
			*from, _ = page.Spelling(*from).URL()
		}
	}
	m.each(name)
	for i := range m.Cut {
		name(&m.Cut[i].From, &m.Cut[i].To)
	}
}

// Spellable gives the URLs of the lists that can be spelled in several ways, each with a page that
// leads to it, "" where none is told.
func (m *Map) Spellable() iter.Seq2[page.URL, page.URL] {
	return func(yield func(u, from page.URL) bool) {
		more := true
		give := func(u, from page.URL) { more = more && (!u.Spellable() || yield(u, from)) }
		for _, list := range []Members{m.Members, m.Wider} {
			for _, x := range list.All() {
				give(x.URL, "")
			}
		}
		m.each(func(u, from *page.URL) {
			if from == nil {
				give(*u, "")
				return
			}
			give(*u, *from)
			give(*from, "")
		})
	}
}

// readKey reads a key and its value.
func (m *Map) readKey(in *mapReader) error {
	key, err := in.Token()
	if err != nil {
		return err
	}
	switch key {
	case "members":
		return m.Members.read(in)
	case "wider":
		return m.Wider.read(in)
	case "outside":
		return readList(in, outsiderField, func(x Outsider) { m.Outside = append(m.Outside, x) })
	}
	var value json.RawMessage
	if err := in.Decode(&value); err != nil {
		return err
	}
	text, err := json.Marshal(map[string]json.RawMessage{fmt.Sprint(key): value})
	if err != nil {
		return err
	}
	return json.Unmarshal(text, m)
}

// expect reads a delimiter.
func expect(in *json.Decoder, want json.Delim) error {
	token, err := in.Token()
	if err == nil && token != want {
		err = fmt.Errorf("%v in place of %v", token, want)
	}
	return err
}

// WriteCSV writes every page that the map names, a line each below one of headings: url, in
// (member, requisite, outside or context), why, state, note, block, links (of an outsider, from the
// site), share (σ of the block with the site). A page that the site's pages link to and that is
// captured as context has two lines.
func (m *Map) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	line := func(fields ...string) { _ = out.Write(fields) } // out.Error tells of it
	block := func(i int) (name, share string) {
		if i < 0 || i >= len(m.Blocks) {
			return "", ""
		}
		return m.Blocks[i].Name, strconv.FormatFloat(m.Blocks[i].Share, 'f', 4, 64)
	}
	line("url", "in", "why", "state", "note", "block", "links", "share")
	for _, x := range m.Members.All() {
		name, share := block(x.Block)
		line(string(m.as(x.URL)), "member", x.Why.String(), x.State, x.Note, name, "", share)
	}
	for _, x := range m.Requisites {
		line(string(m.as(x.URL)), "requisite", WhyRequisite.String(), x.State, x.Note, "", "", "")
	}
	for _, x := range m.Outside {
		name, share := block(x.Block)
		line(string(m.as(x.URL)), "outside", x.Reason, "", x.Note, name, strconv.Itoa(x.Links), share)
	}
	for _, x := range m.Context {
		line(string(m.as(x.URL)), "context", x.Why(), x.State, x.Note, "", "", "")
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write pages of site %s: %w", m.Site, err)
	}
	return nil
}

// WriteSitemap writes the fetched members as sitemaps of sitemaps.org, in files that create makes by
// their names. Redirects are left out, as the protocol wants it, and so is what it has no place for.
func (m *Map) WriteSitemap(create func(name string) (io.WriteCloser, error)) error {
	fetched := func(yield func(string) bool) {
		for _, x := range m.Members.All() {
			if x.State == "fetched" && !yield(string(m.as(x.URL))) {
				return
			}
		}
	}
	if err := protocol.Write(fetched, create); err != nil {
		return fmt.Errorf("write sitemap of site %s: %w", m.Site, err)
	}
	return nil
}
