package search

import (
	"context"
	"errors"
	"strings"
	"time"

	"watershed/holdings"
	"watershed/page"
)

// Hit is a capture that was found.
type Hit struct {
	URL   page.URL  `json:"url"`
	Time  time.Time `json:"time"`
	Run   string    `json:"run"`
	MIME  string    `json:"mime"`
	Title string    `json:"title,omitempty"`
	// of its text; none where only the title or the address has the words
	Snippet []Part `json:"snippet,omitempty"`
}

// Part is a part of a text.
type Part struct {
	Text string `json:"text"`
	Hit  bool   `json:"hit,omitempty"` // it is a word of the query
}

// Found is a page of the hits of a query.
type Found struct {
	Hits []Hit `json:"hits"`
	More bool  `json:"more"` // there are more behind them
}

// How much the words of a title and of an address count beside those of the text (Robertson and
// Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009, with weights of fields);
// FTS5's k1 = 1.2 and b = 0.75.
const weights = "8.0, 4.0, 1.0"

// Find gives the hits from a number on, at most most, the best first; equal ones in the order of
// the archive. It costs a walk along the postings of the words, and a look into the archive for
// each hit.
func (x *Index) Find(ctx context.Context, q Query, from, most int) (Found, error) {
	where, values := q.where()
	text := "SELECT c.url, c.time, c.run, c.mime, c.title FROM words JOIN captures c ON c.id = words.rowid " +
		"WHERE words MATCH ?" +
		where + " ORDER BY bm25(words, " + weights + "), c.id LIMIT ? OFFSET ?"
	values = append(append([]any{q.match()}, values...), most+1, from)
	rows, err := x.db.QueryContext(ctx, text, values...)
	if err != nil {
		return Found{}, x.wrap("search", err)
	}
	found := Found{Hits: []Hit{}}
	for rows.Next() {
		var h Hit
		var seconds int64
		if err := rows.Scan(&h.URL, &seconds, &h.Run, &h.MIME, &h.Title); err != nil {
			return Found{}, errors.Join(x.wrap("search", err), rows.Close())
		}
		if len(found.Hits) == most {
			found.More = true
			break
		}
		h.Time = time.Unix(seconds, 0).UTC()
		found.Hits = append(found.Hits, h)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return Found{}, x.wrap("search", err)
	}
	return found, x.snippets(ctx, q, found.Hits)
}

// snippets reads the texts of hits. A hit whose text cannot be read has no snippet.
func (x *Index) snippets(ctx context.Context, q Query, hits []Hit) error {
	reader, err := holdings.NewReader(x.folder)
	if err != nil {
		return err
	}
	for i := range hits {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := holdings.Find(x.folder, hits[i].URL, hits[i].Time)
		if errors.Is(err, holdings.ErrNotHeld) {
			continue
		}
		if err != nil {
			return err
		}
		d, err := reader.Read(f)
		if err != nil {
			//nolint:nilerr // its words were found; that it cannot be read now shows when it is opened
			continue
		}
		text := d.Text
		if !holdings.IsPage(hits[i].MIME) {
			text = strings.ToValidUTF8(string(d.Body[:min(len(d.Body), maxText)]), "\ufffd")
		}
		hits[i].Snippet = q.snippet(text)
	}
	return nil
}

// Sizes of a snippet, in words as they are separated by spaces, and of such a word in bytes.
const (
	snippetWords = 32
	leadWords    = 8 // before the first hit
	maxWord      = 200
)

// snippet is the part of a text that has the most of the query's words; nil where it has none.
func (q *Query) snippet(text string) []Part {
	words := strings.Fields(text[:min(len(text), maxText)])
	at := make([]int, 0, 64) // words that are hits
	which := make([]int, 0, 64)
	for i, w := range words {
		if n := q.hits(w); n >= 0 {
			at, which = append(at, i), append(which, n)
		}
	}
	if len(at) == 0 {
		return nil
	}
	best, most := 0, 0
	for i := range at {
		terms := map[int]bool{}
		for j := i; j < len(at) && at[j] < at[i]+snippetWords-leadWords; j++ {
			terms[which[j]] = true
		}
		if len(terms) > most {
			best, most = i, len(terms)
		}
		if most == len(q.terms) {
			break
		}
	}
	from := max(0, at[best]-leadWords)
	var parts []Part
	for _, w := range words[from:min(len(words), from+snippetWords)] {
		hit := q.hits(w) >= 0
		if len(w) > maxWord {
			w = strings.ToValidUTF8(w[:maxWord], "") + "…"
		}
		if n := len(parts); n > 0 && parts[n-1].Hit == hit {
			parts[n-1].Text += " " + w
			continue
		}
		parts = append(parts, Part{w, hit})
	}
	return parts
}

// hits is the number of a term of which a word between spaces has a word, -1 for none.
func (q *Query) hits(word string) int {
	if len(word) > maxWord {
		return -1
	}
	for _, w := range wordsOf(word) {
		for n, t := range q.terms {
			if t.not || t.column == "url" || t.column == "title" {
				continue
			}
			for i, want := range t.words {
				if w == want || t.prefix && i == len(t.words)-1 && strings.HasPrefix(w, want) {
					return n
				}
			}
		}
	}
	return -1
}

// Errors that callers branch on.
var (
	// ErrNoIndex says that the harvest has no index of words yet: Update makes one.
	ErrNoIndex = errors.New("the words of this harvest are not indexed yet")
	// errQuery says that a query is empty, or cannot be read; the text behind it tells why.
	errQuery = errors.New("the query cannot be read")
)
