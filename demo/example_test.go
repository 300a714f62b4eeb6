package demo_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"

	"watershed/demo"
)

// A web is served while a function runs; afterwards its log tells how it was asked.
func ExampleWeb_Serve() {
	web := demo.New(demo.Options{})
	site, _ := web.Site("tired")
	err := web.Serve(context.Background(), func(ctx context.Context) error {
		host := site.Hosts[0]
		conn, err := net.Dial("tcp", netip.AddrPortFrom(web.Hosts()[host], web.Port()).String())
		if err != nil {
			return err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, string(site.Seeds[0]), nil)
		if err != nil {
			return err
		}
		if err := r.Write(conn); err != nil {
			return err
		}
		var line [30]byte
		if _, err := conn.Read(line[:]); err != nil {
			return err
		}
		fmt.Println(string(line[9:12]))
		return conn.Close()
	})
	if err != nil {
		fmt.Println(err)
	}
	for _, r := range web.Log() {
		fmt.Println(r.URL(), r.Status)
	}
	// Output:
	// 503
	// http://tired.example/ 503
}
