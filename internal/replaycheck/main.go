// Command replaycheck opens pages of a harvest in headless Chromium, live and in our replay, and tells what the live page loaded
// that the replay did not, and what the replay asked of others. It is not part of the program.
//
//	go run ./internal/replaycheck -playwright FOLDER [-proxy HOST:PORT] [-pages 20] [-seed 1] [-pictures FOLDER] HARVEST-FOLDER
//
// The live web is that which the proxy gives; without one, the real one. Scripts run on neither side, since the replay runs none.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"watershed/harvest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "replaycheck:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("replaycheck", flag.ContinueOnError)
	var c check
	flags.StringVar(&c.Playwright, "playwright", os.Getenv("PLAYWRIGHT"), "folder of playwright-core")
	flags.StringVar(&c.Proxy, "proxy", "", "proxy that gives the live web, host:port")
	flags.StringVar(&c.Pictures, "pictures", "", "folder for screenshots")
	flags.IntVar(&c.Pages, "pages", 20, "pages to open")
	flags.Uint64Var(&c.Seed, "seed", 1, "seed of the sample")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("want the folder of a harvest")
	}
	c.Folder = harvest.Folder(flags.Arg(0))
	verdicts, err := c.run(ctx)
	if err != nil {
		return err
	}
	bad := 0
	for _, v := range verdicts {
		v.print(out)
		if !v.good() {
			bad++
		}
	}
	fmt.Fprintf(out, "%d pages, %d as they were live\n", len(verdicts), len(verdicts)-bad)
	if bad > 0 {
		return fmt.Errorf("%d pages differ", bad)
	}
	return nil
}
