package mirror

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// stage samples the paths of one host and makes the features of stage I (Mirror, mirror on the Web,
// section 3.1). The same hash decides on all hosts, so that what is sampled of a host is likely to
// be sampled of its mirror. A term's last bit says whether it is of the host name.
type stage struct {
	o     StageOptions
	seed  uint64
	text  []byte // the paths whose hash is 0 modulo Modulus
	paths []sampled
	found counter
	word  []byte
	words []uint64
	depth []int
	once  []uint64
}

// sampled is a path within text.
type sampled struct {
	hash     uint64
	from, to int
}

// stopTerms say nothing (section 3.1).
var stopTerms = hashesOf("htm", "html", "txt", "main", "index", "home", "bin", "cgi")

func hashesOf(words ...string) (list []uint64) {
	for _, w := range words {
		list = append(list, hashOf([]byte(w)))
	}
	return list
}

func newStage(o StageOptions, seed uint64) *stage {
	return &stage{o: o, seed: seed, found: counter{}}
}

func (s *stage) begin() {
	s.text, s.paths = s.text[:0], s.paths[:0]
	clear(s.found)
}

// offer takes a path and its hash.
func (s *stage) offer(path []byte, hash uint64) {
	hash = mix(hash ^ s.seed)
	if hash%uint64(s.o.Modulus) != 0 {
		return
	}
	from := len(s.text)
	s.text = append(s.text, path...)
	s.paths = append(s.paths, sampled{hash, from, len(s.text)})
}

func (s *stage) path(p sampled) []byte { return s.text[p.from:p.to] }

// sample is what is taken of the host, of which p URLs were read.
func (s *stage) sample(p int) []sampled {
	if s.o.BottomK {
		s.paths = slices.DeleteFunc(s.paths, func(p sampled) bool { return ofTool(s.path(p)) })
		slices.SortFunc(s.paths, func(a, b sampled) int {
			return cmp.Or(cmp.Compare(a.hash, b.hash), bytes.Compare(s.path(a), s.path(b)))
		})
		return s.paths[:min(len(s.paths), s.expected(p))]
	}
	slices.SortFunc(s.paths, func(a, b sampled) int { return bytes.Compare(s.path(a), s.path(b)) })
	taken, m, double := s.paths[:0], uint64(s.o.Modulus), s.o.First
	for _, p := range s.paths {
		if p.hash%m != 0 || ofTool(s.path(p)) {
			continue
		}
		taken = append(taken, p)
		if len(taken) == double {
			m, double = 2*m, double+s.o.Every
		}
	}
	return taken
}

// ofTool says that a path has the name of a tool in it, in whatever case: such stand for no site's
// own structure (section 3.1).
func ofTool(path []byte) bool {
	for i, c := range path {
		var tool string
		switch c | 0x20 {
		case 'n':
			tool = "nph"
		case 'd':
			tool = "dynaweb"
		case 'z':
			tool = "zyview"
		default:
			continue
		}
		if len(path)-i >= len(tool) && strings.EqualFold(string(path[i:i+len(tool)]), tool) {
			return true
		}
	}
	return false
}

// expected is how many paths of p the doubling takes in the mean: First need Modulus·First URLs,
// and each Every that follow twice as many as those before.
func (s *stage) expected(p int) int {
	m, left, n := float64(s.o.Modulus), float64(p), 0.0
	for size := float64(s.o.First); ; size = float64(s.o.Every) {
		if left <= m*size {
			return max(1, int(math.Round(n+left/m)))
		}
		left, n, m = left-m*size, n+size, 2*m
	}
}

// features gives the features of the host with name, of which p URLs were read. The slice is valid
// until the next call.
func (s *stage) features(name string, p int) []uint64 {
	for _, path := range s.sample(p) {
		s.split(s.path(path))
		s.once = s.once[:0]
		for i := 1; i < len(s.words); i++ {
			f := mix(s.words[i-1]*3+s.words[i]+uint64(s.depth[i-1])*0x9e3779b97f4a7c15)&^1 | 2
			if !slices.Contains(s.once, f) {
				s.once = append(s.once, f)
				s.found[f]++
			}
		}
	}
	s.once = s.once[:0]
	for f, paths := range s.found {
		if int(paths) >= s.o.MinOnHost {
			s.once = append(s.once, f)
		}
	}
	host, _, _ := strings.Cut(name, ":")
	s.split([]byte(host))
	for i := 1; i < len(s.words); i++ {
		if f := mix(s.words[i-1]*3+s.words[i]) | 1; !slices.Contains(s.once, f) {
			s.once = append(s.once, f)
		}
	}
	return s.once
}

// split makes words of path, in lower case, without stop terms, with the number of "/" before each.
// Every other character than letters separates; with StarDigit, a run of digits is the letter "*".
func (s *stage) split(path []byte) {
	s.words, s.depth = s.words[:0], s.depth[:0]
	part := silent | separates | digits
	if s.o.StarDigit {
		part = silent | separates
	}
	depth := 0
	for i := 0; i < len(path); i++ {
		if symbols[path[i]]&part != 0 {
			if path[i] == '/' {
				depth++
			}
			continue
		}
		from, word, run, all := i, uint64(fnvOffset), symbol(0), byte(0)
		for ; i < len(path) && symbols[path[i]]&part == 0; i++ {
			x := symbols[path[i]]
			if x&run == 0 {
				word = (word ^ uint64(x&text)) * fnvPrime
			}
			run = x & digits
			all |= path[i]
		}
		hash := mix(word)
		if all >= utf8.RuneSelf {
			hash = hashOf(bytes.ToLower(s.starred(path[from:i])))
		}
		if !slices.Contains(stopTerms, hash) {
			s.words, s.depth = append(s.words, hash), append(s.depth, depth)
		}
		i--
	}
}

// starred is a word with "*" for each run of digits. The slice is valid until the next call.
func (s *stage) starred(word []byte) []byte {
	s.word = s.word[:0]
	run := symbol(0)
	for _, c := range word {
		x := symbols[c]
		if x&run == 0 {
			s.word = append(s.word, byte(x&text))
		}
		run = x & digits
	}
	return s.word
}
