package configs

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// LoadOperator reads who answers for harvests from a file that has at least the group operator, for
// commands that have no YAML yet. The error is Errors for what is wrong in the text, and an
// *fs.PathError, wrapped, when the file cannot be read.
func LoadOperator(path string) (Operator, error) {
	data, err := ReadFile(path)
	if err != nil {
		return Operator{}, fmt.Errorf("read operator: %w", err)
	}
	d, root, ok := document(path, data)
	if !ok {
		return Operator{}, d.errs
	}
	h := d.decode(root)
	c := checker{decoder: d, h: &h}
	c.operator()
	if len(d.errs) > 0 {
		return Operator{}, d.errs.sorted(path, d.unkept)
	}
	return h.Operator, nil
}

// KeepOperator writes such a file, which nobody but its owner can read, and the folders above it.
func KeepOperator(path string, o Operator) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep operator: %w", err)
	}
	text := "operator:\n  name: " + scalarText(o.Name) + "\n  contact: " + scalarText(o.Contact) + "\n"
	return os.WriteFile(path, []byte(text), 0o600)
}

// Contact is a web address or a mail address as operator.contact wants it; the error says what it
// wants.
func Contact(text string) (string, error) {
	for _, s := range []string{text, "mailto:" + text} {
		if validContact(s) {
			return s, nil
		}
	}
	return "", fmt.Errorf("%q is neither a mail address nor a web page (http:// or https://): "+
		"webmasters must be able to reach you there", text)
}

// Compose is what Load would give if the file at path had that text. It writes nothing.
func Compose(path string, text []byte) (Harvest, error) {
	if shardKey.Match(bytes.TrimPrefix(text, []byte("\ufeff"))) {
		return loadShard(path, text, ReadFile)
	}
	return parse(path, text, ReadFile)
}
