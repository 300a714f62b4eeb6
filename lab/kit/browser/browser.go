// Package browser runs scripts in headless Chromium for tests: scripts that look at pages, press
// what is on them, and print what is wrong.
//
// A script is for Node.js and is handed the path of .ci/browser/launch.cjs, which starts Debian's
// Chromium through playwright-core. `.ci/run` installs what is missing of them, and sets Required.
package browser

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Required is the environment variable that makes it a failure, and not a reason to skip a test,
// that there is no browser.
const Required = "WATERSHED_BROWSER"

// chromium is where Debian's package has the browser, as launch.cjs names it.
const chromium = "/usr/bin/chromium-headless-shell"

// howTo tells what a machine lacks.
const howTo = "no browser: apt-get install chromium-headless-shell, Node.js 20 or later, " +
	"npm ci --prefix .ci/browser"

// Launch gives the script that starts Chromium. The test is skipped in short mode and where the
// browser, its driver or Node.js is not installed; of the latter it fails if Required is set.
func Launch(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short: no browser is started")
	}
	launch, err := find()
	if err == nil {
		return launch
	}
	if os.Getenv(Required) != "" {
		t.Fatalf("%s (%v)", howTo, err)
	}
	t.Skipf("%s (%v)", howTo, err)
	return ""
}

// Packages is the folder .ci/browser, where npm installs what tests need.
func Packages() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, ".ci", "browser"), nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("not within the sources of Watershed")
		}
		dir = filepath.Dir(dir)
	}
}

// find looks for all that a script needs.
func find() (string, error) {
	dir, err := Packages()
	if err != nil {
		return "", err
	}
	for _, path := range []string{
		chromium, filepath.Join(dir, "node_modules", "playwright-core"),
		filepath.Join(dir, "node_modules", "axe-core"),
	} {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	_, err = exec.LookPath("node")
	return filepath.Join(dir, "launch.cjs"), err
}

// Run has a script, which Launch made possible, look at pages. All that it prints is wrong.
func Run(t testing.TB, script, launch string, args ...string) {
	t.Helper()
	if out := Output(t, nil, script, launch, args...); len(out) > 0 {
		t.Errorf("%s:\n%s", script, out)
	}
}

// Output is Run for a script that reads a text and prints what it found. The test fails where the
// script does.
func Output(t testing.TB, in []byte, script, launch string, args ...string) []byte {
	t.Helper()
	for _, path := range []string{script, launch} { // a changed script has go test run the test anew
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{script, launch}, args...)...)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", script, err, out)
	}
	return out
}

// A Step is a press of a button.
type Step struct {
	Path    string            `json:"path"`    // to open first; "" stays on the page
	Button  string            `json:"button"`  // its name, as it is read out
	Form    string            `json:"form"`    // selector of its form, where a button comes of filling it in
	Fill    map[string]string `json:"fill"`    // fields of its form, by name
	Want    string            `json:"want"`    // text that the page shows after the press, and not before
	Until   bool              `json:"until"`   // the button is pressed again until the page shows it
	Address string            `json:"address"` // part of the page's address after the press, and not before
	Status  int               `json:"status"`  // of the answer, if it is to be an error
	Changes string            `json:"changes"` // selector of a canvas that shows something else then
}

// Ways are the ways to press: by a pointer, or by keys alone.
var Ways = []string{"pointer", "keys"}

// Press opens a link and presses buttons, one after the other, in one of the Ways. It gives each of
// them as HTML.
func Press(t testing.TB, launch, link, way string, steps []Step) []string {
	t.Helper()
	in, err := json.Marshal(steps)
	if err != nil {
		t.Fatal(err)
	}
	var found struct{ Pressed, Wrong []string }
	out := Output(t, in, filepath.Join(filepath.Dir(launch), "press.cjs"), launch, link, way)
	if err := json.Unmarshal(out, &found); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, line := range found.Wrong {
		t.Error(line)
	}
	return found.Pressed
}
