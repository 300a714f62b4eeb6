package prove_test

import (
	"fmt"

	"watershed/page"
	"watershed/replica/prove"
)

// A prover says what is to be fetched, learns the visits, and tells what a pair is.
func Example() {
	p, err := prove.New(prove.Options{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range 20 {
		for _, host := range []string{"www.site.example", "mirror.example"} {
			p.Paths(host, []page.URL{page.URL(fmt.Sprintf("http://%s/page%d.html", host, i))})
		}
	}
	p.Add(prove.Pair{A: "www.site.example", B: "mirror.example"})
	for wants := p.Wants(); len(wants) > 0; wants = p.Wants() {
		for _, w := range wants {
			v := &page.Visit{URL: w.URL, Status: 404}
			if len(w.URL.Path()) < len("/page123.html") { // random siblings have longer names
				v.Status, v.Digest = 200, page.SumDigest([]byte(w.URL.Path()))
			}
			p.Learn(v)
		}
	}
	for _, v := range p.Verdicts() {
		fmt.Println(v.Pair, "is", v.Note())
	}
	s := p.Stats()
	fmt.Printf("%d requests for a mirror\n", s.Wanted)
	// Output:
	// www.site.example = mirror.example is level 1; FM 10
	// 20 requests for a mirror
}
