package configs

import (
	"testing"
)

// TestDraft: what a draft writes is read back as it was meant, however odd the texts are.
func TestDraft(t *testing.T) {
	odd := []string{
		"a: b", "a #b", "#a", "- a", "yes", "1e3", "1", "null", `say "x"`, `c:\d`, "[a", "{a}",
		"*a", "&a", "!a",
		"%a", "@a", "a:", " a ", "'", "ünï", "a\tb", "? a", "| a", "> a", "~", "0x10", ".5", "", "a, b",
	}
	for _, name := range odd {
		d := Draft{
			Harvest: "h", Operator: Operator{Name: "N" + name, Contact: "mailto:a@b.example"},
			Sites: []DraftSite{{
				Name: "s" + name, Seeds: []string{"https://a.example/?x=" + name},
				Settings: []Setting{{Key: "keyword", Value: name}, {
					Key: "limits.pages", Value: 7,
					Note: "n " + name,
				}},
			}},
			Settings: []Setting{
				{Key: "limits.pages", Value: 5},
				{Key: "archive.wacz", Value: false},
				{Key: "limits.host.pages", Value: 3},
				{Key: "limits.pages", Value: 6},
			},
		}
		h, err := Parse("d.yaml", d.YAML())
		switch {
		case err != nil && name == "a\tb": // no header may have it
		case err != nil:
			t.Errorf("%q: %v\n%s", name, err, d.YAML())
		case h.Operator.Name != "N"+name || h.Sites[0].Keyword != name || h.Sites[0].Limits.Pages != 7 ||
			h.Limits.Pages != 6 || h.Limits.Host.Pages != 3 || h.Archive.WACZ ||
			h.Sites[0].Limits.Depth != 20:
			t.Errorf("%q: read back as %+v", name, h)
		}
	}
}
