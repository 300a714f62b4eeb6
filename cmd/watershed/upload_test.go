package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"watershed/cluster"
	"watershed/harvest"
	"watershed/lab/kit/bucket"
	"watershed/notify"
)

// TestHandedOver: a run is uploaded when it has ended; a store that refuses changes nothing of how it ends
// but the exit code of a complete one, is told, and the command goes on; what is removed here was proved to
// be there; no key is kept.
func TestHandedOver(t *testing.T) {
	const access, secret = "AKEXAMPLE", "hunter2secret"
	body := `<title>a</title><p>one two three`
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, body)
	}))
	defer site.Close()
	down, busy := true, false
	store := &bucket.Store{Bucket: "archive", AccessKey: access}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "<Error><Code>AccessDenied</Code><Message>"+access+"</Message></Error>")
			return
		}
		if busy {
			busy = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		store.ServeHTTP(w, r)
	}))
	defer front.Close()
	var told []notify.News
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var n notify.News
		if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
			t.Error(err)
		}
		told = append(told, n) // a single teller: one after the other
	}))
	defer hook.Close()
	dir := filepath.Join(t.TempDir(), "a") // as a node has the folder of a harvest
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STORE_SECRET", secret)
	file, keys := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "access.key")
	text := fmt.Sprintf(`harvest: a
operator: {name: Test, contact: "mailto:test@a.example"}
politeness: {min_delay: 0s, address_delay: 0s}
network: {allow_private: [127.0.0.0/8], dial_ports: {80: %s}, resolve: [{match: "*", address: 127.0.0.1}]}
sites: [{name: a, seeds: ["http://a.example/"], boundary: host}]
notify: {on: [upload], webhook: {url: "%s"}}
upload:
  {store: "%s", bucket: archive, prefix: web/, access_key: "file:access.key", secret_key: "env:STORE_SECRET"}
`, site.URL[strings.LastIndexByte(site.URL, ':')+1:], hook.URL, front.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, said := ends(t, t.Context(), exitConfig, "harvest", file); !strings.Contains(said, "access.key") {
		t.Errorf("without the key it says %s", said)
	}
	if err := os.WriteFile(keys, []byte(access+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := ""
	harvested, said := ends(t, t.Context(), exitLosses, "harvest", "--json-log", file)
	all += harvested + said
	if !strings.Contains(said, "refuses the key") || len(told) != 1 || told[0].Run != "run-0001" ||
		!strings.Contains(told[0].Text, "watershed upload") || len(store.Objects()) > 0 {
		t.Fatalf("told %v, stored %d\n%s%s", told, len(store.Objects()), harvested, said)
	}
	all += fmt.Sprint(told)
	status := outputOf(t, t.Context(), "status", file)
	if all += status; !strings.Contains(status, "complete") || !strings.Contains(status, "upload: 0 of ") ||
		!strings.Contains(status, "refuses the key") {
		t.Errorf("status says %s", status)
	}
	// of a shard those who look are elsewhere
	shard := filepath.Join(dir, "a-000.yaml")
	writeFile(t, shard, "shard: 0\ncount: 1\nof: a.yaml\ndir: .\nnode: two\n")
	_, said = ends(t, t.Context(), exitFailed, "harvest", "--quiet", shard)
	if _, last, _ := strings.Cut(strings.TrimSpace(said), "not uploaded: "); strings.Contains(last, "\n") ||
		!strings.Contains(last, "is whole at node two. To go on with the upload there: ") ||
		len(told) != 2 || told[1].Subject != "Harvest a-000 at node two: not uploaded" {
		t.Errorf("a shard that is not uploaded says %s, and told is %v", said, told)
	}
	all += said
	_, said = ends(t, t.Context(), exitFailed, "upload", file)
	all += said
	// a node that is started again goes on with it
	node, id := &shardNode{name: "two", folder: filepath.Dir(dir)}, cluster.ShardID{Harvest: "a"}
	goOn := func(want int, cause string) {
		t.Helper()
		before := node.lacks(id, harvest.Folder(node.shardFolder(id)))
		code, said := node.upload(t.Context(), id, &lastLine{to: io.Discard})
		if all += said; before == "" || code != want || !strings.Contains(said, cause) {
			t.Errorf("what was lacking: %q; then exit code %d, %s", before, code, said)
		}
	}
	goOn(exitFailed, "refuses the key")
	down = false
	goOn(exitOK, "")
	shards := harvest.Folder(node.shardFolder(id))
	after := node.lacks(id, shards)
	if done, err := uploaded(shards.Run(1)); after != "" || !done || err != nil {
		t.Errorf("of a shard there is lacking %q, uploaded %v: %v", after, done, err)
	}
	run := filepath.Join(dir, "harvests", "a", "run-0001")
	warcs, err := filepath.Glob(filepath.Join(run, "archive", "*.warc.gz"))
	if err != nil || len(warcs) != 1 {
		t.Fatal(warcs, err)
	}
	warc, err := os.ReadFile(warcs[0])
	if err != nil {
		t.Fatal(err)
	}
	kept := func(want bool) {
		t.Helper()
		if done, err := uploaded(harvest.Run(run)); done != want || err != nil {
			t.Errorf("its captures outlive the disk: %v, %v; want %v", done, err, want)
		}
	}
	kept(false)
	writeFile(t, file, strings.Replace(text, "upload:\n  {", "upload:\n  {what: [index], ", 1))
	busy = true // for a single request
	out, said := ends(t, t.Context(), exitOK, "upload", file)
	if all += out + said; !strings.Contains(said, "did not answer as it should") {
		t.Errorf("of a store that was busy it says %s", said)
	}
	kept(false)
	writeFile(t, file, text)
	all += outputOf(t, t.Context(), "upload", "--remove", file)
	kept(true)
	stored := store.Objects()
	if o := stored["web/a/run-0001/archive/"+filepath.Base(warcs[0])]; string(o.Bytes) != string(warc) {
		t.Errorf("of the WARC file %d bytes of %d are stored", len(o.Bytes), len(warc))
	}
	for _, name := range []string{
		"indexes/index.cdxj", "a-0001.wacz", "reports/report.json", "harvest.yaml",
	} {
		if _, found := stored["web/a/run-0001/"+name]; !found {
			t.Errorf("%s is not stored", name)
		}
	}
	for name := range stored {
		if strings.Contains(name, "/state") || strings.Contains(name, "/spool") ||
			strings.Contains(name, "upload.json") {
			t.Errorf("%s is stored", name)
		}
	}
	for _, gone := range []string{warcs[0], filepath.Join(run, "a-0001.wacz")} {
		if _, err := os.Stat(gone); err == nil {
			t.Errorf("%s is still here", gone)
		}
	}
	report := outputOf(t, t.Context(), "report", file)
	if all += report; !strings.Contains(report, "== upload") || !strings.Contains(report, "2 removed here") {
		t.Errorf("report says %s", report)
	}
	// the next run begins as ever, and is uploaded at once
	next, said := ends(t, t.Context(), exitOK, "harvest", "--json-log", file)
	if all += next + said; !strings.Contains(next, "uploaded  run-0002") ||
		len(store.Objects()) <= len(stored) {
		t.Errorf("the next run says %s%s", next, said)
	}
	// a limit that was reached is not hidden by the store
	down, body = true, body+`<a href="/b">b</a>`
	writeFile(t, file, "limits: {pages: 1}\n"+text)
	out, said = ends(t, t.Context(), exitPages, "harvest", "--json-log", file)
	if all += out + said; !strings.Contains(said, "not uploaded: ") {
		t.Errorf("of a store that refuses a run that reached its limit it says %s", said)
	}
	tellsNone(t, "what is said", []byte(all), []string{access, secret})
	err = filepath.WalkDir(filepath.Join(dir, "harvests"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		tellsNone(t, path, b, []string{access, secret})
		return err
	})
	if err != nil {
		t.Error(err)
	}
	for name, o := range store.Objects() {
		tellsNone(t, name, o.Bytes, []string{access, secret})
	}
}
