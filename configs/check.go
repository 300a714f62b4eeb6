package configs

import (
	"fmt"
	"net/mail"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"watershed/page"
	"watershed/replica"
)

// checker tells of values that are well written and still make no sense, alone or together.
type checker struct {
	*decoder
	h *Harvest
}

// at reports an error at the place where key was set, or the nearest group around it that the file
// has.
func (c *checker) at(key, hint, format string, args ...any) {
	c.add(c.errorAt(key, c.place(key), hint, fmt.Sprintf(format, args...)))
}

func (c *checker) place(key string) Position {
	for k := key; k != ""; {
		if p, ok := c.origins[k]; ok {
			return p
		}
		k = k[:max(strings.LastIndexAny(k, ".["), 0)]
	}
	return Position{File: c.file, Line: 1, Column: 1}
}

// failed reports whether an error was told about key or what is below it, so that no second one
// follows from it.
func (c *checker) failed(key string) bool {
	return slices.ContainsFunc(c.errs, func(e *Error) bool {
		rest, ok := strings.CutPrefix(e.Key, key)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// exists tells of a file that is to be read and is not there.
func (c *checker) exists(key string, path Path) {
	if path == "" || c.failed(key) {
		return
	}
	if _, err := os.Stat(string(path)); err != nil {
		c.at(key, "a relative path counts from the folder of the YAML", "%s: %v", key, err)
	}
}

func (c *checker) check() {
	c.name()
	c.operator()
	c.sites()
	c.limits()
	c.politeness()
	c.fetch()
	c.network()
	c.traps()
	c.boundary()
	c.copies()
	c.archive()
	c.browser()
	c.notify()
	c.upload()
}

// fileName is what becomes part of the names of files and folders on any system.
var fileName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$`)

const fileNameHint = "letters, digits, dots, hyphens and underscores, at most 80, a letter or digit first"

func (c *checker) name() {
	switch {
	case c.failed("harvest"):
	case c.h.Harvest == "":
		c.at("harvest", "it names the folder and the files, for example harvest: gemo",
			"the harvest has no name: harvest is required")
	case !fileName.MatchString(c.h.Harvest) || strings.HasSuffix(c.h.Harvest, "."):
		c.at("harvest", fileNameHint, "harvest: %q cannot name a folder", c.h.Harvest)
	}
}

func (c *checker) operator() {
	o := c.h.Operator
	const why = "operators of web servers must be able to reach you: it goes into the User-Agent and into " +
		"every warcinfo record"
	if strings.TrimSpace(o.Name) == "" && !c.failed("operator.name") && !c.failed("operator") {
		c.at("operator.name", why, "operator.name is required")
	}
	c.header("operator.name", o.Name)
	c.header("operator.organization", o.Organization)
	switch contact := strings.TrimSpace(o.Contact); {
	case c.failed("operator.contact"):
	case contact == "":
		if !c.failed("operator") || strings.TrimSpace(o.Name) == "" {
			c.at("operator.contact", why, "operator.contact is required")
		}
	case !validContact(contact):
		hint := "a web page about the harvest, or mailto: and an address that is read"
		if _, err := mail.ParseAddress(contact); err == nil {
			hint = "did you mean mailto:" + contact + "?"
		}
		c.at("operator.contact", hint, "operator.contact: %q is neither an http(s) address nor a mailto: one",
			contact)
	}
}

// validContact reports a web address with a dot in its host or a single mail address.
func validContact(s string) bool {
	u, err := url.Parse(s)
	if err != nil || strings.ContainsAny(s, " \t()") {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return strings.Contains(strings.Trim(u.Hostname(), "."), ".")
	case "mailto":
		a, err := mail.ParseAddress(u.Opaque)
		return err == nil && a.Name == "" && a.Address == u.Opaque
	}
	return false
}

// header refuses what would break out of a header line.
func (c *checker) header(key, value string) {
	if i := strings.IndexFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }); i >= 0 {
		c.at(key, "", "%s: the character %U cannot stand in a header", key, value[i])
	}
}

func (c *checker) limits() {
	l := c.h.Limits
	c.atLeast("limits.pages", l.Pages, 0)
	c.atLeast("limits.files", l.Files, 0)
	c.atLeast("limits.host.pages", l.Host.Pages, 0)
	c.atLeast("limits.host.files", l.Host.Files, 0)
}

// atLeast checks a whole number; 0 of a limit means that there is none.
func (c *checker) atLeast(key string, n, least int64) {
	if n < least {
		c.at(key, "", "%s: %d is less than %d", key, n, least)
	}
}

func (c *checker) between(key string, x, least, most float64) {
	if x < least || x > most {
		c.at(key, "", "%s: %g is not between %g and %g", key, x, least, most)
	}
}

func (c *checker) politeness() {
	p := c.h.Politeness
	if p.Cluster != "" && !c.h.Shares() && !c.failed("politeness") && !c.failed("network") {
		c.at("politeness.cluster", "write shared: always",
			"politeness.cluster: a harvest with names of its own, or shared: never, takes no turns")
	}
	c.between("politeness.delay_factor", p.DelayFactor, 0, 1000)
	c.delays("politeness", p.MinDelay, p.MaxDelay)
	c.robots("politeness", p.Robots, p.RobotsReason)
	c.between("politeness.retry.attempts", float64(p.Retry.Attempts), 1, 100)
	c.between("politeness.retry.host_attempts", float64(p.Retry.HostAttempts), 1, 1000)
	if p.Retry.Delay > p.Retry.MaxDelay {
		c.at("politeness.retry.delay", "", "politeness.retry.delay: %s is more than max_delay, %s",
			p.Retry.Delay, p.Retry.MaxDelay)
	}
	for i, h := range p.Hosts {
		key := fmt.Sprintf("politeness.hosts[%d]", i)
		if h.Match == "" && !c.failed(key+".match") {
			c.at(key, `for example match: "*.example.org"`,
				"%s.match is required: it says which hosts are meant", key)
		}
		if h.DelayFactor != nil {
			c.between(key+".delay_factor", *h.DelayFactor, 0, 1000)
		}
		low, high := p.MinDelay, p.MaxDelay
		if h.MinDelay != nil {
			low = *h.MinDelay
			high = max(high, low) // a longer least delay alone lifts the greatest one
		}
		if h.MaxDelay != nil {
			high = *h.MaxDelay
		}
		c.delays(key, low, high)
		c.robots(key, h.Robots, h.RobotsReason)
	}
}

func (c *checker) delays(key string, low, high Duration) {
	if low > high {
		c.at(key+".min_delay", "", "%s: min_delay, %s, is more than max_delay, %s", key, low, high)
	}
	if high > Duration(day) {
		c.at(key+".max_delay", "", "%s.max_delay: %s is longer than a day", key, high)
	}
}

// robots asks for a reason where robots.txt is overridden: it is recorded in warcinfo.
func (c *checker) robots(key string, r Robots, reason string) {
	if r == RobotsIgnore && strings.TrimSpace(reason) == "" {
		c.at(key+".robots", "for example robots_reason: legal deposit, section 4 of the act",
			"%s: robots.txt is ignored without a robots_reason", key)
	}
	if r != RobotsIgnore && reason != "" {
		c.at(key+".robots_reason", "leave it out, or set robots: ignore",
			"%s: a robots_reason without robots: ignore", key)
	}
	c.header(key+".robots_reason", reason)
}

// productToken is RFC 9309's product token: what a robots.txt names a crawler by.
var productToken = regexp.MustCompile(`^[A-Za-z_-]{1,64}$`)

func (c *checker) fetch() {
	f := c.h.Fetch
	c.between("fetch.workers", float64(f.Workers), 1, 10_000)
	c.positive("fetch.timeout", int64(f.Timeout))
	c.positive("fetch.connect_timeout", int64(f.ConnectTimeout))
	c.positive("fetch.max_body", int64(f.MaxBody))
	if f.BodyMemory < 16*MiB {
		c.at("fetch.body_memory", "", "fetch.body_memory: %s is below 16MiB", f.BodyMemory)
	}
	if f.MaxHead < 1*KiB || f.MaxHead > MiB {
		c.at("fetch.max_head", "", "fetch.max_head: %s is not between 1KiB and 1MiB", f.MaxHead)
	}
	if !productToken.MatchString(f.UserAgent) {
		c.at("fetch.user_agent", "only letters, \"_\" and \"-\" (RFC 9309, 2.2.1); version, contact and "+
			"operator are added to it", "fetch.user_agent: %q is no product token", f.UserAgent)
	}
}

func (c *checker) positive(key string, n int64) {
	if n <= 0 {
		c.at(key, "", "%s must be more than 0", key)
	}
}

func (c *checker) network() {
	n := c.h.Network
	if n.Proxy != "" {
		u, err := url.Parse(n.Proxy)
		if err == nil && u.User != nil {
			c.concealed()
		}
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" ||
			strings.Trim(u.Path, "/") != "" {
			c.at("network.proxy", "for example proxy: http://127.0.0.1:3128",
				"network.proxy: %q is no address of an HTTP proxy", n.Proxy)
		}
	}
	matches := map[page.HostPattern]string{}
	for i, r := range n.Resolve {
		key := fmt.Sprintf("network.resolve[%d]", i)
		if r.Match == "" && !c.failed(key+".match") {
			c.at(key, `for example match: "*.example.org"`,
				"%s.match is required: it says which hosts are meant", key)
		}
		if m := strings.TrimPrefix(string(r.Match), "*."); strings.Contains(m, "*") && m != "*" ||
			page.Host(m).Port() != "" {
			c.at(key+".match", "", "%s.match: %q is neither a name, nor *. and a name, nor *", key, r.Match)
		}
		if first, twice := matches[r.Match]; twice && r.Match != "" {
			c.at(key+".match", "the first one is at "+c.place(first).String(), "%s.match: %q is there twice",
				key, r.Match)
		}
		matches[r.Match] = key + ".match"
		if !r.Address.IsValid() && !c.failed(key+".address") {
			c.at(key, "for example address: 192.0.2.7", "%s.address is required", key)
		}
	}
	for from, to := range n.DialPorts {
		if from == 0 || to == 0 {
			c.at(fmt.Sprintf("network.dial_ports.%d", from), "",
				"network.dial_ports: a port is a number from 1 to 65535")
		}
	}
}

// concealed makes sure that page.Redact finds the proxy's credentials in the file, so that no copy
// of it has them. YAML can write a text in ways in which it does not, by escapes or on several
// lines.
func (c *checker) concealed() {
	d, root, ok := document(c.file, []byte(page.Redact(strings.Join(c.lines, "\n"))))
	if ok {
		u, err := url.Parse(d.decode(root).Network.Proxy)
		if err == nil && u.User != nil && u.User.String() == page.Redacted {
			return
		}
	}
	c.at("network.proxy", "write it plainly on one line, and with %XX for each odd character of the password",
		"network.proxy: the user name and password are written so that copies of this file would hold them")
}

func (c *checker) traps() {
	t := c.h.Traps
	c.between("traps.max_url_length", float64(t.MaxURLLength), 0, 16<<10)
	c.atLeast("traps.max_path_depth", int64(t.MaxPathDepth), 0)
	c.atLeast("traps.max_repeated_segments", int64(t.MaxRepeatedSegments), 0)
	c.atLeast("traps.max_hops", int64(t.MaxHops), 0)
	c.atLeast("traps.max_hosts", int64(t.MaxHosts), 0)
	c.atLeast("traps.max_nested", int64(t.MaxNested), 0)
	if t.NoveltyPages != 0 { // with fewer pages a small section would look endless
		c.between("traps.novelty_pages", float64(t.NoveltyPages), 20, 1e9)
	}
}

func (c *checker) boundary() {
	b := c.h.Boundary
	c.between("boundary.alpha", b.Alpha, 1e-6, 1) // beyond it a page must be worth more than three links
	c.between("boundary.x0", b.X0, .01, 1)
	c.between("boundary.documents", b.Documents, 0, 1)
	c.paper()
}

func (c *checker) archive() {
	a := c.h.Archive
	if a.Dir == "" {
		c.at("archive.dir", "", "archive.dir is empty")
	}
	if a.Prefix != "" && !fileName.MatchString(a.Prefix) {
		c.at("archive.prefix", fileNameHint, "archive.prefix: %q cannot begin a file's name", a.Prefix)
	}
	if a.WARCSize < 1*MB || a.WARCSize > 1*TB {
		c.at("archive.warc_size", "1GB is what archives exchange (WARC 1.1, annex C)",
			"archive.warc_size: %s is not between 1MB and 1TB", a.WARCSize)
	}
	c.between("archive.gzip_level", float64(a.GzipLevel), 1, 9)
}

func (c *checker) copies() {
	r := &c.h.Copies
	for i, level := range r.Skip {
		if level < 0 || level > 5 {
			c.at(fmt.Sprintf("copies.skip[%d]", i),
				"levels go from 1, the same bytes, to 5, merely related; 0 stands for replicated collections",
				"copies.skip: %d is no level", level)
		}
	}
	c.between("copies.verify_pages", float64(r.Pages), 0, 1e6)
	c.between("copies.pages_runs", float64(r.Runs), 1, 100)
	if r.Singles > 0 && r.Singles < .5 {
		c.at("copies.pages", "100% is the same text, 50% the least that is called similar",
			"copies.pages: pages of a resemblance of %s are no copies of each other", r.Singles)
	}
	if !r.Sketch && r.Find != FindOff {
		c.at("copies.sketch", "set copies.find: off as well",
			"copies.sketch is off, so no copies can be found")
	}
	if r.Prune == PruneRun && r.Find != FindConfirm {
		c.at("copies.prune", "set copies.find: confirm as well",
			"copies.prune: copies that a harvest finds are not left out with copies.find: %s", r.Find)
	}
	for i, rule := range r.Alias {
		key := fmt.Sprintf("copies.aliases[%d]", i)
		if _, err := replica.ReadAliases(strings.NewReader(rule), []page.Host{},
			replica.Change{}); err != nil && !c.failed(key) {
			c.at(key, "write alias = host, for example mirror.example = www.example", "copies.aliases: %s",
				strings.TrimPrefix(err.Error(), "line 1: "))
		}
	}
}
