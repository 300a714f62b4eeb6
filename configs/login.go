package configs

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"watershed/page"
)

// Login says how a site is logged in to. Its secrets are sent to its origins alone.
type Login struct {
	Origins  []page.URL        `yaml:"origins"` // empty for those of the seeds
	User     string            `yaml:"user"`    // a name, or a Secret that holds it
	Password Secret            `yaml:"password"`
	Scheme   LoginScheme       `yaml:"scheme"`
	Headers  map[string]Secret `yaml:"headers"`
	Cookies  Path              `yaml:"cookies"` // a file in Netscape's format; "" for none
	Form     LoginForm         `yaml:"form"`
	Expired  string            `yaml:"expired"` // a text of pages that tells it; "" for the usual signs
	Apart    bool              `yaml:"apart"`   // captures and package
}

// LoginForm is a form that logs in; without a page there is none.
type LoginForm struct {
	Page     string            `yaml:"page"`     // a web address
	User     string            `yaml:"user"`     // the name of its field
	Password string            `yaml:"password"` // likewise
	Fields   map[string]Secret `yaml:"fields"`   // others
	Success  string            `yaml:"success"`  // a text of the page behind it
}

// LoginScheme is a way of authentication of HTTP itself.
type LoginScheme string

func (LoginScheme) Values() []string { return []string{"none", "basic", "digest"} }

// Any reports that the site is logged in to.
func (l *Login) Any() bool {
	return l.Scheme != "none" || len(l.Headers) > 0 || l.Cookies != "" || l.Form.Page != ""
}

// Of gives the URLs of the login's origins.
func (l *Login) Of(s *Site) []page.URL {
	if len(l.Origins) > 0 {
		return l.Origins
	}
	return s.Seeds
}

func (c *checker) login(key string, s *Site) {
	key += ".login"
	l := &s.Login
	if !l.Any() {
		if (l.User != "" || l.Password != "" || l.Expired != "" || l.Apart || len(l.Origins) > 0) &&
			!c.failed(key) {
			c.at(key, "say how it is done: scheme, headers, cookies or form", "%s: there is no way to log in",
				key)
		}
		return
	}
	c.exists(key+".cookies", l.Cookies)
	named := l.Scheme != "none" || l.Form.Page != ""
	if named != (l.User != "") || named != (l.Password != "") {
		if !c.failed(key) {
			c.at(key, "a scheme or a form takes both; headers and cookies alone take none",
				"%s: user and password go with a scheme or a form", key)
		}
	}
	if l.Scheme == "basic" && strings.Contains(l.User, ":") && !secretly(l.User) {
		c.at(key+".user", "", "%s.user: a colon cannot stand in it with basic", key)
	}
	for name := range l.Headers {
		if !httpguts.ValidHeaderFieldName(name) || slices.Contains(ownFields, strings.ToLower(name)) {
			c.at(key+".headers", "", "%s.headers: %q cannot be set", key, name)
		}
	}
	c.form(key, l, s)
}

// ownFields are the fields of a request that say who asks for what, or how it is framed.
var ownFields = []string{
	"host", "user-agent", "from", "content-length", "transfer-encoding", "connection", "accept-encoding",
	"proxy-authorization", "te", "upgrade", "range", "if-none-match", "if-modified-since",
}

func (c *checker) form(key string, l *Login, s *Site) {
	f := &l.Form
	if f.Page == "" {
		if f.User != "" || f.Password != "" || len(f.Fields) > 0 || f.Success != "" {
			c.at(key+".form", "the address of the page that has the form", "%s.form.page is required", key)
		}
		return
	}
	if f.User == "" || f.Password == "" {
		c.at(key+".form", `for example user: username, password: passwd, as in name="username" of its HTML`,
			"%s.form: the names of the fields for user and password are required", key)
	}
	u, err := parseURL(f.Page)
	if err != nil {
		c.at(key+".form.page", "for example https://www.example.org/login", "%s.form.page: %v", key, err)
		return
	}
	at := originOf(u.(page.URL))
	if !slices.ContainsFunc(l.Of(s), func(u page.URL) bool { return originOf(u) == at }) {
		c.at(key+".form.page", "list its origin under origins of the login, beside those of the site",
			"%s.form.page: %s is on none of the login's origins", key, f.Page)
	}
}

func originOf(u page.URL) string { return u.Scheme() + "://" + string(u.Host()) }

// secretly reports a text that says where a secret stands.
func secretly(text string) bool {
	return strings.HasPrefix(text, "env:") || strings.HasPrefix(text, "file:")
}

// logins tells of two sites that log in to one origin.
func (c *checker) logins() {
	owner := map[string]int{}
	for i := range c.h.Sites {
		s := &c.h.Sites[i]
		if !s.Login.Any() {
			continue
		}
		for _, u := range s.Login.Of(s) {
			o := originOf(u)
			if first, taken := owner[o]; taken && first != i {
				c.at(fmt.Sprintf("sites[%d].login", i), "make one site of them, or name other origins",
					"sites %q and %q both log in to %s", c.h.Sites[first].Name, s.Name, o)
			}
			owner[o] = i
		}
	}
}
