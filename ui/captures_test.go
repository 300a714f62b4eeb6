package ui

import (
	"maps"
	"slices"
	"testing"

	"watershed/harvest"
	"watershed/lab/kit/archivetest"
)

// writePages makes the archive and index of a run anew, with pages by URL.
func writePages(t testing.TB, run harvest.Run, pages map[string]string) {
	t.Helper()
	if err := run.Make(); err != nil {
		t.Fatal(err)
	}
	var captures []archivetest.Capture
	for _, u := range slices.Sorted(maps.Keys(pages)) {
		captures = append(captures, archivetest.Capture{URL: u, Body: pages[u], Day: 1})
	}
	archivetest.Write(t, run.Archive(), run.Index(), captures)
}
