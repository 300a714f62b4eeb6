package upload

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// checksumField is the field of a request in which the store is told the SHA-256 of the body, and
// refuses another one.
const checksumField = "X-Amz-Checksum-Sha256"

// Each object says of itself the SHA-256 of its bytes, and the record by which it was put.
const (
	sumField  = "Watershed-Sha256"
	markField = "Watershed-Record"
)

// store is a bucket of an S3 store.
type store struct {
	client minio.Core
	wires  *http.Transport
	opt    Options
}

func open(o Options) (*store, error) {
	u, err := url.Parse(o.Store)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%q is no address of a store", o.Store)
	}
	secure := u.Scheme == "https"
	wires, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	c, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(o.AccessKey, o.SecretKey, ""), Secure: secure,
		Region: cmp.Or(o.Region, "us-east-1"), Transport: wires, MaxRetries: 1, // insist repeats
	})
	if err != nil {
		return nil, fmt.Errorf("the store %s: %w", o.Store, err)
	}
	return &store{client: minio.Core{Client: c}, wires: wires, opt: o}, nil
}

func (s *store) close() { s.wires.CloseIdleConnections() }

// insist makes a request until it succeeds, is refused for good, or has failed too often. size is
// that of the body.
func (s *store) insist(ctx context.Context, size int64, ask func(context.Context) error) (err error) {
	pause := s.opt.Pause
	for i := range s.opt.Attempts {
		if i > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(pause):
			}
			pause *= 2
		}
		attempt, stop := context.WithTimeout(ctx, s.opt.Timeout+time.Duration(size/slowest)*time.Second)
		err = ask(attempt)
		stop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil || final(err) {
			return s.told(err)
		}
		s.opt.Log.Warn("the store did not answer as it should", "attempt", i+1, "of", s.opt.Attempts,
			"cause", s.told(err))
	}
	return s.told(err)
}

// final reports an answer that asking again does not change.
func final(err error) bool {
	e, answered := answer(err)
	switch {
	case !answered, e.Code == "RequestTimeout", e.Code == "SlowDown":
		return false
	case e.StatusCode == http.StatusRequestTimeout, e.StatusCode == http.StatusTooManyRequests:
		return false
	}
	return e.StatusCode < http.StatusInternalServerError
}

// answer is the store's own error.
func answer(err error) (e minio.ErrorResponse, ok bool) {
	ok = errors.As(err, &e)
	return e, ok
}

// gone reports that the store does not know what was asked for.
func gone(err error) bool {
	e, ok := answer(err)
	return ok && e.StatusCode == http.StatusNotFound && e.Code != "NoSuchBucket"
}

// failure is an error whose text has no key.
type failure struct {
	text  string
	cause error
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.cause }

// told says in plain words what the store or the network said, whatever they repeat without the
// keys.
func (s *store) told(err error) error {
	if err == nil {
		return nil
	}
	text := ""
	e, answered := answer(err)
	says := e.Message // which has no code of its own where the store sent none
	if e.Code != e.Message {
		says = strings.TrimSpace(e.Code + " " + e.Message)
	}
	says = s.masked(says)
	switch noXML := (*xml.SyntaxError)(nil); {
	case errors.Is(err, errUnheld):
		text = err.Error()
	case answered && e.StatusCode == 0, errors.As(err, &noXML): // so says this machine's client
		text = fmt.Sprintf("what answers at %s is no store that speaks S3 (%s): see upload.store",
			s.opt.Store, cmp.Or(says, fmt.Sprint(noXML)))
	case !answered:
		var u *url.Error
		text = err.Error()
		if errors.As(err, &u) {
			text = u.Err.Error()
		}
		if errors.Is(err, context.DeadlineExceeded) {
			text = "it has not answered in time"
		}
		text = fmt.Sprintf("the store %s cannot be reached: %s", s.opt.Store, s.masked(text))
	case e.Code == "NoSuchBucket":
		text = fmt.Sprintf("the store %s has no bucket %q: create it, or mend upload.bucket", s.opt.Store,
			s.opt.Bucket)
	case e.Code == "RequestTimeTooSkewed":
		text = fmt.Sprintf("the store's clock and that of this machine differ (%s)", says)
	case e.StatusCode == http.StatusForbidden, e.StatusCode == http.StatusUnauthorized,
		e.Code == "XAdminUserNotFound": // versitygw, with 404
		text = fmt.Sprintf("the store refuses the key (%s): see upload.access_key and upload.secret_key, "+
			"and what that key may do in bucket %s", says, s.opt.Bucket)
	case e.StatusCode/100 == 3, e.Code == "AuthorizationHeaderMalformed": // by its region
		text = fmt.Sprintf("the store is asked at the wrong place, and a redirect is not followed (%s): see "+
			"upload.store and upload.region", says)
	case e.StatusCode == http.StatusInsufficientStorage:
		text = fmt.Sprintf("the store has no room (%s): make room there", says)
	default:
		text = fmt.Sprintf("the store answers %d: %s", e.StatusCode, says)
	}
	return &failure{text, err}
}

// masked is what others say without the keys.
func (s *store) masked(text string) string {
	for _, key := range []string{s.opt.SecretKey, s.opt.AccessKey} {
		if key != "" {
			text = strings.ReplaceAll(text, key, "redacted")
		}
	}
	return text
}

// greetTime bounds the first request, which is small: whoever uploads holds a place in a cluster, and a
// store that says nothing would keep it for the time of five large answers.
const greetTime = 30 * time.Second

// greet finds out whether bucket and key are right: a listing is answered with the cause, which the
// head of an object is not.
func (s *store) greet(ctx context.Context) error {
	return s.insist(ctx, 0, func(ctx context.Context) error {
		ctx, stop := context.WithTimeout(ctx, greetTime)
		defer stop()
		_, err := s.client.ListMultipartUploads(ctx, s.opt.Bucket, s.opt.Prefix, "", "", "", 1)
		return err
	})
}

// stat looks at an object, where x is not nil until that file is to be seen: some stores show what was put a
// while later. The error is errUnheld where it never is.
func (s *store) stat(ctx context.Context, key string, x *sums) (at minio.ObjectInfo, found bool, err error) {
	err = s.insist(ctx, 0, func(ctx context.Context) (err error) {
		at, err = s.client.StatObject(ctx, s.opt.Bucket, key, minio.StatObjectOptions{Checksum: true})
		mark := at.UserMetadata[sumField]
		if x != nil && (gone(err) || err == nil && (at.Size != x.size || mark != "" && mark != x.whole)) {
			return errUnheld
		}
		return err
	})
	if gone(err) {
		return at, false, nil
	}
	return at, err == nil, err
}

// holds tells how it is proved that an object is the file: "checksum", "reading", or "" where it is
// another one.
func (s *store) holds(ctx context.Context, key string, at minio.ObjectInfo, x *sums) (by string, err error) {
	switch sum := at.ChecksumSHA256; {
	case at.Size != x.size:
		return "", nil
	case sum == x.checksum():
		return "checksum", nil
	case sum != "" && !strings.Contains(sum, "-"):
		return "", nil
	}
	whole, err := s.read(ctx, key, x.size)
	if err != nil || whole != x.whole {
		return "", err
	}
	return "reading", nil
}

// read gives the SHA-256 of an object, in hexadecimal.
func (s *store) read(ctx context.Context, key string, size int64) (whole string, err error) {
	err = s.insist(ctx, size, func(ctx context.Context) error {
		in, _, _, err := s.client.GetObject(ctx, s.opt.Bucket, key, minio.GetObjectOptions{})
		if err != nil {
			return err
		}
		whole, err = hashOf(in)
		return errors.Join(err, in.Close())
	})
	return whole, err
}

// put sends a file in one piece.
func (s *store) put(ctx context.Context, key, mark string, in io.ReaderAt, x *sums) error {
	return s.insist(ctx, x.size, func(ctx context.Context) error {
		_, err := s.client.PutObject(ctx, s.opt.Bucket, key, io.NewSectionReader(in, 0, x.size), x.size, "",
			x.whole, minio.PutObjectOptions{
				UserMetadata: map[string]string{
					checksumField: x.checksum(), sumField: x.whole, markField: mark,
				},
				DisableContentSha256: true, // x.whole is signed, and not each chunk
			})
		return err
	})
}

// begin begins an object in parts.
func (s *store) begin(ctx context.Context, key, mark string, x *sums) (id string, err error) {
	err = s.insist(ctx, 0, func(ctx context.Context) (err error) {
		id, err = s.client.NewMultipartUpload(ctx, s.opt.Bucket, key, minio.PutObjectOptions{
			UserMetadata: map[string]string{
				"X-Amz-Checksum-Algorithm": "SHA256", "X-Amz-Checksum-Type": "COMPOSITE",
				sumField: x.whole, markField: mark,
			},
		})
		return err
	})
	return id, err
}

// part sends a part, counted from 0.
func (s *store) part(ctx context.Context, key, id string, i int, in io.ReaderAt, x *sums) (tag string,
	err error,
) {
	n, sum := x.length(i), base64.StdEncoding.EncodeToString(x.parts[i])
	err = s.insist(ctx, n, func(ctx context.Context) error {
		p, err := s.client.PutObjectPart(ctx, s.opt.Bucket, key, id, i+1,
			io.NewSectionReader(in, int64(i)*x.part, n), n, minio.PutObjectPartOptions{
				Sha256Hex:            hex.EncodeToString(x.parts[i]),
				CustomHeader:         http.Header{checksumField: {sum}},
				DisableContentSha256: true, // as for put
			})
		tag = p.ETag
		return err
	})
	return tag, err
}

// parts are the ETags of the parts that the store has, by their numbers, which count from 1.
func (s *store) parts(ctx context.Context, key, id string) (map[int]string, error) {
	have := map[int]string{}
	for after := 0; ; {
		var list minio.ListObjectPartsResult
		err := s.insist(ctx, 0, func(ctx context.Context) (err error) {
			list, err = s.client.ListObjectParts(ctx, s.opt.Bucket, key, id, after, 1000)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, p := range list.ObjectParts {
			have[p.PartNumber] = strings.Trim(p.ETag, `"`)
		}
		if !list.IsTruncated || list.NextPartNumberMarker <= after {
			return have, nil
		}
		after = list.NextPartNumberMarker
	}
}

// complete makes an object of its parts.
func (s *store) complete(ctx context.Context, key string, m *Multipart, x *sums) error {
	var list []minio.CompletePart
	for i, tag := range m.ETags {
		list = append(list, minio.CompletePart{
			PartNumber: i + 1, ETag: tag, ChecksumSHA256: base64.StdEncoding.EncodeToString(x.parts[i]),
		})
	}
	return s.insist(ctx, x.size, func(ctx context.Context) error {
		_, err := s.client.CompleteMultipartUpload(ctx, s.opt.Bucket, key, m.ID, list,
			minio.PutObjectOptions{})
		return err
	})
}

// abort gives up an object in parts.
func (s *store) abort(ctx context.Context, key, id string) error {
	return s.insist(ctx, 0, func(ctx context.Context) error {
		return s.client.AbortMultipartUpload(ctx, s.opt.Bucket, key, id)
	})
}

// copy has the store copy an object that it put, and proves that the copy has the same SHA-256.
func (s *store) copy(ctx context.Context, at minio.ObjectInfo, to string) error {
	from := minio.CopySrcOptions{Bucket: s.opt.Bucket, Object: at.Key, MatchETag: at.ETag}
	err := s.insist(ctx, at.Size, func(ctx context.Context) (err error) {
		dest := minio.CopyDestOptions{Bucket: s.opt.Bucket, Object: to}
		if at.Size <= mostCopied {
			_, err = s.client.Client.CopyObject(ctx, dest, from)
		} else { // by parts
			_, err = s.client.ComposeObject(ctx, dest, from)
		}
		return err
	})
	whole := ""
	if err == nil {
		whole, err = s.read(ctx, to, at.Size)
	}
	if err == nil && whole != at.UserMetadata[sumField] {
		err = errors.New("the store's copy is not the same")
	}
	if err != nil {
		return fmt.Errorf("keep the former one as %s: %w", to, err)
	}
	return nil
}
