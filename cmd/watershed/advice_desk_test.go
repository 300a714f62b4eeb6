package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"html"
	"math/big"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"
)

// desk has a shell serve a desk by a line, as somebody types it.
func (x *trial) desk(line string) *folderDesk {
	x.Helper()
	cmd := exec.CommandContext(x.Context(), "sh", "-c", "exec "+line)
	cmd.Dir, cmd.Env = x.dir, x.environ()
	return startDesk(x.T, cmd)
}

// page wants a status of an answer of the desk, which is what was said last.
func (x *trial) page(want, answer string) {
	x.Helper()
	if x.said = html.UnescapeString(answer); !strings.HasPrefix(answer, want+" ") {
		x.Fatalf("want status %s: %s", want, answer)
	}
}

// deskAdvised starts the desk as a page that it refused says, and wants the page to be served.
func deskAdvised(x *trial) {
	// A desk that begins harvests, of machines of its own network.
	d := x.desk("watershed ui harvests")
	d.form = formOf(d.page)
	address := "http://127.0.0.1" + x.port + "/"
	write := []string{"do", "write", "pasted", address, "name", "mine", "contact", "a@library.example"}
	x.said = html.UnescapeString(d.post("/new", write...))
	flag := x.told(`is a machine of your own network, which is not fetched from unasked: start the ` +
		`desk with (--allow-private [0-9.]+/[0-9]+)`)[0]
	look := []string{"do", "look", "yaml", "harvest: mine\narchive: {dir: .}\noperator: {name: A, contact: " +
		"\"mailto:a@b.example\"}\nnetwork: {allow_private: [127.0.0.1/32]}\nsites: [{name: a, seeds: [\"" +
		address + "\"]}]\n"}
	check := append([]string{"do", "check"}, look[2:]...)
	x.said = html.UnescapeString(d.post("/new", check...))
	second := x.told(`start the desk with (--allow-private [0-9.]+/[0-9]+)`)[0]
	d.kill()
	d = x.desk("watershed ui " + flag + " " + second + " harvests")
	d.form = formOf(d.page)
	x.page("200", d.post("/new", write...))
	if !strings.Contains(x.said, "In order: 1 site, 1 seed.") {
		x.Error(x.said)
	}
	x.told("# Every option: (watershed config example reference)")
	x.page("200", d.post("/new", check...))
	if !strings.Contains(x.said, "In order: 1 site, 1 seed.") {
		x.Error(x.said)
	}
	d.kill()

	// A desk that shows one.
	d = x.desk("watershed ui '" + trialYAML + "'")
	x.page("404", d.get(d.root+"/new"))
	folder := x.told("begins none. Start it with a folder of them: (watershed ui FOLDER)")[0]
	x.page("404", d.get(d.root+"/harvests/site/quality"))
	command := x.told("The harvest has not been started yet: (watershed harvest) starts it")[0]
	x.follow(0, command+" -q '"+trialYAML+"'")
	x.page("200", d.get(d.root+"/harvests/site/quality"))
	x.page("400", d.get(d.root+"/harvests/site/quality?pages=1000"))
	x.follow(0, x.told("pages is a number from 1 to [0-9]+; (watershed quality) checks more")[0]+
		" --pages 1000 FILE")
	other := func() string {
		r, err := http.NewRequestWithContext(x.Context(), http.MethodGet,
			d.root+"/harvests/site/quality", nil)
		if err != nil {
			x.Fatal(err)
		}
		r.Host = "desk.a.example"
		return d.text(d.http.Do(r))
	}
	x.page("421", other())
	name := x.told(`This is not a name of this desk. Ask it by its address, or start it with (--name)`)[0]
	x.page("200", d.get(d.root+"/harvests/site/quality"))
	d.kill()
	d = x.desk("watershed ui " + name + " desk.a.example '" + trialYAML + "'")
	x.page("200", other())
	d.kill()
	d = x.desk(strings.Replace(folder, "FOLDER", "harvests", 1))
	x.page("200", d.get(d.root+"/new"))
	d.kill()

	// A desk for other machines.
	x.certificate()
	open := "watershed ui --listen 0.0.0.0:0 --token-file token '" + trialYAML + "'"
	x.run(exitUsage, open)
	got := x.told(`speaks TLS: give (--certificate) and (--key); or put a proxy before it, and give the ` +
		`address of the replay there as (--replay-url) (https://)`)
	for _, flags := range []string{
		got[0] + " cert.pem " + got[1] + " key.pem", got[2] + " " + got[3] + "replay.a.example/",
	} {
		d = x.desk(strings.Replace(open, "ui ", "ui "+flags+" ", 1))
		x.page("200", d.get(d.root+"/harvests/site/quality"))
		d.kill()
	}
}

// certificate makes cert.pem, key.pem and token.
func (x *trial) certificate() {
	x.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		x.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, about, about, public, private)
	if err != nil {
		x.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		x.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"cert.pem": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		"key.pem":  pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
		"token":    []byte("correct horse battery"),
	} {
		if err := os.WriteFile(x.path(name), text, 0o600); err != nil {
			x.Fatal(err)
		}
	}
}
