package configs

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const confinedHead = `harvest: gemo
operator: {name: Archive, contact: "mailto:a@archive.example"}
`

// TestConfined: what a browser writes reaches no file beyond the folder, no secret, no network of
// the machine; each attempt is told with its line, and nothing of a file that it names is shown.
func TestConfined(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "secret.txt")
	for path, text := range map[string]string{
		outside: "root:x:0:0\n", filepath.Join(dir, "own.txt"): "http://a.example/\n",
		filepath.Join(dir, "cookies.txt"): ".a.example\tTRUE\t/\tTRUE\t0\tPHPSESSID\t8f3a\n",
		filepath.Join(dir, "words.csv"):   "name,8f3a\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "door")); err != nil {
		t.Fatal(err)
	}
	site := "sites: [{name: a, seeds: [\"http://a.example/\"]}]\n"
	here := "archive: {dir: .}\n"
	for _, name := range []string{"cookies.txt", "words.csv"} {
		_, err := Confined(filepath.Join(dir, "gemo.yaml"),
			[]byte(confinedHead+"sites: [{list: "+name+"}]\n"+here), nil)
		var list Errors
		if !errors.As(err, &list) || list[0].Line != 1 || filepath.Base(list[0].File) != name {
			t.Fatalf("%s: %v", name, err)
		}
		for _, e := range list {
			if strings.Contains(e.Key+e.Message+e.Hint+e.Source, "8f3a") {
				t.Errorf("%s is shown: %+v", name, e)
			}
		}
	}
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, test := range []struct {
		name, text, want string // "" is in order
	}{
		{"plain", site + here, ""},
		{"list", "sites: [{list: own.txt}]\n" + here, ""},
		{"private, as the desk allows", site + here + "network: {allow_private: [127.0.0.1/32]}\n", ""},
		{"private", site + here + "network: {allow_private: [10.0.0.0/8]}\n", "allow_private"},
		{"private, wider", site + here + "network: {allow_private: [0.0.0.0/0]}\n", "allow_private"},
		{"parent", "sites: [{list: ../secret.txt}]\n" + here, "not in the folder"},
		{"parent within", "sites: [{list: a/../../secret.txt}]\n" + here, "not in the folder"},
		{"absolute", "sites: [{list: " + outside + "}]\n" + here, "not in the folder"},
		{"home", "sites: [{list: ~/secret.txt}]\n" + here, "not in the folder"},
		{"link", "sites: [{list: link.txt}]\n" + here, "not in the folder"},
		{"link of a folder", "sites: [{list: door/secret.txt}]\n" + here, "not in the folder"},
		{"archive", site + "archive: {dir: /srv}\n", "archive.dir"},
		{"archive in a parent", site + "archive: {dir: ..}\n", "archive.dir"},
		{"table", site + here + "copies: {table: ../x.yaml}\n", "copies.table"},
		{"key", site + "archive: {dir: ., key: own.txt}\n", "archive.key"},
		{"program", site + here + "browser: {draw: auto, program: /bin/sh}\n", "browser.program"},
		{"hosts", site + here + "network: {hosts_file: own.txt}\n", "network.hosts_file"},
		{"proxy", site + here + "network: {proxy: \"http://127.0.0.1:1\"}\n", "network.proxy"},
		{"mail", site + here + "notify: {mail: {server: a, from: a@b.eu, to: [a@b.eu]}}\n", "notify"},
		{
			"upload", site + here + "upload: {store: \"https://a.example\", bucket: abc, " +
				"access_key: env:HOME, secret_key: env:HOME}\n", "upload",
		},
		{
			"login", "sites: [{name: a, seeds: [\"http://a.example/\"], " +
				"login: {headers: {X: file:own.txt}}}]\n" + here, "sites[0].login",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			h, err := Confined(filepath.Join(dir, "gemo.yaml"), []byte(confinedHead+test.text), loopback)
			var list Errors
			switch {
			case test.want == "" && (err != nil || h.Harvest != "gemo"):
				t.Errorf("refused: %v", err)
			case test.want == "":
			case !errors.As(err, &list) || !strings.Contains(err.Error(), test.want) || list[0].Line < 3 ||
				list[0].Hint == "":
				t.Errorf("error %v, want one of %q with line and hint", err, test.want)
			case strings.Contains(err.Error(), "root:"):
				t.Errorf("the error shows the file: %v", err)
			}
		})
	}
}

// taken are the options with a text of any kind that a browser may write. Each was looked at: none of
// them is a program, an address that is asked, or a file, but for those that confine looks after.
var taken = []string{
	"harvest", "operator.name", "operator.contact", "operator.organization", "sites[].name", "sites[].list",
	"sites[].keyword", "politeness.robots_reason", "politeness.hosts[].robots_reason", "fetch.user_agent",
	"copies.table", "copies.aliases[]", "archive.dir", "archive.prefix",
}

// TestConfinedKnowsEachText: an option that takes a text of any kind is taken from a browser only if
// somebody has decided so, here.
func TestConfinedKnowsEachText(t *testing.T) {
	var look func(key string, of reflect.Type)
	look = func(key string, of reflect.Type) {
		_, parsed := scalars[of]
		own := of == reflect.TypeFor[Path]() || of == reflect.TypeFor[Secret]()
		switch {
		case parsed && !own, words(of) != nil, slices.Contains(taken, key):
		case own || of.Kind() == reflect.String:
			if !slices.ContainsFunc(apart, func(x struct{ key, reach string }) bool {
				within := key[strings.LastIndex(key, "]")+1:] // of a site's options the key within it
				return strings.HasPrefix(strings.TrimPrefix(within, ".")+".", x.key+".") ||
					strings.HasPrefix(key, x.key+".") || strings.HasPrefix(key, "sites[]."+x.key+".")
			}) {
				t.Errorf("%s: may a browser write it? Put it among those that are apart, or taken", key)
			}
		case of.Kind() == reflect.Struct:
			for _, f := range fieldsOf(of) {
				look(join(key, f.key), of.Field(f.index).Type)
			}
		case of.Kind() == reflect.Slice:
			look(key+"[]", of.Elem())
		case of.Kind() == reflect.Pointer, of.Kind() == reflect.Map:
			look(key, of.Elem())
		}
	}
	look("", reflect.TypeFor[Harvest]())
}
