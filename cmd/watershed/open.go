package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"

	"watershed/internal/console"
)

// inBrowser serves the desk and starts the browser on it.
func (c *uiCommand) inBrowser(ctx context.Context, s console.Streams) error {
	var browser sync.WaitGroup
	defer browser.Wait()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return c.serve(ctx, s, func(link string) {
		program := browserProgram(runtime.GOOS)
		if program == "" {
			printLink(s, link)
			return
		}
		fmt.Fprintln(s.Err, "The desk opens in your browser. Interrupt to end.")
		browser.Go(func() {
			if err := exec.CommandContext(ctx, program, link).Run(); err != nil && ctx.Err() == nil {
				fmt.Fprintf(s.Err, "The browser was not started: %v\n", err)
				printLink(s, link)
			}
		})
	})
}

// browserProgram is what opens an address in the browser of the desktop, "" where there is no
// desktop or no such program.
func browserProgram(system string) string {
	name := "open"
	if system != "darwin" {
		if os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
			return ""
		}
		name = "xdg-open"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}
