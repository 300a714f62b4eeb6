package notify

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// The fields of a webhook's request.
const (
	// SignatureField has "sha256=" and the HMAC-SHA256 of the body under the secret, in hexadecimal
	// digits.
	SignatureField = "X-Watershed-Signature"
	// KindField has the first of the news' kinds.
	KindField = "X-Watershed-Event"
)

// Webhook posts news as JSON to an address.
type Webhook struct {
	URL    string // http or https; it may be a secret
	Secret string // of the signature; "" signs nothing
}

func (w *Webhook) String() string { return "webhook" }

// Signature is the value of SignatureField.
func Signature(secret string, body []byte) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write(body)
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}

// send makes one request. It follows no redirect: news go to nobody else.
func (w *Webhook) send(ctx context.Context, n News) error {
	body, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("%w: %w", errFinal, err)
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: the address is not valid", errFinal) // which may be secret
	}
	q.Close = true
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("User-Agent", "watershed")
	q.Header.Set(KindField, string(n.Kinds[0]))
	if w.Secret != "" {
		q.Header.Set(SignatureField, Signature(w.Secret, body))
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	a, err := client.Do(q)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err // without the address
		}
		return err
	}
	// what it says is of no account, and read so that the connection ends in order
	_, _ = io.CopyN(io.Discard, a.Body, 4<<10)
	err = a.Body.Close()
	switch {
	case a.StatusCode < 300:
		return nil
	case a.StatusCode >= 500, a.StatusCode == http.StatusTooManyRequests,
		a.StatusCode == http.StatusRequestTimeout:
		return errors.Join(fmt.Errorf("it answered %s", a.Status), err)
	}
	return fmt.Errorf("%w: it answered %s", errFinal, a.Status)
}
