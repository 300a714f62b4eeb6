package peer

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"watershed/configs"
)

// project is what an HTTrack project says.
type project struct {
	urls    []string
	filters []string
	where   string // a host, d domain, l top-level domain, e everywhere
	up      bool   // also above the directory of the address
	depth   int64  // -1 where it is not said
	outside int64
}

// httrack reads doit.log, whose first line is the command.
func (r *reader) httrack(data []byte) {
	p := &project{where: "a", depth: -1}
	r.command(p, words(lines(string(data))[0]))
	r.project(p)
	r.flush()
}

// commandLine is the line of doit.log that has the command.
const commandLine = 1

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
			r.note(commandLine, arg, "a long option: look at it by hand")
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
		r.note(commandLine, option+number, "no pause after so many bytes")
	case "s":
		if number == "0" {
			r.note(commandLine, "s0", "%s", robotsNo)
		}
	case "A", "%c":
		if has {
			r.note(commandLine, option+number, "no limit of bytes or connections "+
				"a second; hosts rest by politeness")
		}
	case "c":
		r.note(commandLine, option+number, "%s", oneByOne)
	case "R":
		if err == nil {
			r.set("politeness.retry.attempts", min(n+1, 100))
		}
	case "T":
		r.note(commandLine, option+number, "fetch.timeout is that of a whole answer, 20m by default")
	case "m":
		r.note(commandLine, option+number, "a limit for single files is fetch.max_body")
	default:
		if !slices.Contains(takesWord, option) && !slices.Contains(usual, option+number) {
			r.note(commandLine, option+number, "no equal")
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
		r.note(commandLine, "-F", "%s", agentNo)
	case "P":
		r.note(commandLine, "-P", "a proxy is told under network.proxy")
	case "%R", "%X":
		r.note(commandLine, "-"+option, "no header fields of one's own: %s", short(word))
	case "%L":
		r.note(commandLine, "-%L", "a list of addresses: watershed import %s, or seeds", word)
	case "%S":
		r.note(commandLine, "-%S", "a file of filters: write them under include and exclude")
	case "V", "%W":
		r.note(commandLine, "-"+option, "no commands are run")
	case "%K":
		r.note(commandLine, "-%K", "write login.cookies under the site: %s", word)
	case "%C":
		r.note(commandLine, "-%C", "other names of a site are found as mirrors; see mirrors in the guide")
	case "%g", "%b", "%A", "@i":
		r.note(commandLine, "-"+option, "no equal: %s", short(word))
	}
}

// project makes the seeds and their scope.
func (r *reader) project(p *project) {
	list := []configs.Setting{{Key: "boundary", Value: "prefix"}}
	switch {
	case p.where == "d":
		list[0].Value = "domain"
	case p.where == "l", p.where == "e":
		r.note(commandLine, "-"+p.where, "no equal; logical finds what belongs to each address")
		list[0].Value = "logical"
	case p.up:
		list[0].Value = "host"
	}
	var scope scopeRules
	for _, f := range p.filters {
		scope.take(r.filter(commandLine, f), f[0] != '+')
	}
	list = scope.addTo(list)
	if p.depth > 1 { // 1 is the page alone
		list = append(list, configs.Setting{Key: "limits.depth", Value: p.depth - 1})
	} else if p.depth >= 0 {
		list[0].Value = "list"
	}
	if p.outside > 0 {
		if p.outside > mostHops {
			r.note(commandLine, fmt.Sprintf("%%e%d", p.outside), hopsNo)
		}
		list = append(list, configs.Setting{Key: "extra_hops", Value: min(p.outside, mostHops)})
	}
	for _, u := range p.urls {
		r.begin(commandLine, withScheme(u), list...)
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
