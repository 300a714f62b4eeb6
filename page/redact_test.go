package page

import "testing"

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"http://ann:secret@example.org/a@b":             "http://redacted@example.org/a@b",
		"proxy: HTTPS://ann:se@cret@10.0.0.1:3128 # x":  "proxy: HTTPS://redacted@10.0.0.1:3128 # x",
		`["http:\\ann:s@a.example","http://b.example"]`: `["http:\\redacted@a.example","http://b.example"]`,
		"socks5://ann@h and http://h/":                  "socks5://redacted@h and http://h/",
		"contact: mailto:ann@example.org":               "contact: mailto:ann@example.org",
		"https://example.org/@ann?q=a@b#c@d":            "https://example.org/@ann?q=a@b#c@d",
		"http://example.org mail ann@example.org":       "http://example.org mail ann@example.org",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestHasUser(t *testing.T) {
	for text, want := range map[string]bool{
		"http://ann:secret@example.org/": true, "http:ann@example.org": true,
		`http:\\a n:s@example.org\`: true, "https://:x@h": true,
		"http://example.org/@ann": false, "http://example.org?a@b": false, "example.org": false,
	} {
		if got := HasUser(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
