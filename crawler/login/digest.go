package login

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"strings"

	"watershed/crawler/robots"
)

// nonce is a challenge of digest authentication (RFC 7616, 3.3), as far as it is answered.
type nonce struct {
	realm, value, opaque, algorithm string
	auth                            bool // quality of protection; without one it is RFC 2069's
	stale                           bool // the one before was out of date
	hash                            func() hash.Hash
	uses                            uint32
}

// algorithms are those that are answered, the better ones first.
var algorithms = []struct {
	name string
	hash func() hash.Hash
}{
	{"SHA-256-sess", sha256.New}, {"SHA-256", sha256.New}, {"MD5-sess", md5.New}, {"MD5", md5.New},
}

// challenged keeps the challenge of an answer. The caller holds mu.
func (l *Login) challenged(origin string, status int, h http.Header) {
	if status != http.StatusUnauthorized {
		return
	}
	var best *nonce
	rank := len(algorithms)
	for _, field := range h["Www-Authenticate"] {
		for _, c := range challenges(field) {
			n, i := nonceOf(c)
			if n != nil && i < rank {
				best, rank = n, i
			}
		}
	}
	if best != nil {
		l.nonces[origin] = best
	}
}

// fresh reports a 401 after which the page is worth asking for again: the request was sent without a
// nonce, or with one that the server holds for out of date now. Of a nonce that was never used
// before, the server must say so itself, as some give another one with each refusal. The caller
// holds mu.
func (l *Login) fresh(s *Session) bool {
	now := l.nonces[robots.Origin(s.url)]
	switch {
	case now == nil || now == s.nonce || l.signs > doubts:
		return false
	case s.nonce == nil || now.stale:
		return true
	}
	return s.nonce.uses > 1
}

// nonceOf reads a challenge; nil for one that is not answered. rank is that of its algorithm.
func nonceOf(params map[string]string) (n *nonce, rank int) {
	if params["scheme"] != "digest" || params["nonce"] == "" {
		return nil, 0
	}
	n = &nonce{
		realm: params["realm"], value: params["nonce"], opaque: params["opaque"],
		algorithm: params["algorithm"], stale: strings.EqualFold(params["stale"], "true"),
	}
	if qop, has := params["qop"]; has {
		for word := range strings.SplitSeq(qop, ",") {
			n.auth = n.auth || strings.EqualFold(strings.TrimSpace(word), "auth")
		}
		if !n.auth {
			return nil, 0 // auth-int alone
		}
	}
	for i, a := range algorithms {
		if strings.EqualFold(a.name, n.algorithm) || n.algorithm == "" && a.name == "MD5" {
			n.hash = a.hash
			return n, i
		}
	}
	return nil, 0
}

// answer is the value of Authorization (RFC 7616, 3.4) for a request; each one counts.
func (n *nonce) answer(o *Options, method, target, cnonce string) string {
	n.uses++
	sum := func(parts ...string) string {
		h := n.hash()
		h.Write([]byte(strings.Join(parts, ":")))
		return hex.EncodeToString(h.Sum(nil))
	}
	count := fmt.Sprintf("%08x", n.uses)
	secret := sum(o.User, n.realm, o.Password)
	if strings.HasSuffix(strings.ToLower(n.algorithm), "-sess") {
		secret = sum(secret, n.value, cnonce)
	}
	what := sum(method, target)
	response := sum(secret, n.value, what)
	if n.auth {
		response = sum(secret, n.value, count, cnonce, "auth", what)
	}
	var b strings.Builder
	fmt.Fprintf(&b, `Digest username=%s, realm=%s, nonce=%s, uri=%s, response="%s"`, quote(o.User),
		quote(n.realm), quote(n.value), quote(target), response)
	if n.algorithm != "" {
		b.WriteString(", algorithm=" + n.algorithm)
	}
	if n.opaque != "" {
		b.WriteString(", opaque=" + quote(n.opaque))
	}
	if n.auth {
		fmt.Fprintf(&b, `, qop=auth, nc=%s, cnonce="%s"`, count, cnonce)
	}
	return b.String()
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// challenges reads a field WWW-Authenticate (RFC 9110, 11.6.1), which may have several: the
// parameters of each by their names in lower case, and its scheme under "scheme".
func challenges(field string) (list []map[string]string) {
	for field = strings.TrimLeft(field, " \t,"); field != ""; field = strings.TrimLeft(field, " \t,") {
		i := strings.IndexAny(field, " \t,=")
		if i < 0 {
			i = len(field)
		}
		word, rest := strings.ToLower(field[:i]), strings.TrimLeft(field[i:], " \t")
		value, isParam := strings.CutPrefix(rest, "=")
		if !isParam || len(list) == 0 {
			list, field = append(list, map[string]string{"scheme": word}), strings.TrimPrefix(rest, "=")
			continue
		}
		value, field = unquote(strings.TrimLeft(value, " \t"))
		if word != "scheme" {
			list[len(list)-1][word] = value
		}
	}
	return list
}

// unquote takes a token or a quoted string off a text.
func unquote(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		i := strings.IndexAny(s, " \t,")
		if i < 0 {
			return s, ""
		}
		return s[:i], s[i:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
