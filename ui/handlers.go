package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// served serves what do finds of the harvest that an address names; an error is told in its place.
func (s *Server) served(do func(w http.ResponseWriter, q *query) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, err := s.query(r)
		if err == nil {
			err = do(w, q)
		}
		if err != nil {
			s.refuse(w, r, err)
		}
	}
}

// answers serves a request of the API: what do tells is written as JSON.
func (s *Server) answers(do func(q *query) (any, error)) http.HandlerFunc {
	return s.served(func(w http.ResponseWriter, q *query) error {
		answer, err := do(q)
		if err == nil {
			writeJSON(w, http.StatusOK, answer)
		}
		return err
	})
}

// posted serves what a program posts to the API: do does it for the harvest of the address, and its
// answer is written.
func posted[T, A any](s *Server, do func(q *query, x T) (A, error)) http.HandlerFunc {
	return s.answers(func(q *query) (any, error) {
		var x T
		if err := readPosted(q.request, &x); err != nil {
			return nil, err
		}
		return do(q, x)
	})
}

// filled serves a form of the desk: do does what was asked for, and says which page of the harvest
// is shown then.
func (s *Server) filled(do func(q *query) (to string, err error)) http.HandlerFunc {
	return s.served(func(w http.ResponseWriter, q *query) error {
		to, err := do(q)
		if err == nil {
			root := "/harvests/" + url.PathEscape(q.harvest.Name)
			http.Redirect(w, q.request, root+"/"+to, http.StatusSeeOther)
		}
		return err
	})
}

// same is a page as it was asked for: with the query of the form's address.
func (q *query) same(page string) string {
	if q.request.URL.RawQuery == "" {
		return page
	}
	return page + "?" + q.request.URL.Query().Encode()
}

// readPosted reads what a program posted.
func readPosted(r *http.Request, v any) error {
	in := json.NewDecoder(r.Body)
	in.DisallowUnknownFields()
	err := in.Decode(v)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return &refusal{http.StatusRequestEntityTooLarge, fmt.Sprintf("more than %d bytes", large.Limit)}
	case err != nil:
		return badRequest("this is not as the API wants it: %v", err)
	}
	return nil
}
