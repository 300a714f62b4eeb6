package extract

import (
	"net/textproto"
	"strings"
	"testing"
)

// TestEntities: addresses are made of the entities that an XML document declares, as browsers make
// them; HTML has none, and those that double each other stay small.
func TestEntities(t *testing.T) {
	const dtd = `<!DOCTYPE html [<!ENTITY u "/u.png"> <!ENTITY u '/second.png'><!ENTITY h "x">
		<!ENTITY two '/&h;-two"s.png'><!ENTITY out SYSTEM "out.ent"><!ENTITY % p "q"><!ENTITY m "<i/>">]>`
	const body = `<html xmlns="http://www.w3.org/1999/xhtml"><body><img src="&u;"/>` +
		`<img src="/&h;/&#97;.png"/><img src="&two;"/><img src="/&out;.png"/></body></html>`
	var bomb strings.Builder
	bomb.WriteString(`<!DOCTYPE html [<!ENTITY a0 "aaaaaaaaaaaaaaaaaaaa">`)
	for i := range 60 {
		n := string(rune('0' + i))
		bomb.WriteString(`<!ENTITY a` + string(rune('1'+i)) + ` "&a` + n + `;&a` + n + `;">`)
	}
	bomb.WriteString("]><html><body>" + strings.Repeat("&a4;", 1<<16))
	for _, c := range []struct{ name, mime, text, want string }{
		{"XHTML", "application/xhtml+xml", dtd + body, "/u.png /x/a.png /x-two%22s.png /&out;.png"},
		{"HTML", "text/html", dtd + body, "/&u; /&h;/a.png /&two; /&out;.png"},
	} {
		r := extract(t, Options{}, Input{
			URL: "http://a.example/", Status: 200, Body: []byte(c.text),
			Header: textproto.MIMEHeader{"Content-Type": {c.mime}},
		})
		var got []string
		for _, l := range r.Links {
			got = append(got, strings.TrimPrefix(string(l.URL), "http://a.example"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %s", c.name, got, c.want)
		}
	}
	if got := withEntities(dtd + "&u"); got != dtd+"&u" {
		t.Errorf("a name without an end: %q", got)
	}
	const cut = `<!DOCTYPE html [<!ENTITY u "/u.png"><!ENTITY v "/v.png>]><html><img src=`
	if got := withEntities(cut + "'&u;'/>"); got != cut+"'/u.png'/>" {
		t.Errorf("a last declaration without an end: %q", got)
	}
	if n := len(withEntities(bomb.String())); n > bomb.Len()+maxEntityBytes+maxEntity {
		t.Errorf("%d bytes became %d", bomb.Len(), n)
	}
}
