// Package bucket is a store of one bucket that speaks as much of Amazon's S3 as package upload
// asks of it. It believes the access key without a signature.
package bucket

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Object is what is stored under a name.
type Object struct {
	Bytes    []byte
	Checksum string // as S3 tells it; "" tells none
	meta     http.Header
}

// Store is the store. Its fields are set before it serves; its methods are safe for concurrent use.
type Store struct {
	Bucket, AccessKey string
	Sumless           bool         // it keeps and compares no checksums
	Spoil             func([]byte) // changes what arrives

	mu      sync.Mutex // guards what follows
	objects map[string]Object
	begun   map[string]map[int]Object // by the numbers of parts
	metas   map[string]http.Header    // of what was begun
}

// Objects are those that are stored, by their names.
func (s *Store) Objects() map[string]Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.objects)
}

// Put stores an object that nobody uploaded; nil takes away what is there.
func (s *Store) Put(key string, b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b == nil {
		delete(s.objects, key)
		return
	}
	s.keep(key, s.object(b, nil))
}

// Cut takes the last bytes of an object and goes on to tell of it what it told before, as a store
// does whose disk has lost them.
func (s *Store) Cut(key string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.objects[key]
	o.Bytes = o.Bytes[:len(o.Bytes)-n]
	s.objects[key] = o
}

func (s *Store) keep(key string, o Object) {
	if s.objects == nil {
		s.objects = map[string]Object{}
	}
	s.objects[key] = o
}

func (s *Store) object(b []byte, meta http.Header) Object {
	o := Object{Bytes: b, meta: meta}
	if sum := sha256.Sum256(b); !s.Sumless {
		o.Checksum = base64.StdEncoding.EncodeToString(sum[:])
	}
	return o
}

func (o Object) etag() string {
	sum := md5.Sum(o.Bytes)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func refuse(w http.ResponseWriter, status int, code, message string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, message)
}

const (
	sumField  = "X-Amz-Checksum-Sha256"
	copyField = "X-Amz-Copy-Source"
)

// ServeHTTP answers a request.
func (s *Store) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // who asked has gone
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	q := r.URL.Query()
	id := q.Get("uploadId")
	sum := sha256.Sum256(body)
	said := r.Header.Get(sumField)
	switch key, _, _ := strings.Cut(r.Header.Get("Authorization"), "/"); {
	case !strings.HasSuffix(key, "Credential="+s.AccessKey):
		refuse(w, http.StatusForbidden, "InvalidAccessKeyId", "no such key: "+key)
		return
	case bucket != s.Bucket:
		refuse(w, http.StatusNotFound, "NoSuchBucket", "there is none")
		return
	case said != "" && said != base64.StdEncoding.EncodeToString(sum[:]) && !s.Sumless:
		refuse(w, http.StatusBadRequest, "BadDigest", "another checksum arrived")
		return
	case id != "" && s.begun[id] == nil:
		refuse(w, http.StatusNotFound, "NoSuchUpload", "it was given up")
		return
	}
	if s.Spoil != nil && r.Method == http.MethodPut {
		s.Spoil(body)
	}
	switch {
	case r.Method == http.MethodPost && q.Has("uploads"):
		s.begin(w, r, key)
	case r.Method == http.MethodPost && id != "":
		s.complete(w, key, id)
	case r.Method == http.MethodPut && id != "":
		n, _ := strconv.Atoi(q.Get("partNumber")) // a client's number
		o := s.object(body, nil)
		s.begun[id][n] = o
		w.Header().Set("ETag", o.etag())
	case r.Method == http.MethodGet && id != "":
		s.list(w, id)
	case r.Method == http.MethodDelete && id != "":
		delete(s.begun, id)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == http.MethodGet && q.Has("uploads"):
		fmt.Fprint(w, "<ListMultipartUploadsResult></ListMultipartUploadsResult>")
	case r.Method == http.MethodPut:
		s.put(w, r, key, body)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		s.get(w, r, key)
	default:
		refuse(w, http.StatusNotImplemented, "NotImplemented", r.Method)
	}
}

func (s *Store) put(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	o := s.object(body, r.Header)
	if from := r.Header.Get(copyField); from != "" {
		name, _ := url.PathUnescape(strings.TrimPrefix(from, "/")) // the client wrote it
		o = s.objects[strings.TrimPrefix(name, s.Bucket+"/")]
		fmt.Fprintf(w, "<CopyObjectResult><ETag>%s</ETag></CopyObjectResult>", o.etag())
	}
	s.keep(key, o)
	w.Header().Set("ETag", o.etag())
}

func (s *Store) get(w http.ResponseWriter, r *http.Request, key string) {
	o, found := s.objects[key]
	if !found {
		refuse(w, http.StatusNotFound, "NoSuchKey", "there is none")
		return
	}
	for k, v := range o.meta {
		if strings.HasPrefix(k, "X-Amz-Meta-") {
			w.Header()[k] = v
		}
	}
	if o.Checksum != "" {
		w.Header().Set(sumField, o.Checksum)
	}
	w.Header().Set("ETag", o.etag())
	http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(o.Bytes))
}

func (s *Store) begin(w http.ResponseWriter, r *http.Request, key string) {
	if s.begun == nil {
		s.begun, s.metas = map[string]map[int]Object{}, map[string]http.Header{}
	}
	id := fmt.Sprintf("%d-%s", len(s.metas), hex.EncodeToString([]byte(key)))
	s.begun[id], s.metas[id] = map[int]Object{}, r.Header
	fmt.Fprintf(w, "<InitiateMultipartUploadResult><UploadId>%s</UploadId>"+
		"</InitiateMultipartUploadResult>", id)
}

func (s *Store) list(w http.ResponseWriter, id string) {
	fmt.Fprint(w, "<ListPartsResult>")
	for _, n := range slices.Sorted(maps.Keys(s.begun[id])) {
		o := s.begun[id][n]
		fmt.Fprintf(w, "<Part><PartNumber>%d</PartNumber><Size>%d</Size><ETag>", n, len(o.Bytes))
		_ = xml.EscapeText(w, []byte(o.etag())) // as the other writes, to a client of the test
		fmt.Fprint(w, "</ETag></Part>")
	}
	fmt.Fprint(w, "</ListPartsResult>")
}

func (s *Store) complete(w http.ResponseWriter, key, id string) {
	all, sums := Object{meta: s.metas[id]}, sha256.New()
	for _, n := range slices.Sorted(maps.Keys(s.begun[id])) {
		o := s.begun[id][n]
		sum := sha256.Sum256(o.Bytes)
		sums.Write(sum[:])
		all.Bytes = append(all.Bytes, o.Bytes...)
	}
	if !s.Sumless {
		sum := base64.StdEncoding.EncodeToString(sums.Sum(nil))
		all.Checksum = fmt.Sprintf("%s-%d", sum, len(s.begun[id]))
	}
	s.keep(key, all)
	delete(s.begun, id)
	fmt.Fprintf(w, "<CompleteMultipartUploadResult><Bucket>%s</Bucket><Key>k</Key><ETag>e</ETag>"+
		"</CompleteMultipartUploadResult>", s.Bucket)
}
