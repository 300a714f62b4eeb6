package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"watershed/page"
)

// jsonFeed begins the version of a JSON Feed. Source: jsonfeed.org, version 1.1.
const jsonFeed = "https://jsonfeed.org/version/"

// picture is an image object of a web app manifest, or whatever else has a source.
type picture struct {
	Src string `json:"src"`
}

// webManifest has the members of a web app manifest that name files. Source: W3C, Web Application
// Manifest.
type webManifest struct {
	StartURL    string    `json:"start_url"`
	Icons       []picture `json:"icons"`
	Screenshots []picture `json:"screenshots"`
	Shortcuts   []struct {
		URL   string    `json:"url"`
		Icons []picture `json:"icons"`
	} `json:"shortcuts"`
}

// feedOfJSON has the members of a JSON Feed that name pages and files.
type feedOfJSON struct {
	Version string `json:"version"`
	Home    string `json:"home_page_url"`
	Next    string `json:"next_url"`
	Icon    string `json:"icon"`
	Favicon string `json:"favicon"`
	Items   []struct {
		URL         string `json:"url"`
		External    string `json:"external_url"`
		Image       string `json:"image"`
		Banner      string `json:"banner_image"`
		Attachments []struct {
			URL string `json:"url"`
		} `json:"attachments"`
	} `json:"items"`
}

// readJSON takes the links of a web app manifest or a JSON Feed, as which other types than their
// own are read where they look like one; many servers know neither. Other JSON is data, whose
// strings may be anything.
func (c *parts) readJSON() {
	body := bytes.TrimPrefix(c.in.Body, []byte("\ufeff"))
	declared := c.result.Declared
	switch own := declared == "application/manifest+json"; {
	case declared == "application/feed+json", looksLikeJSON(declared, body) &&
		bytes.Contains(body, []byte("jsonfeed.org")):
		c.readJSONFeed(body)
	case own, looksLikeJSON(declared, body) && bytes.Contains(body, []byte(`"icons"`)) &&
		bytes.Contains(body, []byte(`"name"`)):
		c.readManifest(body)
	}
}

// looksLikeJSON reports an object of JSON by the declared type, or by its first byte where that
// says nothing.
func looksLikeJSON(declared string, body []byte) bool {
	switch declared {
	case "application/json", "text/json", "text/plain", "application/x-web-app-manifest+json":
	default:
		if !saysNothing(declared) {
			return false
		}
	}
	return bytes.HasPrefix(bytes.TrimLeft(body[:min(len(body), 64)], " \t\r\n"), []byte("{"))
}

// unmarshal reads the members that it can: a member of another type than expected is passed over.
func (c *parts) unmarshal(what string, text []byte, to any) {
	err := json.Unmarshal(text, to)
	if other := (*json.UnmarshalTypeError)(nil); err != nil && !errors.As(err, &other) {
		c.result.Err = fmt.Errorf("read %s: %w", what, err)
	}
}

func (c *parts) readManifest(text []byte) {
	var m webManifest
	c.unmarshal("web app manifest", text, &m)
	pictures := func(context string, all []picture) {
		for _, p := range all {
			c.embed(context, p.Src)
		}
	}
	pictures("manifest/icons", m.Icons)
	pictures("manifest/screenshots", m.Screenshots)
	c.add(page.Navigation, "manifest/start_url", m.StartURL)
	for _, s := range m.Shortcuts {
		c.add(page.Navigation, "manifest/shortcuts", s.URL)
		pictures("manifest/shortcuts", s.Icons)
	}
}

func (c *parts) readJSONFeed(text []byte) {
	var f feedOfJSON
	c.unmarshal("JSON Feed", text, &f)
	if !strings.HasPrefix(strings.Replace(f.Version, "http://", "https://", 1), jsonFeed) &&
		c.result.Declared != "application/feed+json" {
		return
	}
	c.result.Format = Feed
	c.add(page.Navigation, "feed/home_page_url", f.Home)
	c.add(page.Feed, "feed/link", f.Next)
	c.embed("feed/icon", f.Icon)
	c.embed("feed/icon", f.Favicon)
	for _, i := range f.Items {
		c.add(page.Navigation, "item/link", i.URL)
		c.add(page.Navigation, "item/link", i.External)
		c.embed("item/image", i.Image)
		c.embed("item/image", i.Banner)
		for _, a := range i.Attachments {
			c.embed("item/enclosure", a.URL)
		}
	}
}

// readImportMap takes the modules to which an import map leads: one that a script imports by name
// is found nowhere else. Source: HTML standard, 8.1.6.2 (import maps).
func (c *parts) readImportMap(text string) {
	if c.template > 0 {
		return
	}
	var m struct {
		Imports map[string]any            `json:"imports"`
		Scopes  map[string]map[string]any `json:"scopes"`
	}
	c.unmarshal("import map", []byte(text), &m)
	take := func(names map[string]any) {
		for _, name := range sorted(names) {
			switch ref, ok := names[name].(string); {
			case !ok || !isAddress(ref):
			case !strings.HasSuffix(name, "/"):
				c.embed("script/importmap", ref)
			case strings.HasSuffix(ref, "/"):
				if c.imports == nil {
					c.imports = map[string]string{}
				}
				c.imports[strings.Clone(name)] = strings.Clone(ref)
			}
		}
	}
	take(m.Imports)
	for _, scope := range sorted(m.Scopes) {
		take(m.Scopes[scope])
	}
}

// sorted are the names of a map, so that the same page gives the same links.
func sorted[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
