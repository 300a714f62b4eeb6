package mirror

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"watershed/lab/kit/rusage"
)

// BenchmarkFeatures reads URLs like those of the probe in the bench folder, 603 a host, in no
// order; an operation reads 3 million. As there, what counts is the fewest seconds of CPU time of
// an operation: URLs a second.
func BenchmarkFeatures(b *testing.B) {
	const n = 3_000_000
	list := probeURLs(n)
	b.SetBytes(int64(len(list)))
	o := Options{}.withDefaults()
	w, s := newWalker(o.Terms), newStage(o.Stage, 1)
	best := time.Duration(math.MaxInt64)
	for b.Loop() {
		begin := rusage.CPU()
		readFeatures(list, w, s)
		best = min(best, rusage.CPU()-begin)
	}
	b.ReportMetric(n/float64(best)*1e3, "MURL/cpu-s")
}

func readFeatures(list []byte, w *walker, s *stage) {
	var scratch []tally
	var urls splitter
	var name string
	for len(list) > 0 {
		end := bytes.IndexByte(list, '\n')
		path, other, _ := urls.split(list[:end])
		list = list[end+1:]
		if other {
			if name != "" {
				scratch = w.bigrams(w.prefixes(scratch[:0])[:0])
				s.features(name, int(w.paths))
			}
			name = string(urls.host)
			w.begin()
			s.begin()
		}
		if h, fresh := w.read(path); fresh {
			s.offer(path, h)
		}
	}
}

// probeURLs makes URLs as hostprobe.go does.
func probeURLs(n int) []byte {
	words := strings.Fields("docs index api images news archive 2003 html software people linux howto pub " +
		"mirror rfc java classes lang util package summary about contact products download test src en " +
		"faq manual")
	var b []byte
	x := uint64(1)
	rnd := func(n int) int {
		x = x*6364136223846793005 + 1442695040888963407
		return int((x >> 33) % uint64(n))
	}
	digits := func(n int) string {
		var d []byte
		for n > 0 || d == nil {
			d = append([]byte{byte('0' + n%10)}, d...)
			n /= 10
		}
		return string(d)
	}
	for i := range n {
		b = append(b, "http://www"+digits(i/603)+".example"+digits(i/603%97)+".com"...)
		for k := 1 + rnd(5); k > 0; k-- {
			b = append(b, "/"+words[rnd(len(words))]...)
			if k == 1 {
				b = append(b, digits(rnd(100000))+".html"...)
			}
		}
		b = append(b, '\n')
	}
	return b
}
