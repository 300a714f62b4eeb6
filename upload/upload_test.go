package upload

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"go.uber.org/goleak"

	"watershed/internal/disk"
	"watershed/lab/kit/bucket"
)

// Tests run against a small store in this process or, where WATERSHED_STORE has the address of a
// real one with the bucket "archive" and the keys below, against that, for example
//
//	ROOT_ACCESS_KEY=AKEXAMPLE ROOT_SECRET_KEY=s3cretOfTheStore versitygw --port 127.0.0.1:7070 posix DIR
const (
	accessKey = "AKEXAMPLE"
	secretKey = "s3cretOfTheStore"
)

// world is a store behind a gate that can fail.
type world struct {
	*testing.T
	store *bucket.Store // nil where it is a real one
	opt   Options
	dir   string
	gate  func(http.ResponseWriter, *http.Request) (handled bool)
	asked []string // methods and addresses
}

func start(t *testing.T) *world {
	leak := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, leak) })
	w := &world{T: t, dir: t.TempDir()}
	part := int64(64 << 10)
	var behind http.Handler
	if real := os.Getenv("WATERSHED_STORE"); real != "" {
		u, err := url.Parse(real)
		if err != nil {
			t.Fatal(err)
		}
		wires := &http.Transport{}
		t.Cleanup(wires.CloseIdleConnections)
		behind, part = &httputil.ReverseProxy{Transport: wires, Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(u)
			p.Out.Host = p.In.Host // it is signed
		}}, 5*mib
	} else {
		w.store = &bucket.Store{Bucket: "archive", AccessKey: accessKey}
		behind = w.store
	}
	front := httptest.NewServer(http.HandlerFunc(func(a http.ResponseWriter, r *http.Request) {
		w.asked = append(w.asked, r.Method+" "+r.URL.RequestURI())
		if w.gate == nil || !w.gate(a, r) {
			behind.ServeHTTP(a, r)
		}
	}))
	t.Cleanup(front.Close)
	w.opt = Options{
		Store: front.URL, Bucket: "archive", Prefix: "test-" + rand.Text(), AccessKey: accessKey,
		SecretKey: secretKey, Part: part, Attempts: 2, Pause: time.Millisecond, Timeout: 20 * time.Second,
	}
	return w
}

// files are those of the run's folder: of nothing, of a part, of three and a bit.
var files = []File{
	{"reports/empty.txt", Report},
	{"indexes/index.cdxj", Index},
	{"a.wacz", Package},
	{"archive/a b+ä.warc.gz", WARC},
}

func (w *world) write(name string, b []byte) {
	w.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, b, 0o666)); err != nil {
		w.Fatal(err)
	}
}

func noise(n int64) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // it never fails
	return b
}

// fill writes the files, and gives the WARC.
func (w *world) fill() []byte {
	w.Helper()
	warc := noise(3*w.opt.Part + 17)
	w.write("reports/empty.txt", nil)
	w.write("indexes/index.cdxj", []byte("an index\n"))
	w.write("a.wacz", noise(w.opt.Part))
	w.write(files[3].Path, warc)
	return warc
}

func (w *world) send(want error) *Record {
	w.Helper()
	r, err := Send(w.Context(), w.dir, files, w.opt)
	if !errors.Is(err, want) || want == nil && err != nil {
		w.Fatalf("the upload ends with %v, want %v", err, want)
	}
	return r
}

// object reads what the store has.
func (w *world) object(name string) []byte {
	w.Helper()
	s, err := open(w.opt.withDefaults())
	if err != nil {
		w.Fatal(err)
	}
	defer s.close()
	gate := w.gate
	w.gate = nil
	defer func() { w.gate = gate }()
	in, _, _, err := s.client.GetObject(w.Context(), "archive", w.opt.Prefix+"/"+name,
		minio.GetObjectOptions{})
	if err != nil {
		return nil
	}
	b, err := io.ReadAll(in)
	if err = errors.Join(err, in.Close()); err != nil {
		w.Fatal(err)
	}
	return b
}

// same compares the store with the folder.
func (w *world) same() {
	w.Helper()
	for _, f := range files {
		here, err := os.ReadFile(filepath.Join(w.dir, filepath.FromSlash(f.Path)))
		if err != nil {
			w.Fatal(err)
		}
		if there := w.object(f.Path); there == nil || !bytes.Equal(here, there) {
			w.Errorf("%s: %d bytes here, %d at the store", f.Path, len(here), len(there))
		}
	}
}

func (w *world) count(method, text string) (n int) {
	for _, a := range w.asked {
		if strings.HasPrefix(a, method+" ") && strings.Contains(a, text) {
			n++
		}
	}
	return n
}

// TestUploaded: all files arrive; a second upload sends nothing, and asks once for each file.
func TestUploaded(t *testing.T) {
	w := start(t)
	w.fill()
	r := w.send(nil)
	w.same()
	if s := r.Sum(); !s.Whole() || s.Files != 4 || s.Had != s.Bytes || s.Error != "" {
		t.Errorf("the record says %+v", s)
	}
	for name, e := range r.Files {
		if e.By != "checksum" {
			t.Errorf("%s was verified by %q", name, e.By)
		}
	}
	w.asked = nil
	if w.send(nil); len(w.asked) != 1+len(files) || w.count("HEAD", "") != len(files) {
		t.Errorf("the second upload asks %q", w.asked)
	}
	// without the record the store is compared, and nothing is sent
	if err := os.Remove(filepath.Join(w.dir, RecordName)); err != nil {
		t.Fatal(err)
	}
	if w.send(nil); w.count("PUT", "") > 0 {
		t.Errorf("without the record it sends %q", w.asked)
	}
}

// TestGoesOn: an upload that is interrupted in a part goes on with that part, whether its process
// was asked to end, the network fails, or the disk is full.
func TestGoesOn(t *testing.T) {
	for name, fail := range map[string]func(stop func(), a http.ResponseWriter) bool{
		"interrupted": func(stop func(), _ http.ResponseWriter) bool { stop(); return true },
		"network": func(_ func(), a http.ResponseWriter) bool {
			if c, _, err := a.(http.Hijacker).Hijack(); err == nil {
				_ = c.Close()
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t)
			w.fill()
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			w.gate = func(a http.ResponseWriter, r *http.Request) bool {
				return r.URL.Query().Get("partNumber") == "3" && fail(stop, a)
			}
			r, err := Send(ctx, w.dir, files, w.opt)
			if err == nil || r == nil || r.Sum().Done != 3 || r.Sum().Error == "" ||
				r.Sum().Had < 2*w.opt.Part {
				t.Fatalf("%v: %+v", err, r)
			}
			if said := strings.Contains(r.Sum().Error, "interrupted"); said != (name == "interrupted") {
				t.Errorf("it says %q", r.Sum().Error)
			}
			if w.object(files[3].Path) != nil {
				t.Error("the store has a part for the whole")
			}
			w.gate, w.asked = nil, nil
			w.send(nil)
			w.same()
			if n := w.count("PUT", ""); n != 2 {
				t.Errorf("%d parts are sent again, want 2: %q", n, w.asked)
			}
		})
	}
}

// TestGivenUp: where the store has meanwhile given up what was begun, or the file is another one,
// the upload begins anew.
func TestGivenUp(t *testing.T) {
	for _, changed := range []bool{false, true} {
		w := start(t)
		w.fill()
		w.gate = func(a http.ResponseWriter, r *http.Request) bool {
			if r.URL.Query().Get("partNumber") != "3" {
				return false
			}
			a.WriteHeader(http.StatusForbidden)
			return true
		}
		r, err := Send(t.Context(), w.dir, files, w.opt)
		if err == nil || !strings.Contains(err.Error(), "refuses the key") {
			t.Fatal(err)
		}
		w.gate = nil
		if changed {
			w.write(files[3].Path, noise(3*w.opt.Part))
		} else {
			s, err := open(w.opt.withDefaults())
			if err != nil {
				t.Fatal(err)
			}
			m := r.Files[files[3].Path].Multipart
			if err := s.abort(t.Context(), w.opt.Prefix+"/"+files[3].Path, m.ID); err != nil {
				t.Fatal(err)
			}
			s.close()
		}
		w.send(nil)
		w.same()
	}
}

// TestShownLate: some stores show what was put, or what has taken the place of another object, a while later.
func TestShownLate(t *testing.T) {
	w := start(t)
	w.fill()
	put, former := map[string]bool{}, ""
	w.gate = func(a http.ResponseWriter, r *http.Request) bool {
		late := r.Method == http.MethodHead && put[r.URL.Path]
		put[r.URL.Path] = r.Method == http.MethodPut || r.Method == http.MethodPost
		if late && former == "" {
			a.WriteHeader(http.StatusNotFound)
		} else if late {
			a.Header().Set("X-Amz-Meta-"+sumField, former)
			a.Header().Set("Last-Modified", "Mon, 30 Nov 2026 12:00:00 GMT")
		}
		return late
	}
	former = w.send(nil).Files[files[0].Path].SHA256
	w.same()
	w.write(files[0].Path, []byte("a report"))
	w.send(nil)
	w.same()
}

// TestSumless: a store that tells no checksums is read back, and one that spoils what it gets is
// found out.
func TestSumless(t *testing.T) {
	w := start(t)
	if w.store == nil {
		t.Skip("a real store tells checksums")
	}
	w.fill()
	w.store.Sumless = true
	for name, e := range w.send(nil).Files {
		if e.By != "reading" {
			t.Errorf("%s was verified by %q", name, e.By)
		}
	}
	w.same()
	w = start(t)
	w.fill()
	w.store.Sumless = true
	w.store.Spoil = func(b []byte) {
		if len(b) > 0 {
			b[len(b)/2]++
		}
	}
	r, err := Send(t.Context(), w.dir, files, w.opt)
	if err == nil || !strings.Contains(err.Error(), "does not hold it now") || r.Sum().Done != 1 {
		t.Errorf("spoilt files end with %v, %+v", err, r.Sum())
	}
}

// TestUntouchable: what the store has is overwritten only by what holds it: a WARC file by one that
// begins with it, an index once the former has another name, and nothing of anybody else's at all.
func TestUntouchable(t *testing.T) {
	w := start(t)
	warc := w.fill()
	w.send(nil)
	grown := append(bytes.Clone(warc), noise(100)...)
	w.write(files[3].Path, grown)
	w.write("indexes/index.cdxj", []byte("another index\n"))
	w.write("reports/empty.txt", []byte("not empty"))
	w.send(nil)
	w.same()
	s, err := open(w.opt.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	kept := 0
	for o := range s.client.Client.ListObjects(t.Context(), "archive",
		minio.ListObjectsOptions{Prefix: w.opt.Prefix + "/indexes/index.before-", Recursive: true}) {
		if w.store != nil {
			break // the double lists nothing
		}
		if o.Err != nil || o.Size != int64(len("an index\n")) {
			t.Errorf("kept %+v", o)
		}
		kept++
	}
	if w.store != nil {
		for name, o := range w.store.Objects() {
			if strings.Contains(name, "index.before-") && string(o.Bytes) == "an index\n" {
				kept++
			}
		}
	}
	if kept != 1 {
		t.Errorf("%d former indexes are kept", kept)
	}
	for _, damaged := range [][]byte{
		grown[:len(grown)-1], append([]byte("x"), grown[1:]...), append([]byte("y"), grown...),
	} {
		w.write(files[3].Path, damaged)
		w.write("reports/empty.txt", damaged[:10]) // goes on with others
		w.send(errDiffers)
		if !bytes.Equal(w.object(files[3].Path), grown) ||
			!bytes.Equal(w.object("reports/empty.txt"), damaged[:10]) {
			t.Error("the good copy was overwritten, or the report not uploaded")
		}
	}
	other := start(t)
	other.fill()
	other.opt.Store, other.opt.Prefix = w.opt.Store, w.opt.Prefix
	if _, err := Send(t.Context(), other.dir, files, other.opt); !errors.Is(err, errTaken) {
		t.Errorf("another's objects end with %v", err)
	}
	if !bytes.Equal(w.object(files[3].Path), grown) {
		t.Error("another's object was overwritten")
	}
	other.write("archive/new.warc.gz", []byte("a capture"))
	more := append([]File{{Path: "archive/new.warc.gz", Kind: WARC}}, files...)
	if _, err := Send(t.Context(), other.dir, more, other.opt); !errors.Is(err, errTaken) ||
		w.object("archive/new.warc.gz") != nil {
		t.Errorf("beside another's objects lies a file of this one; %v", err)
	}
}

// TestChanges: a file that changes while it is sent is told, and no torn one is called uploaded.
func TestChanges(t *testing.T) {
	w := start(t)
	w.fill()
	once := false
	w.gate = func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("partNumber") == "1" && !once {
			once = true
			w.write(files[3].Path, noise(3*w.opt.Part+17))
		}
		return false
	}
	w.send(errChanged)
	if w.object(files[3].Path) != nil {
		t.Error("the store has a torn file")
	}
	w.send(nil)
	w.same()
}

// TestRefusals: each refusal says what to do, and nothing of the keys.
func TestRefusals(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("a redirect was followed: %s %v", r.URL, r.Header)
	}))
	t.Cleanup(elsewhere.Close)
	answer := func(status int, text string) func(http.ResponseWriter, *http.Request) bool {
		return func(a http.ResponseWriter, _ *http.Request) bool {
			a.Header().Set("Location", elsewhere.URL+"/archive/")
			a.WriteHeader(status)
			_, _ = io.WriteString(a, text) // the client may have gone
			return true
		}
	}
	for _, x := range []struct {
		name  string
		set   func(*world)
		want  string
		asked int // at most
	}{
		{"bucket", func(w *world) { w.opt.Bucket = "nobucket" }, `no bucket "nobucket"`, 1},
		{"key", func(w *world) { w.opt.AccessKey = "AKOTHER" }, "refuses the key", 1},
		{"repeats", func(w *world) {
			w.gate = answer(403, "<Error><Code>X</Code><Message>not "+accessKey+" nor "+secretKey+
				"</Message></Error>")
		}, "not redacted nor redacted", 1},
		{"word", func(w *world) { // a key that is part of our own words
			w.opt.AccessKey, w.opt.Store = "ann", "http://127.0.0.1:1"
		}, "cannot be reached", 0},
		{"redirect", func(w *world) { w.gate = answer(307, "") }, "not followed", 1},
		{"clock", func(w *world) {
			w.gate = answer(403, "<Error><Code>RequestTimeTooSkewed</Code><Message>m</Message></Error>")
		}, "clock", 1},
		{"down", func(w *world) { w.gate = answer(503, "") }, "answers 503", 2},
		{"full", func(w *world) {
			w.gate = func(a http.ResponseWriter, r *http.Request) bool {
				return r.Method == "PUT" &&
					answer(507, "<Error><Code>Full</Code><Message>quota</Message></Error>")(a, r)
			}
		}, "no room (Full quota): make room there", 5},
		{"region", func(w *world) {
			w.gate = answer(400, "<Error><Code>AuthorizationHeaderMalformed</Code></Error>")
		}, "see upload.store and upload.region", 1},
		{"portal", func(w *world) { w.gate = answer(200, "<html>Welcome") }, "is no store that speaks S3", 2},
		{"page", func(w *world) { w.gate = answer(200, "<html></html>") }, "is no store that speaks S3", 2},
		{"nobody", func(w *world) { w.opt.Store = "http://127.0.0.1:1" }, "cannot be reached", 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := start(t)
			w.fill()
			x.set(w)
			r, err := Send(t.Context(), w.dir, files, w.opt)
			if err == nil || !strings.Contains(err.Error(), x.want) || len(w.asked) > x.asked {
				t.Fatalf("after %q: %v", w.asked, err)
			}
			text, e := os.ReadFile(filepath.Join(w.dir, RecordName))
			all := err.Error() + r.Sum().String() + string(text)
			if e != nil || !strings.Contains(all, x.want) ||
				strings.Contains(all, accessKey) || strings.Contains(all, secretKey) {
				t.Errorf("%v: it says %s", e, all)
			}
			if x.name == "down" { // for a time
				n := 0
				w.gate = func(a http.ResponseWriter, r *http.Request) bool {
					n++
					return n%2 == 1 && answer(503, "")(a, r)
				}
				w.send(nil)
				w.same()
			}
		})
	}
}

// TestRemoved: a local file is removed only where the store holds its bytes at that time.
func TestRemoved(t *testing.T) {
	w := start(t)
	warc := w.fill()
	if n, err := Remove(t.Context(), w.dir, files, w.opt); n != 0 || !errors.Is(err, errNotWhole) {
		t.Fatalf("before the upload %d files are removed: %v", n, err)
	}
	w.send(nil)
	path := filepath.Join(w.dir, filepath.FromSlash(files[3].Path))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	// damaged without a trace in size and date
	w.write(files[3].Path, append([]byte{warc[0] + 1}, warc[1:]...))
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	n, err := Remove(t.Context(), w.dir, files, w.opt)
	if n != 1 || !errors.Is(err, errDiffers) {
		t.Errorf("of a damaged file: %d, %v", n, err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error("the damaged file was removed")
	}
	w.write(files[3].Path, warc)
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	rest := files[:2:2]
	rest = append(rest, files[3])
	if n, err = Remove(t.Context(), w.dir, rest, w.opt); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if _, err := os.Stat(path); err == nil || !bytes.Equal(w.object(files[3].Path), warc) {
		t.Error("it was not removed here, or the store lost it")
	}
	r, err := Send(t.Context(), w.dir, files[:2], w.opt)
	if err != nil || !r.Sum().Whole() || r.Sum().Removed != 2 {
		t.Errorf("afterwards %v: %+v", err, r.Sum())
	}
	w.opt.Prefix += "-other"
	if _, err := Send(t.Context(), w.dir, files[:2], w.opt); err == nil ||
		!strings.Contains(err.Error(), "2 files were removed here") {
		t.Errorf("to another place: %v", err)
	}
}

// TestVanished: a file stays here where the store has lost it since, and is then uploaded again.
func TestVanished(t *testing.T) {
	w := start(t)
	if w.store == nil {
		t.Skip("the double alone loses objects")
	}
	warc := w.fill()
	w.send(nil)
	w.store.Put(w.opt.Prefix+"/"+files[3].Path, nil)
	if n, err := Remove(t.Context(), w.dir, files, w.opt); n != 1 || err == nil ||
		!strings.Contains(err.Error(), "no longer has it") {
		t.Errorf("%d files are removed, %v", n, err)
	}
	rest := append(files[:2:2], files[3])
	r, err := Send(t.Context(), w.dir, rest, w.opt)
	if err != nil || !r.Sum().Whole() || w.object(files[3].Path) == nil {
		t.Errorf("%v: %+v", err, r.Sum())
	}
	// a file that is still here
	w.store.Put(w.opt.Prefix+"/"+files[3].Path, nil)
	r, err = Send(t.Context(), w.dir, rest, w.opt)
	if err != nil || !r.Sum().Whole() || w.object(files[3].Path) == nil {
		t.Errorf("of a file that the store has lost: %v: %+v", err, r.Sum())
	}
	// one that the store has damaged
	w.store.Cut(w.opt.Prefix+"/"+files[3].Path, 1)
	r, err = Send(t.Context(), w.dir, rest, w.opt)
	if err != nil || !r.Sum().Whole() || !bytes.Equal(w.object(files[3].Path), warc) {
		t.Errorf("of a file that the store has damaged: %v: %+v", err, r.Sum())
	}
	// the package, which was removed here
	w.store.Put(w.opt.Prefix+"/a.wacz", nil)
	for range 2 {
		r, err = Send(t.Context(), w.dir, rest, w.opt)
		if !errors.Is(err, errLost) || !strings.Contains(err.Error(), "a.wacz") ||
			r.Sum().Done != r.Sum().Files-1 {
			t.Errorf("of a file that is nowhere: %v: %+v", err, r.Sum())
		}
	}
}

// TestAlone: a second process on the same folder is refused, and a damaged record is told.
func TestAlone(t *testing.T) {
	w := start(t)
	w.fill()
	err := withSender(w.dir, files, w.opt, func(*sender) error {
		_, err := Send(t.Context(), w.dir, files, w.opt)
		return err
	})
	if !errors.Is(err, disk.ErrLocked) {
		t.Errorf("a second one: %v", err)
	}
	w.write(RecordName, []byte(`{"files":`))
	if _, err := Send(t.Context(), w.dir, files, w.opt); err == nil ||
		!strings.Contains(err.Error(), "move it away") {
		t.Errorf("a damaged record: %v", err)
	}
	w.write(RecordName, []byte(`{"files": {"a.wacz": null}}`))
	if _, err := Send(t.Context(), w.dir, files, w.opt); err != nil {
		t.Error(err)
	}
}

// TestAbsent: a WARC file that is wanted and is not here is told, also where an upload of it had begun,
// and the parts of a file that is no longer wanted are taken from the store.
func TestAbsent(t *testing.T) {
	w := start(t)
	warc := w.fill()
	w.gate = func(a http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("partNumber") != "2" {
			return false
		}
		a.WriteHeader(http.StatusForbidden)
		return true
	}
	r, err := Send(t.Context(), w.dir, files, w.opt)
	if err == nil || r.Files[files[3].Path].Multipart == nil {
		t.Fatalf("an upload that breaks off: %v", err)
	}
	w.gate = nil
	path := filepath.Join(w.dir, filepath.FromSlash(files[3].Path))
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if r := w.send(errAbsent); r.Sum().Whole() || r.Sum().Files != 4 {
		t.Errorf("without the WARC file: %+v", r.Sum())
	}
	w.write(files[3].Path, warc)
	if r := w.send(nil); !r.Sum().Whole() || w.count(http.MethodPut, "partNumber=1&") != 1 {
		t.Errorf("brought back: %+v, asked %q", r.Sum(), w.asked)
	}
	if err := os.Remove(path); err != nil { // by hand
		t.Fatal(err)
	}
	if r := w.send(nil); !r.Sum().Whole() {
		t.Errorf("the store has it: %+v", r.Sum())
	}
	if n, err := Remove(t.Context(), w.dir, files, w.opt); n != 1 || err != nil {
		t.Errorf("removed: %d, %v", n, err)
	}
	if w.store != nil {
		w.store.Put(w.opt.Prefix+"/"+files[3].Path, nil)
		w.send(errAbsent)
	}
}

// TestAborted: the parts of a file that is no longer handed over do not stay at the store.
func TestAborted(t *testing.T) {
	w := start(t)
	w.fill()
	w.gate = func(a http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("partNumber") != "2" {
			return false
		}
		a.WriteHeader(http.StatusForbidden)
		return true
	}
	if _, err := Send(t.Context(), w.dir, files, w.opt); err == nil {
		t.Fatal("the store took what it refuses")
	}
	w.gate = nil
	r, err := Send(t.Context(), w.dir, files[:3], w.opt)
	if err != nil || r.Sum().Files != 3 || w.count(http.MethodDelete, "uploadId=") != 1 {
		t.Errorf("%v: %+v, asked %q", err, r.Sum(), w.asked)
	}
}
