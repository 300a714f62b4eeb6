package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"watershed/harvest"
	"watershed/harvest/control"
	"watershed/harvest/decision"
	"watershed/harvest/depot"
	"watershed/page"
	"watershed/replica"
	"watershed/store"
)

// Errors by which a Server refuses its options.
var (
	// ErrSecret says that a desk which other machines can reach has no secret, or one that is too
	// short.
	ErrSecret = errors.New("a desk that listens on other addresses than loopback needs accounts, or " +
		"a token of 12 characters or more")
	// ErrPlain says that passwords and sessions would cross the net in clear.
	ErrPlain = errors.New("a desk that listens on other addresses than loopback speaks TLS: give " +
		"--certificate and --key; or put a proxy before it, and give the address of the replay there as " +
		"--replay-url https://…")
	// ErrSameName says that two harvests could not be told apart.
	ErrSameName = errors.New("two harvests have one name")
)

// refusal is an answer that is no view: the status and what is said.
type refusal struct {
	status int
	text   string
}

func (e *refusal) Error() string { return e.text }

func notFound(text string) error { return &refusal{http.StatusNotFound, text} }

func badRequest(format string, args ...any) error {
	return &refusal{http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

// statusOf is the status and the text of an error. A fault of the server is told in full: the
// person who sees it owns the server.
func statusOf(err error) (int, string) {
	var r *refusal
	var refused *control.RefusedError
	var rule *page.RuleError
	var phase *control.PhaseError
	switch {
	case errors.As(err, &r):
		return r.status, r.text
	case errors.As(err, &phase):
		return http.StatusConflict, sentence(phase.Reason)
	case errors.Is(err, control.ErrNoRun):
		return http.StatusConflict, "No run of the harvest is under way that takes orders."
	case errors.As(err, &refused):
		return http.StatusConflict, refused.Reason
	case errors.Is(err, control.ErrOrder), errors.Is(err, decision.ErrDecision), errors.As(err, &rule):
		return http.StatusBadRequest, err.Error()
	case errors.Is(err, decision.ErrUnknown):
		return http.StatusNotFound, err.Error()
	case errors.Is(err, harvest.ErrManyWanted):
		return http.StatusConflict, err.Error()
	case errors.Is(err, store.ErrLocked):
		return http.StatusConflict,
			"A run is under way and would write over the change. Decide when it has ended."
	case errors.Is(err, replica.ErrUnknown):
		return http.StatusNotFound, err.Error()
	case errors.Is(err, replica.ErrState), errors.Is(err, replica.ErrCircle):
		return http.StatusConflict, err.Error()
	case errors.Is(err, depot.ErrUnknown):
		return http.StatusNotFound, sentence(err.Error())
	case errors.Is(err, depot.ErrUnderWay), errors.Is(err, depot.ErrThere),
		errors.Is(err, depot.ErrChanged), errors.Is(err, depot.ErrBroken),
		errors.Is(err, depot.ErrShard):
		return http.StatusConflict, sentence(err.Error())
	case errors.Is(err, fs.ErrNotExist):
		return http.StatusNotFound, "The harvest has no such file yet: " + err.Error()
	}
	return http.StatusInternalServerError, err.Error()
}
