package configs

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// Notify says who is told what of a harvest.
type Notify struct {
	On      []News  `yaml:"on"`
	Mail    Mail    `yaml:"mail"`
	Webhook Webhook `yaml:"webhook"`
}

// News is a kind of what is told.
type News string

func (News) Values() []string {
	return []string{"ended", "losses", "disk", "refused", "login", "copies", "upload"}
}

// Mail is how mail is sent; without a server none is.
type Mail struct {
	Server   string   `yaml:"server"` // host and port
	From     string   `yaml:"from"`
	To       []string `yaml:"to"`
	TLS      MailTLS  `yaml:"tls"`
	User     string   `yaml:"user"` // "" for none
	Password Secret   `yaml:"password"`
}

// MailTLS says how a mail server is spoken to.
type MailTLS string

func (MailTLS) Values() []string { return []string{"starttls", "tls", "none"} }

// Webhook is the address that news are posted to; without one none are.
type Webhook struct {
	URL    string `yaml:"url"` // an address, or a Secret that holds it
	Secret Secret `yaml:"secret"`
}

// Secret says where a secret stands, since none stands in the YAML: "env:NAME", a variable of the
// environment, or "file:PATH", a file without the line's end; "" is none.
type Secret string

var errSecret = hinted{
	errors.New("a secret does not stand in the YAML, of which copies are made"),
	"write env:NAME for a variable of the environment, or file:PATH for a file that only you can read",
}

// ParseSecret reads where a secret stands. The error says nothing of the text.
func ParseSecret(s string) (Secret, error) {
	kind, rest, _ := strings.Cut(s, ":")
	if s != "" && (kind != "env" && kind != "file" || rest == "") {
		return "", errSecret
	}
	return Secret(s), nil
}

// Reveal reads the secret; relative paths count from dir. The error says where it was looked for,
// and nothing of what was found.
func (s Secret) Reveal(dir string) (string, error) {
	kind, rest, _ := strings.Cut(string(s), ":")
	switch kind {
	case "":
		return "", nil
	case "env":
		v, ok := os.LookupEnv(rest)
		if !ok || v == "" {
			return "", fmt.Errorf("the environment has no %s", rest)
		}
		return v, nil
	}
	b, err := ReadFile(string(Path(rest).from(dir)))
	if err != nil {
		return "", err
	}
	v := strings.TrimRight(string(b), "\r\n")
	if v == "" {
		return "", fmt.Errorf("%s is empty", rest)
	}
	return v, nil
}

// Exposed reports that everybody on this machine may read a file, which a secret should not allow.
func Exposed(path string) bool {
	stat, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && stat.Mode().Perm()&0o004 != 0
}

// ExposedSecrets are the files of secrets of the harvest and its cluster that everybody on this machine may
// read.
func (h *Harvest) ExposedSecrets() []string {
	list := exposed(h, h.Dir())
	if x, err := LoadCluster(string(h.Politeness.Cluster)); err == nil { // else the harvest does not begin
		list = append(list, x.ExposedSecrets()...)
	}
	return list
}

// ExposedSecrets are the files of the cluster's secrets that everybody on this machine may read.
func (x *Cluster) ExposedSecrets() []string { return exposed(x, x.dir) }

func exposed(options any, dir string) (list []string) {
	secret := regexp.MustCompile(`^archive\.key$|\.login\.cookies$|^tls\.key$|^credentials$`)
	walk("", reflect.ValueOf(options).Elem(), func(key string, v reflect.Value) {
		path, is := format(v), secret.MatchString(key)
		if name, found := strings.CutPrefix(path, "file:"); found {
			path, is = string(Path(name).from(dir)), true
		}
		if is && Exposed(path) && !slices.Contains(list, path) {
			list = append(list, path)
		}
	})
	return list
}

// Dir is the folder of the harvest's file, from which its relative paths count.
func (h *Harvest) Dir() string { return filepath.Dir(h.file) }

func (c *checker) notify() {
	m, w := c.h.Notify.Mail, c.h.Notify.Webhook
	c.mail(m)
	if w.URL == "" {
		if w.Secret != "" {
			c.at("notify.webhook.secret", "", "notify.webhook: a secret without a url")
		}
		return
	}
	if _, err := ParseSecret(w.URL); err == nil {
		return // the address is looked at when it is read
	}
	u, err := url.Parse(w.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		c.at("notify.webhook.url", "for example https://hooks.library.example/watershed, or env:NAME or "+
			"file:PATH where it is a secret itself", "notify.webhook.url: no web address")
	case u.User != nil:
		c.at("notify.webhook.url", "write env:NAME or file:PATH, and the address there",
			"notify.webhook.url: a user name or password does not stand in the YAML")
	}
}

func (c *checker) mail(m Mail) {
	const key = "notify.mail"
	if m.Server == "" {
		if m.From != "" || len(m.To) > 0 || m.User != "" || m.Password != "" {
			c.at(key, "for example server: smtp.library.example:587", "%s.server is required", key)
		}
		return
	}
	if host, port, err := net.SplitHostPort(m.Server); (err == nil && (host == "" || port == "")) ||
		strings.ContainsAny(m.Server, "/@ ") {
		c.at(key+".server", "a host, and a port behind a colon if it is another than 587",
			"%s.server: %q is no host", key, m.Server)
	}
	c.mailbox(key+".from", m.From)
	if len(m.To) == 0 {
		c.at(key, "for example to: [ann@library.example]", "%s.to is required", key)
	}
	for i, a := range m.To {
		c.mailbox(fmt.Sprintf("%s.to[%d]", key, i), a)
	}
	if (m.User == "") != (m.Password == "") {
		c.at(key+".user", "", "%s: user and password go together", key)
	}
	if m.TLS == "none" && m.User != "" && !loopback(m.Server) {
		c.at(key+".tls", "starttls or tls", "%s: a password is not sent in clear", key)
	}
}

func loopback(server string) bool {
	host, _, err := net.SplitHostPort(server)
	if err != nil {
		host = server
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (c *checker) mailbox(key, address string) {
	if a, err := mail.ParseAddress(address); (err != nil || strings.ContainsAny(a.Address, "\r\n")) &&
		!c.failed(key) {
		c.at(key, "for example ann@library.example", "%s: %q is no mail address", key, address)
	}
}
