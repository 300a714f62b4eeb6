package peer

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"watershed/configs"
)

// project is what an HTTrack project says, by whichever of its files.
type project struct {
	line    int
	urls    []string
	filters []string
	where   string // a host, d domain, l top-level domain, e everywhere
	up      bool   // also above the directory of the address
	depth   int64  // -1 where it is not said
	outside int64
}

// httrack reads doit.log, whose first line is the command, or winprofile.ini.
func (r *reader) httrack(data []byte) error {
	p := &project{line: 1, where: "a", depth: -1}
	all := lines(string(data))
	if bytes.Contains(data, launched) {
		r.command(p, words(all[0]))
	} else {
		r.profile(p, all)
	}
	r.project(p)
	r.flush()
	return nil
}

// words are the arguments of a command line. Quotes keep spaces; a backslash keeps what follows it
// within quotes.
func words(line string) (list []string) {
	var word strings.Builder
	quoted, any := false, false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '"':
			quoted, any = !quoted, true
		case c == '\\' && quoted && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\\'):
			i++
			word.WriteByte(line[i])
		case (c == ' ' || c == '\t') && !quoted:
			if word.Len() > 0 || any {
				list = append(list, word.String())
			}
			word.Reset()
			any = false
		default:
			word.WriteByte(c)
		}
	}
	if word.Len() > 0 || any {
		list = append(list, word.String())
	}
	return list
}

// letter matches an option of a cluster such as "qwC2%Ps2u1": a letter, "%" or "&" before it
// perhaps, and a number, or two.
var letter = regexp.MustCompile(`([%&@!#]?[A-Za-z])(\d*)(?:[,:](\d+))?`)

// takesWord are the options whose value is the next word. Source: httrack(1).
var takesWord = []string{
	"O", "F", "%F", "%l", "%a", "P", "%R", "%E", "%X", "%L", "%S", "V", "%W", "N", "%A", "@i", "%b", "%K",
	"%U", "W", "&F", "%C", "%g", "%w",
}

func (r *reader) command(p *project, args []string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case strings.HasPrefix(arg, "--"):
			r.note(p.line, arg, "a long option: look at it by hand")
		case strings.HasPrefix(arg, "-mime:"), strings.HasPrefix(arg, "+mime:"):
			p.filters = append(p.filters, arg)
		case strings.HasPrefix(arg, "-") && !strings.ContainsAny(arg, "./*"):
			last := ""
			for _, m := range letter.FindAllStringSubmatch(arg[1:], -1) {
				r.switched(p, m[1], m[2])
				last = m[1]
			}
			if slices.Contains(takesWord, last) && i+1 < len(args) {
				i++
				r.worded(p, last, args[i])
			}
		case strings.HasPrefix(arg, "-"), strings.HasPrefix(arg, "+"):
			p.filters = append(p.filters, arg)
		case arg != "":
			p.urls = append(p.urls, arg)
		}
	}
}

// switched takes an option of a cluster.
func (r *reader) switched(p *project, option, number string) {
	n, err := strconv.ParseInt(number, 10, 64)
	has := err == nil && n > 0
	switch option {
	case "r":
		if err == nil {
			p.depth = n
		}
	case "%e":
		p.outside = n
	case "a", "d", "l", "e":
		p.where = option
	case "U", "B":
		p.up = true
	case "E":
		if has {
			r.set("limits.time", fmt.Sprintf("%ds", n))
		}
	case "M":
		if has {
			r.set("limits.bytes", fmt.Sprintf("%dB", n))
		}
	case "G":
		r.note(p.line, option+number, "no pause after so many bytes")
	case "s":
		if number == "0" {
			r.note(p.line, "s0", "%s", robotsNo)
		}
	case "A", "%c":
		if has {
			r.note(p.line, option+number, "no limit of bytes or connections "+
				"a second; hosts rest by politeness")
		}
	case "c":
		r.note(p.line, option+number, "%s", oneByOne)
	case "R":
		if err == nil {
			r.set("politeness.retry.attempts", min(n+1, 100))
		}
	case "T":
		r.note(p.line, option+number, "fetch.timeout is that of a whole answer, 20m by default")
	case "m":
		r.note(p.line, option+number, "a limit for single files is fetch.max_body")
	default:
		if !slices.Contains(takesWord, option) && !slices.Contains(usual, option+number) {
			r.note(p.line, option+number, "no equal")
		}
	}
}

// usual are the options that say no more than the default, or only how a mirror is shown or stored:
// those that WinHTTrack always writes, and such as ask for what is done always.
var usual = strings.Fields("q w W i C C0 C1 C2 %P %P1 s s1 s2 s3 u u1 u2 %s %u N0 %N %D %I %I0 %i p3 " +
	"p7 D H H0 K K0 K3 K4 L L1 L2 k %k f f2 %f #f %H v %v %v1 %v2 z Z Q I I0 I1 j j1 %j x %x o b b0 b1 n " +
	"X X0 %q %M %Z %T %t %p %r %d y")

// worded takes an option with a word.
func (r *reader) worded(p *project, option, word string) {
	switch option {
	case "F", "&F":
		r.note(p.line, "-F", "%s", agentNo)
	case "P":
		r.note(p.line, "-P", "a proxy is told under network.proxy")
	case "%R", "%X":
		r.note(p.line, "-"+option, "no header fields of one's own: %s", short(word))
	case "%L":
		r.note(p.line, "-%L", "a list of addresses: watershed import %s, or seeds", word)
	case "%S":
		r.note(p.line, "-%S", "a file of filters: write them under include and exclude")
	case "V", "%W":
		r.note(p.line, "-"+option, "no commands are run")
	case "%K":
		r.note(p.line, "-%K", "write login.cookies under the site: %s", word)
	case "%C":
		r.note(p.line, "-%C", "other names of a site are found as mirrors; see mirrors in the guide")
	case "%g", "%b", "%A", "@i":
		r.note(p.line, "-"+option, "no equal: %s", short(word))
	}
}

// profile reads winprofile.ini.
func (r *reader) profile(p *project, all []string) {
	for i, line := range all {
		key, value, ok := strings.Cut(line, "=")
		if !ok || value == "" {
			continue
		}
		p.line = i + 1
		n, _ := strconv.ParseInt(value, 10, 64)
		switch key {
		case "CurrentUrl":
			p.urls = append(p.urls, strings.Fields(unescaped(value))...)
		case "CurrentURLList":
			r.worded(p, "%L", value)
		case "Category":
			r.Draft.Harvest = Name(value)
		case "WildCardFilters":
			p.filters = append(p.filters, strings.Fields(unescaped(value))...)
		case "Depth":
			p.depth = n
		case "ExtDepth":
			p.outside = n
		case "MaxTime":
			r.switched(p, "E", value)
		case "MaxAll":
			r.switched(p, "M", value)
		case "MaxRate":
			r.switched(p, "A", value)
		case "MaxHtml", "MaxOther":
			r.switched(p, "m", value)
		case "Retry":
			r.switched(p, "R", value)
		case "TimeOut":
			r.switched(p, "T", value)
		case "Sockets":
			r.switched(p, "c", value)
		case "FollowRobotsTxt":
			r.switched(p, "s", value)
		case "Travel":
			p.up = n > 1
		case "GlobalTravel":
			p.where = map[int64]string{1: "d", 2: "l", 3: "e"}[n]
		case "UserID":
			r.worded(p, "F", value)
		case "Proxy":
			r.worded(p, "P", value)
		case "OtherHeaders", "DefaultReferer":
			r.worded(p, "%X", value)
		default:
			if value != "0" && !slices.Contains(profileUsual, line) && !slices.Contains(profileQuiet, key) {
				r.note(p.line, key, "no equal: %s", short(value))
			}
		}
	}
}

// profileUsual are the lines of winprofile.ini that say the default, where that is not 0 or nothing;
// profileQuiet the keys that only concern that program, or the copy that it makes for reading.
// Source: HTTrack's winprofile-keys.tsv.
var (
	profileUsual = strings.Fields("Cache=1 CheckType=1 Cookies=1 Index=1 KeepAlive=1 Log=1 " +
		"ParseAll=1 ParseJava=1 PrimaryScan=3 URLHack=1 UpdateHack=1 UseHTTPProxyForFTP=1")
	profileQuiet = strings.Fields("Near Build BuildString Footer CurrentAction CurrentPath1 CurrentPath2 " +
		"ProfileFormat ProjectName Debugging Dos LogType MailIndex RewriteLinks Sitemap SitemapUrl Changes " +
		"StoreAllInCache NoPurgeOldFiles NoPwdInPages NoExternalPages NoErrorPages HTMLFirst Port ProxyType")
)

// unescaped is a value of winprofile.ini: line ends and percent signs are written by their number.
func unescaped(value string) string {
	return strings.NewReplacer("%0d%0a", "\n", "%0D%0A", "\n", "%%", "%").Replace(value)
}

// project makes the seeds and their scope.
func (r *reader) project(p *project) {
	list := []configs.Setting{{Key: "boundary", Value: "prefix"}}
	switch {
	case p.where == "d":
		list[0].Value = "domain"
	case p.where == "l", p.where == "e":
		r.note(p.line, "-"+p.where, "no equal; logical finds what belongs to each address")
		list[0].Value = "logical"
	case p.up:
		list[0].Value = "host"
	}
	var include, exclude []string
	for _, f := range p.filters {
		if rule := r.filter(p.line, f); rule == "" {
			continue
		} else if f[0] == '+' {
			include = append(include, rule)
		} else {
			exclude = append(exclude, rule)
		}
	}
	list = add(add(list, "include", include), "exclude", exclude)
	if p.depth > 1 { // 1 is the page alone
		list = append(list, configs.Setting{Key: "limits.depth", Value: p.depth - 1})
	} else if p.depth >= 0 {
		list[0].Value = "list"
	}
	if p.outside > 0 {
		if p.outside > mostHops {
			r.note(p.line, fmt.Sprintf("%%e%d", p.outside), hopsNo)
		}
		list = append(list, configs.Setting{Key: "extra_hops", Value: min(p.outside, mostHops)})
	}
	for _, u := range p.urls {
		r.begin(p.line, withScheme(u), list...)
	}
}

// anyEnding matches a filter that only names an ending.
var anyEnding = regexp.MustCompile(`^\*\.[A-Za-z0-9]+$`)

// filter is the rule of a filter, "" where it has none.
func (r *reader) filter(line int, filter string) string {
	pattern := filter[1:]
	switch {
	case strings.HasPrefix(pattern, "mime:"):
		r.note(line, filter, "no rules go by the type of a file")
		return ""
	case filter[0] == '+' && anyEnding.MatchString(pattern):
		return "" // what a page needs to be shown is taken from any host
	case strings.Contains(pattern, "*["):
		r.note(line, filter, "write it as a regex: rule")
		return ""
	case pattern == "*":
		r.note(line, filter, "no equal: a boundary, or the rules beside it, say what belongs")
		return ""
	}
	scheme := "^https?://"
	if before, rest, ok := strings.Cut(pattern, "://"); ok {
		scheme, pattern = "^"+regexp.QuoteMeta(before)+"://", rest
	}
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return r.rule(line, filter, "regex:"+scheme+strings.Join(parts, ".*")+"$")
}
