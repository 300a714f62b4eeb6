// Package columnar writes an index as a table in Parquet, in the columns of Common Crawl's index, so
// that queries made for that one run on any archive.
//
// Source of the columns: cc-index-schema-flat.json of https://github.com/commoncrawl/cc-index-table.
package columnar

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
	"golang.org/x/net/publicsuffix"

	"watershed/archive"
)

// Row is a capture, in Common Crawl's words. A column that is empty where it may be is null.
type Row struct {
	SURTKey        string `parquet:"url_surtkey"`
	URL            string `parquet:"url"`
	Host           string `parquet:"url_host_name"`
	TLD            string `parquet:"url_host_tld,optional,dict"`
	Part2          string `parquet:"url_host_2nd_last_part,optional"`
	Part3          string `parquet:"url_host_3rd_last_part,optional"`
	Part4          string `parquet:"url_host_4th_last_part,optional"`
	Part5          string `parquet:"url_host_5th_last_part,optional"`
	RegistrySuffix string `parquet:"url_host_registry_suffix,optional,dict"`
	Registered     string `parquet:"url_host_registered_domain,optional"`
	PrivateSuffix  string `parquet:"url_host_private_suffix,optional,dict"`
	PrivateDomain  string `parquet:"url_host_private_domain,optional"`
	Reversed       string `parquet:"url_host_name_reversed,optional"`
	Protocol       string `parquet:"url_protocol,dict"`
	Port           int32  `parquet:"url_port,optional"`
	Path           string `parquet:"url_path"`
	Query          string `parquet:"url_query,optional"`
	FetchTime      int64  `parquet:"fetch_time,timestamp(millisecond)"`
	Status         int16  `parquet:"fetch_status"` // 0 of a record that is no HTTP answer
	Redirect       string `parquet:"fetch_redirect,optional"`
	Digest         string `parquet:"content_digest,optional"` // SHA-1 without its label; another with it
	MIME           string `parquet:"content_mime_type,optional,dict"`
	Detected       string `parquet:"content_mime_detected,optional,dict"`
	Charset        string `parquet:"content_charset,optional,dict"`
	Languages      string `parquet:"content_languages,optional,dict"`
	Truncated      string `parquet:"content_truncated,optional,dict"`
	File           string `parquet:"warc_filename,dict"`
	Offset         int32  `parquet:"warc_record_offset"`
	Length         int32  `parquet:"warc_record_length"`
	Segment        string `parquet:"warc_segment,dict"`
	Crawl          string `parquet:"crawl,dict"`
	Subset         string `parquet:"subset,dict"`
}

// rowGroup is the number of rows that stand together; so many are in memory.
const rowGroup = 1 << 16

// Writer writes rows. It has to be closed. It is not safe for concurrent use.
type Writer struct {
	out   *parquet.GenericWriter[Row]
	crawl string
	rows  int
	other int
}

// NewWriter writes a table to out, whose column crawl has that value.
func NewWriter(out io.Writer, crawl string) *Writer {
	return &Writer{
		out: parquet.NewGenericWriter[Row](out, parquet.Compression(&parquet.Zstd),
			parquet.CreatedBy("watershed", "", "")),
		crawl: crawl,
	}
}

// Write adds the row of an entry. An entry of another scheme than http and https has none, as in
// Common Crawl's table, and is counted. The error may be errFar.
func (w *Writer) Write(e *archive.Entry) error {
	r, err := rowOf(e)
	if errors.Is(err, errNoPage) {
		w.other++
		return nil
	}
	if err != nil {
		return err
	}
	r.Crawl = w.crawl
	if _, err := w.out.Write([]Row{r}); err != nil {
		return fmt.Errorf("write row of %s: %w", e.URL, err)
	}
	if w.rows++; w.rows%rowGroup == 0 {
		return w.out.Flush()
	}
	return nil
}

// Other is the number of entries that have no row.
func (w *Writer) Other() int { return w.other }

// Close writes what is left, and the foot of the table.
func (w *Writer) Close() error { return w.out.Close() }

// errFar says that an offset or length is beyond the four bytes of the table's column.
var errFar = errors.New("lies beyond 2 GiB, the most that the columns warc_record_offset and _length hold")

var errNoPage = errors.New("no page of the web")

// rowOf makes the row of an entry, its column crawl left empty.
func rowOf(e *archive.Entry) (Row, error) {
	// a path may have a "%" that begins no escape, which url.Parse refuses
	address, _, _ := strings.Cut(e.URL, "#")
	address, query, _ := strings.Cut(address, "?")
	scheme, rest, _ := strings.Cut(address, "://")
	authority, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	u, err := url.Parse(scheme + "://" + authority)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return Row{}, errNoPage
	}
	if e.Offset > math.MaxInt32 || e.Length > math.MaxInt32 {
		return Row{}, fmt.Errorf("record of %s in %s at %d %w", e.URL, e.File, e.Offset, errFar)
	}
	at, err := e.Time()
	if err != nil {
		return Row{}, fmt.Errorf("time of %s: %w", e.URL, err)
	}
	status, _ := strconv.ParseInt(e.Status, 10, 16) // "" and "-" are no status
	r := Row{
		SURTKey: e.Key, URL: e.URL, Host: strings.ToLower(u.Hostname()), Protocol: u.Scheme,
		Path: path, Query: query,
		FetchTime: at.UnixMilli(), Status: int16(status), Redirect: e.Extra["redirect"],
		Digest: strings.TrimPrefix(e.Digest, "sha1:"), MIME: e.MIME, Detected: e.Extra["mime-detected"],
		Charset: e.Extra["charset"], Languages: e.Extra["languages"], Truncated: e.Extra["truncated"],
		File: e.File, Offset: int32(e.Offset), Length: int32(e.Length), Segment: segment(e.File),
	}
	if port, err := strconv.ParseInt(u.Port(), 10, 32); err == nil {
		r.Port = int32(port)
	}
	r.host()
	r.Subset = subset(&r)
	return r, nil
}

// host fills the columns of the host's parts; an address has none.
func (r *Row) host() {
	name := strings.TrimSuffix(r.Host, ".")
	if _, err := netip.ParseAddr(name); err == nil || name == "" {
		return
	}
	labels := strings.Split(name, ".")
	slices.Reverse(labels)
	r.Reversed = strings.Join(labels, ".")
	for i, part := range []*string{&r.TLD, &r.Part2, &r.Part3, &r.Part4, &r.Part5} {
		if i < len(labels) {
			*part = labels[i]
		}
	}
	private, icann := publicsuffix.PublicSuffix(name)
	registry := private
	for !icann && strings.Contains(registry, ".") { // the registry's is the suffix of a private one
		_, parent, _ := strings.Cut(registry, ".")
		registry, icann = publicsuffix.PublicSuffix(parent)
	}
	if !icann { // a top level that is in no list
		return
	}
	r.RegistrySuffix, r.PrivateSuffix = registry, private
	r.Registered, r.PrivateDomain = below(name, registry), below(name, private)
}

// below is the suffix with the label before it; "" where the name has none.
func below(name, suffix string) string {
	rest, ok := strings.CutSuffix(name, "."+suffix)
	if !ok {
		return ""
	}
	return rest[strings.LastIndexByte(rest, '.')+1:] + "." + suffix
}

// segment is the folder of Common Crawl's that a WARC file lies in, "" elsewhere.
func segment(file string) string {
	_, rest, ok := strings.Cut(file, "/segments/")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// subset is that of Common Crawl's in which such a capture is.
func subset(r *Row) string {
	switch {
	case r.Path == "/robots.txt":
		return "robotstxt"
	case r.Status == 200 && r.MIME != archive.MIMERevisit:
		return "warc"
	}
	return "crawldiagnostics"
}
