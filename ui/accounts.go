package ui

import (
	"bufio"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// Role is what an account may do. Each has what those before it have.
type Role uint8

const (
	Reads   Role = iota // see all
	Decides             // decide on pages and copies, and ask for what is missing
	Runs                // write harvests, and begin, steer and end runs
)

// roles are their names in a file of accounts.
var roles = map[string]Role{"read": Reads, "decide": Decides, "run": Runs}

// Account is a person who may enter a desk.
type Account struct {
	Name string
	Role Role
	hash hash
}

// hash is a password's. Source: RFC 9106 (Argon2id), and the PHC string format for how it is written.
type hash struct {
	memory, passes uint32 // of memory KiB
	lanes          uint8
	salt, sum      []byte
}

// Bounds of a password's hash.
const (
	minHashMemory = 8 << 10 // KiB: less protects no password from who has the file
	maxHashMemory = 1 << 20
	maxHashPasses = 64
	maxAccounts   = 10_000
)

var (
	accountName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,79}$`)
	phc         = regexp.MustCompile(`^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,3}),p=(\d{1,2})` +
		`\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$`)
)

// ReadAccounts reads a file of accounts: a line each with name, role and the hash of the password, as
// the program argon2 writes it; empty lines and those that begin with "#" are passed over. Errors name
// the line, and nothing of a hash.
func ReadAccounts(r io.Reader) (list []Account, err error) {
	lines := bufio.NewScanner(r)
	seen := map[string]bool{}
	for n := 1; lines.Scan(); n++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		a, err := accountOf(words)
		if err == nil && seen[a.Name] {
			err = fmt.Errorf("there is an account %s already", a.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if seen[a.Name] = true; len(list) == maxAccounts {
			return nil, fmt.Errorf("line %d: more than %d accounts", n, maxAccounts)
		}
		list = append(list, a)
	}
	if lines.Err() == nil && len(list) == 0 {
		return nil, errors.New("no account is there")
	}
	return list, lines.Err()
}

func accountOf(words []string) (a Account, err error) {
	if len(words) != 3 {
		return a, fmt.Errorf("%d words, where name, role and the password's hash belong", len(words))
	}
	role, known := roles[words[1]]
	m := phc.FindStringSubmatch(words[2])
	switch {
	case !accountName.MatchString(words[0]):
		return a, fmt.Errorf("%q is no name: letters, digits and . _ @ -", words[0])
	case !known:
		return a, fmt.Errorf("%q is no role: read, decide or run", words[1])
	case m == nil:
		return a, errors.New("the third word is no hash of Argon2id, such as " +
			"argon2 SALT -id -k 65536 -e prints")
	}
	a = Account{Name: words[0], Role: role}
	numbers := [3]uint64{}
	for i := range numbers {
		if numbers[i], err = strconv.ParseUint(m[i+1], 10, 32); err != nil {
			return a, err
		}
	}
	h := &a.hash
	h.memory, h.passes, h.lanes = uint32(numbers[0]), uint32(numbers[1]), uint8(numbers[2])
	if h.memory < minHashMemory || h.memory > maxHashMemory || h.passes < 1 || h.passes > maxHashPasses ||
		h.lanes < 1 {
		return a, fmt.Errorf("the hash has m=%d, t=%d, p=%d: m from %d to %d, t from 1 to %d, and p "+
			"from 1 are taken", h.memory, h.passes, h.lanes, minHashMemory, maxHashMemory, maxHashPasses)
	}
	for i, part := range []*[]byte{&h.salt, &h.sum} {
		if *part, err = base64.RawStdEncoding.DecodeString(m[i+4]); err != nil {
			return a, errors.New("salt or hash are no base64 text without padding")
		}
	}
	return a, nil
}

// is compares in a time that does not depend on where the two differ.
func (h *hash) is(password string) bool {
	sum := argon2.IDKey([]byte(password), h.salt, h.passes, h.memory, h.lanes, uint32(len(h.sum)))
	return subtle.ConstantTimeCompare(sum, h.sum) == 1
}

// needed is the role that a request takes: a POST the highest one, unless it is known to take less.
func needed(r *http.Request) Role {
	if r.Method != http.MethodPost {
		if r.URL.Path == "/new" || path.Base(r.URL.Path) == "yaml" {
			return Runs
		}
		return Reads
	}
	if r.URL.Path == "/leave" {
		return Reads
	}
	switch path.Base(r.URL.Path) {
	case "mirrors", "decisions", "quality", "search":
		return Decides
	}
	return Runs
}
