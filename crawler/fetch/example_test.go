package fetch_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"

	"watershed/crawler/fetch"
)

// A harvest has one Fetcher and a Worker for each of its goroutines.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		http.Redirect(w, r, "/there", http.StatusFound)
	}))
	defer server.Close()
	port := server.Listener.Addr().(*net.TCPAddr).AddrPort().Port()

	f, err := fetch.New(fetch.Options{
		UserAgent:    "watershed (+https://archive.example/bot)",
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Hosts:        map[string]netip.Addr{"*.example": netip.MustParseAddr("127.0.0.1")},
		HostsFile:    os.DevNull,
		DialPorts:    map[uint16]uint16{80: port},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()

	x := f.Worker().Fetch(context.Background(), fetch.Request{URL: "http://www.example/here"})
	defer x.Close()
	fmt.Println(x.Status, x.Header.Get("Location"), x.Remote.Addr(), x.Err)
	fmt.Println(x.Response.Size() == x.Head+int64(len(x.Body.Bytes)))
	// Output:
	// 302 /there 127.0.0.1 <nil>
	// true
}
