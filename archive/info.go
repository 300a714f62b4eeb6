package archive

import (
	"cmp"
	"time"
)

// Info has the facts of the harvest in the first record of a file (WARC 1.1, 6.2, and the fields
// that Heritrix writes). Empty fields are left out; software and format are always there.
type Info struct {
	Software  string // "watershed"
	Operator  string // person or institution, with a way to reach them
	Publisher string
	IsPartOf  string // the harvest's name
	Robots    string // the policy kept: "obey"
	UserAgent string // http-header-user-agent
	From      string // http-header-from
	Extra     Header // further fields, for example the harvest's configuration
}

const (
	formatName = "WARC File Format 1.1"
	conformsTo = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"
)

func (i Info) fields(host string) Header {
	var h Header
	h.Add("software", cmp.Or(i.Software, "watershed"))
	h.Add("format", formatName)
	h.Add("conformsTo", conformsTo)
	h.Add("hostname", host)
	h.Add("operator", i.Operator)
	h.Add("publisher", i.Publisher)
	h.Add("isPartOf", i.IsPartOf)
	h.Add("robots", i.Robots)
	h.Add("http-header-user-agent", i.UserAgent)
	h.Add("http-header-from", i.From)
	return append(h, i.Extra...)
}

// warcinfo drafts the first record of the file of that name.
func warcinfo(id, name string, at time.Time, fields Header) Draft {
	var h Header
	h.Add(fieldType, TypeWarcinfo)
	h.Add(fieldID, id)
	h.Add(fieldDate, Date(at))
	h.Add(fieldFilename, name)
	h.Add(fieldContentType, mimeFields)
	return Draft{Header: h, Block: blockOf(fields.appendTo(nil))}
}
