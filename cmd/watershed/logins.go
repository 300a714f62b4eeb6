package main

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"

	"watershed/configs"
	"watershed/crawler/login"
	"watershed/crawler/robots"
	"watershed/harvest"
	"watershed/page"
)

// logIn gives a plan the logins of the sites, with their secrets. The error names keys of the YAML,
// and tells no secret.
func logIn(plan *harvest.Plan, c *configs.Harvest, log *slog.Logger) error {
	var all []*login.Login
	var errs []error
	for i := range c.Sites {
		s := &c.Sites[i]
		if !s.Login.Any() {
			continue
		}
		l, err := loginOf(s, c.Dir(), log)
		if err != nil {
			errs = append(errs, fmt.Errorf("site %s: login: %w", s.Name, err))
			continue
		}
		all = append(all, l)
	}
	var err error
	if plan.Logins, err = login.Join(all); err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return &exitError{exitConfig, errors.Join(errs...)}
	}
	return nil
}

// loginNames tells whose login a URL is asked for with.
func loginNames(c *configs.Harvest) func(page.URL) string {
	names := map[string]string{}
	for i := range c.Sites {
		if s := &c.Sites[i]; s.Login.Any() {
			for _, u := range s.Login.Of(s) {
				names[robots.Origin(u)] = s.Name
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	return func(u page.URL) string { return names[robots.Origin(u)] }
}

func loginOf(s *configs.Site, dir string, log *slog.Logger) (*login.Login, error) {
	c := &s.Login
	var errs []error
	read := func(key string, x configs.Secret) string {
		v, err := x.Reveal(dir)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", key, err))
		}
		return v
	}
	o := login.Options{
		Name: s.Name, Origins: c.Of(s), Scheme: login.Scheme(c.Scheme), User: c.User,
		Password: read("password", c.Password), Header: http.Header{}, Expired: c.Expired, Log: log,
	}
	if secret, err := configs.ParseSecret(c.User); err == nil {
		o.User = read("user", secret)
	}
	for name, v := range c.Headers {
		o.Header.Set(name, read("headers."+name, v))
	}
	if f := c.Form; f.Page != "" {
		u, err := page.ParseURL(f.Page)
		o.Form = &login.Form{Page: u, Success: f.Success, Fields: map[string]string{
			f.User: o.User, f.Password: o.Password,
		}}
		for name, v := range f.Fields {
			o.Form.Fields[name] = read("form.fields."+name, v)
		}
		errs = append(errs, err)
	}
	if c.Cookies != "" {
		var err error
		o.Cookies, err = cookiesOf(string(c.Cookies))
		errs = append(errs, err)
	}
	if err := errors.Join(append(errs, o.Validate())...); err != nil {
		return nil, err
	}
	l, err := login.New(o)
	if err != nil && c.Cookies != "" {
		return nil, fmt.Errorf("cookies: %s: %w", c.Cookies, err)
	}
	return l, err
}

func cookiesOf(path string) (list []login.Cookie, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cookies: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if list, err = login.ReadCookies(f); err != nil {
		err = fmt.Errorf("cookies: %s: %w", path, err)
	}
	return list, err
}
