package archive

import (
	"archive/zip"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// keyFile writes a key on a curve, in PKCS 8 or as SEC 1 has it.
func keyFile(t *testing.T, curve elliptic.Curve, pkcs8 bool) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	kind, text, err := "EC PRIVATE KEY", []byte(nil), error(nil)
	if text, err = x509.MarshalECPrivateKey(key); pkcs8 {
		kind = "PRIVATE KEY"
		text, err = x509.MarshalPKCS8PrivateKey(key)
	}
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "key.pem")
	parameters := pem.EncodeToMemory(&pem.Block{
		Type:  "EC PARAMETERS",
		Bytes: []byte("as openssl writes them"),
	})
	text = append(parameters, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: text})...)
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestSignature: a package is signed by its key, whatever form that has, and one that was changed
// is told, also where all hashes were made to agree again.
func TestSignature(t *testing.T) {
	for _, pkcs8 := range []bool{false, true} {
		key, err := ReadKey(keyFile(t, elliptic.P384(), pkcs8))
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(t.TempDir(), "a.wacz")
		index := filepath.Join(t.TempDir(), "index.cdxj")
		if err := os.WriteFile(index, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		pages := func(func(PackagePage, error) bool) {}
		err = WriteWACZ(nil, name, Package{
			Title: "A", Created: time.Unix(1e9, 0), Index: index,
			Pages: pages, Key: key,
		})
		if err != nil {
			t.Fatal(err)
		}
		if bad := verified(t, name); len(bad) > 0 {
			t.Error(bad)
		}
		other, err := ReadKey(keyFile(t, elliptic.P384(), pkcs8))
		if err != nil {
			t.Fatal(err)
		}
		forged, err := sign(other, "sha256:00", "watershed", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		for what, change := range map[string]func(text string) string{
			"a byte of the signature": func(text string) string {
				before, after, _ := strings.Cut(text, `"signature": "`)
				return before + `"signature": "` + strings.Map(flip, after[:1]) + after[1:]
			},
			"another key": func(text string) string {
				before, _, _ := strings.Cut(text, `"publicKey": "`)
				return before + `"publicKey": "` + forged.PublicKey + "\"\n  }\n}"
			},
			"the list and its hash": func(text string) string {
				return strings.ReplaceAll(text, `"sha256:`, `"sha256:0`)
			},
		} {
			if bad := verified(t, changed(t, name, change)); len(bad) == 0 {
				t.Errorf("%s was changed, and nobody saw it", what)
			}
		}
	}
}

func flip(r rune) rune { return r ^ 3 }

func verified(t *testing.T, name string) []error {
	t.Helper()
	w, err := OpenWACZ(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if s, err := w.Signature(); err != nil || s == nil || s.PublicKey == "" ||
		s.Created != "2001-09-09T01:46:40Z" {
		return []error{err, errors.New("no signature")}
	}
	return w.Verify()
}

// changed copies a package with another datapackage-digest.json.
func changed(t *testing.T, name string, change func(text string) string) string {
	t.Helper()
	from, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	var out bytes.Buffer
	to := zip.NewWriter(&out)
	for _, f := range from.File {
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		w, err := to.CreateHeader(&zip.FileHeader{Name: f.Name, Method: f.Method})
		if err != nil {
			t.Fatal(err)
		}
		if f.Name == "datapackage-digest.json" {
			text = []byte(change(string(text)))
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	name = filepath.Join(t.TempDir(), "b.wacz")
	if err := errors.Join(to.Close(), os.WriteFile(name, out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestKeysThatCannotSign(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		keyFile(t, elliptic.P256(), false),
		keyFile(t, elliptic.P521(), true), empty,
	} {
		if _, err := ReadKey(name); !errors.Is(err, errKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadKey(empty + ".not"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
