package robots_test

import (
	"fmt"
	"time"

	"watershed/crawler/robots"
	"watershed/page"
)

func ExampleParse() {
	r := robots.Parse([]byte("User-agent: *\nDisallow: /private\nAllow: /private/open\nCrawl-delay: 2\n"),
		"watershed")
	fmt.Println(r.Check("http://example.org/private/plans"))
	fmt.Println(r.Check("http://example.org/private/open/day"))
	fmt.Println(r.CrawlDelay())
	// Output:
	// disallowed by line 2 of robots.txt for *: Disallow: /private
	// allowed by line 3 of robots.txt for *: Allow: /private/open
	// 2s
}

func ExampleCache() {
	cache, err := robots.New(robots.Options{
		Product: "watershed",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	u := page.URL("http://example.org/private/plans")
	fmt.Println(cache.Ask(u, now).State)

	f := cache.Start(u)
	for next, ok := f.URL(); ok; next, ok = f.URL() {
		fmt.Println("fetch", next)
		body := page.Body{Bytes: []byte("User-agent: Watershed\nDisallow: /private\n")}
		f.Step(&page.Exchange{URL: next, Status: 200, Body: body}, now)
	}
	cache.Put(f.File())

	a := cache.Ask(u, now)
	fmt.Println(a.State, a.Verdict)
	// Output:
	// unknown
	// fetch http://example.org/robots.txt
	// known disallowed by line 2 of robots.txt for watershed: Disallow: /private
}
