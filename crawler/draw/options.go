package draw

import (
	"cmp"
	"errors"
	"time"
)

// Options of a Browser. The zero value of a field is its default; UserAgent alone has none.
type Options struct {
	// Program is the browser; "" is the first of several that is found.
	Program string
	// UserAgent is what the crawler calls itself, to servers and, behind a browser's name, to scripts.
	// Required.
	UserAgent string
	// User runs the browser where Watershed runs as root; "" is nobody.
	User string
	// Dir holds the browser's profile while it runs; "" is the system's folder for temporary files.
	Dir string

	// Patience is how long the browser may be silent before it is killed. 0 is 15 s.
	Patience time.Duration
	// Rest is how long a browser that did not start several times is left alone before each other start.
	// 0 is a minute.
	Rest time.Duration
	// Still is how long nothing must happen on a page for it to be quiet. 0 is 500 ms.
	Still time.Duration
	// PageTime bounds the drawing of a page, the time that its requests wait for their turn and for
	// servers apart, and for how long servers may answer it. 0 is 60 s.
	PageTime time.Duration
	// Memory bounds that of the browser and its processes, in bytes, where the system tells it: Linux.
	// A browser that takes more is killed. 0 is 1 GiB.
	Memory int64
	// Requests bounds the requests of a page. 0 is 1,000.
	Requests int
	// Pictures has pictures taken of pages.
	Pictures bool
	// Routes bounds the places behind a "#" that are visited on a page. 0 is 200; a negative number
	// visits none.
	Routes int
	// Follow bounds the links of a page that are followed in the page itself, where its scripts do
	// that. 0 is 30; a negative number follows none.
	Follow int
	// places bounds the time of all places behind the "#" of a page. 0 is five times PageTime.
	places time.Duration
}

// Validate reports what is wrong.
func (o Options) Validate() error {
	switch {
	case o.UserAgent == "":
		return errors.New("draw: no user agent")
	case o.Patience < 0 || o.Rest < 0 || o.Still < 0 || o.PageTime < 0 || o.Requests < 0 || o.Memory < 0:
		return errors.New("draw: a limit is below 0")
	}
	return nil
}

func (o Options) withDefaults() Options {
	o.Patience = cmp.Or(o.Patience, 15*time.Second)
	o.Rest = cmp.Or(o.Rest, time.Minute)
	o.Still = cmp.Or(o.Still, 500*time.Millisecond)
	o.PageTime = cmp.Or(o.PageTime, time.Minute)
	o.Memory = cmp.Or(o.Memory, 1<<30)
	o.Requests = cmp.Or(o.Requests, 1000)
	o.Routes = cmp.Or(o.Routes, 200)
	o.Follow = cmp.Or(o.Follow, 30)
	o.places = cmp.Or(o.places, 5*o.PageTime)
	return o
}
