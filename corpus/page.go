package corpus

import (
	"watershed/archive"
	"watershed/page"
)

// Page is a capture that was read. It belongs to whom it is given to.
type Page struct {
	// Visit tells URL, Time, Status, MIME, Charset, Language, Title, ETag, LastModified, Size, Digest,
	// Truncated, NoIndex, Inlay, Record, Revisit, Origin and Links. A redirect has a link of that kind
	// to where it leads.
	page.Visit

	Label string    // payload digest as the record has it: "sha1:…", "sha256:…"; "" for none
	Text  []byte    // visible text, with Options.Text
	Body  page.Body // with Options.Body; always of what was cut or broken, without Bytes
	Path  string    // of the file that holds it

	// Unresolved marks a revisit whose original is not in the corpus, or cannot be sought: its links
	// are not known.
	Unresolved bool
	// Listed marks a page of a link list. It may come again, where its lines do not stand together;
	// its links then add up.
	Listed bool
}

// Stats counts the content of a corpus.
type Stats struct {
	Files      int // read or led to by an index
	Records    int // WARC records or index lines looked at
	Captures   int // of pages, by GET
	URLs       int // distinct, of captures
	Revisits   int // among the captures
	Unresolved int // revisits whose original is not here, or shares a gzip member with other records
	Damaged    int // places that could not be read

	Left archive.Left // files of folders that are not read
}
