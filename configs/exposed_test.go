package configs

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestExposedSecrets names the files of secrets that everybody may read, each once, and no other.
func TestExposedSecrets(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{
		"open": 0o644, "group": 0o640, "own": 0o600, "jar": 0o604, "sign.pem": 0o644,
		"plan.yaml": 0o644, "tls.pem": 0o644, "c.yaml": 0o644, "node.key": 0o604,
	} {
		path := filepath.Join(dir, name)
		text := `harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
notify: {mail: {server: "a.example:25", from: a@a.example, to: [b@a.example], user: a, password: "file:open"}}
archive: {key: sign.pem}
sites:
  - name: a
    seeds: ["http://a.example/"]
    login: {cookies: jar, headers: {X: "file:open", Y: "file:own", Z: "file:group", N: "file:none"}}
politeness: {cluster: c.yaml}
`
		if name == "c.yaml" {
			text = `cluster: library
folder: broker
nodes: [{name: a, clients: "10.0.0.1:4222", peers: "10.0.0.1:4223"}]
key: "file:node.key"
tls: {certificate: own, key: tls.pem, authority: own}
`
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	h, err := Load(filepath.Join(dir, "plan.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got, want := h.ExposedSecrets(), []string{
		filepath.Join(dir, "jar"), filepath.Join(dir, "node.key"), filepath.Join(dir, "open"),
		filepath.Join(dir, "sign.pem"), filepath.Join(dir, "tls.pem"),
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
