package extract

import "strings"

// Bounds of the entities that a document declares, against those that are made of others without end.
const (
	maxEntities    = 256
	maxEntity      = 2 << 10 // bytes of one
	maxEntityBytes = 1 << 20 // that they add to a document
)

// withEntities has the text of an XML document with the entities that it declares in itself in the
// place of their names: an address may be made of them. Entities that stand in other files, or hold
// markup, are left as they are. Source: XML 1.0, 5th edition, 4.2 and 4.4.
func withEntities(text string) string {
	head := text[:min(len(text), maxHead)]
	at := strings.Index(head, "<!DOCTYPE")
	if at < 0 || !strings.Contains(head[at:], "<!ENTITY") {
		return text
	}
	values := map[string]string{}
	declared, rest := head[at:], ""
	for len(values) < maxEntities {
		var found bool
		if _, declared, found = strings.Cut(declared, "<!ENTITY"); !found {
			break
		}
		name, value, ok := strings.Cut(strings.TrimLeft(declared, " \t\r\n"), " ")
		value = strings.TrimLeft(value, " \t\r\n")
		if !ok || value == "" || value[0] != '"' && value[0] != '\'' {
			continue // of a DTD, or of another file
		}
		quote := value[:1]
		var behind string
		if value, behind, ok = strings.Cut(value[1:], quote); !ok {
			break // it is cut off
		}
		declared, rest = behind, behind
		if _, twice := values[name]; twice || strings.ContainsRune(value, '<') {
			continue
		}
		if value = replaceEntities(value, values, maxEntity); len(value) <= maxEntity {
			values[name] = strings.NewReplacer(`"`, "&quot;", "'", "&#39;").Replace(value)
		}
	}
	if rest == "" {
		return text
	}
	start := len(head) - len(rest)
	return text[:start] + replaceEntities(text[start:], values, maxEntityBytes)
}

// replaceEntities puts values in the place of their names until they have added that many bytes.
func replaceEntities(text string, values map[string]string, most int) string {
	var b strings.Builder
	for most > 0 {
		at := strings.IndexByte(text, '&')
		if at < 0 {
			break
		}
		b.WriteString(text[:at])
		text = text[at:]
		name, _, ended := strings.Cut(text[1:min(len(text), 66)], ";")
		value, known := values[name]
		if !known || !ended {
			b.WriteByte('&')
			text = text[1:]
			continue
		}
		b.WriteString(value)
		text = text[len(name)+2:]
		most -= len(value)
	}
	b.WriteString(text)
	return b.String()
}
