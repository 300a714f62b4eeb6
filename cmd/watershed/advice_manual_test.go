package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"watershed/demo"
)

// meaning has the manual tell of an exit code.
func (x *trial) meaning(text string) {
	x.Helper()
	manual, err := os.ReadFile(filepath.Join(manualDir, "watershed.1"))
	if err != nil {
		x.Fatal(err)
	}
	x.said = strings.ReplaceAll(string(manual), `\-`, "-")
	x.said = regexp.MustCompile(`\n([^.\n])`).ReplaceAllString(x.said, " $1") // as man fills its lines
	x.told(text)
}

// manualAdvised does what the manual says.
func manualAdvised(x *trial) {
	x.meaning("the same command goes on")
	manual := x.said
	got := x.told(`A harvest is told in YAML. "(watershed config example site)" prints the shortest one, ` +
		`"(watershed config example reference)" one with every option, its default and the reason`)
	x.follow(0, got[0])
	shortest := len(x.said)
	x.follow(0, got[1])
	if len(x.said) < 10*shortest {
		x.Errorf("the shortest has %d bytes, the one with every option %d", shortest, len(x.said))
	}
	x.said = manual
	lines := strings.Split(x.told("(watershed config example site > site.yaml; watershed config check " +
		"site.yaml; watershed harvest --dry-run site.yaml; watershed harvest site.yaml)")[0], "; ")
	x.follow(0, lines[0])
	x.follow(0, lines[1])
	text, err := os.ReadFile(x.path(trialYAML)) // whose web is there
	if err == nil {
		err = os.WriteFile(x.path("site.yaml"), text, 0o666)
	}
	if err != nil {
		x.Fatal(err)
	}
	x.follow(0, lines[2])
	x.follow(0, lines[3])
	x.has("http://a.example/")
	x.said = manual
	x.told(`The harvest of that name, below the YAML's folder or archive.dir; run-0001, run-0002 and so on`)
	if _, err := os.Stat(x.path("harvests/site/run-0001")); err != nil {
		x.Error(err)
	}
	x.set("archive.dir", "elsewhere")
	x.follow(0, harvestIt)
	if _, err := os.Stat(x.path("elsewhere/site/run-0001")); err != nil {
		x.Error(err)
	}
	x.said = manual
	open := x.told("Where neither is set, (ui --open) prints its link and starts no browser")[0]
	x.desk("env -u DISPLAY -u WAYLAND_DISPLAY watershed " + open + " harvests").kill()

	if err := os.WriteFile(x.path("empty.yaml"), nil, 0o666); err != nil {
		x.Fatal(err)
	}
	x.run(exitConfig, "watershed config check empty.yaml")
	x.follow(0, x.told("start from an example: (watershed config example)")[0])
	if !strings.Contains(x.said, "site\n") {
		x.Error(x.said)
	}
}

// aborted has a fault end the harvest, as the manual says of its exit code.
func aborted(x *trial) {
	x.meaning("A fault of the program ended it by SIGABRT; all is saved, the same command goes on. Report")
	x.web.links = []string{"/p1", "/held"}
	_, end := x.begin(harvestIt)
	x.abort()
	end(-1)
	x.web.held.Store(nil)
	x.follow(0, harvestIt)
	x.has("http://a.example/p1", "http://a.example/held")
}

// ordersAdvised brings back a run that was paused, and lowers a pause where an order may not.
func ordersAdvised(x *trial) {
	x.web.links = []string{"/p1", "/held"}
	x.set("politeness.min_delay", "20ms", "politeness.max_delay", "20ms")
	release, end := x.begin(harvestIt)
	x.run(exitFailed, about("control delay")+" '*' 10ms")
	key := x.told("10ms is less than the 20ms of (politeness.min_delay); only the harvest's YAML can " +
		"lower that")[0]
	x.run(0, about("control pause"))
	x.interrupt()
	end(exitInterrupted)
	release()
	x.set(key, "5ms")
	x.follow(0, harvestIt+" > said 2>&1 & run=$!; until watershed control delay FILE "+
		"'*' 10ms && "+pausedGoesOn+"; do kill -0 $run || exit 1; sleep 0.1; done; wait $run; code=$?; "+
		"cat said; exit $code")
	x.told("paused, as it was: (" + pausedGoesOn + ") goes on")
	x.has("http://a.example/p1", "http://a.example/held")
}

const pausedGoesOn = "watershed control resume FILE"

// scalesAdvised draws the boundary of one of the demo's sites wider, by the scales that explain tells.
func scalesAdvised(x *trial) {
	web := demo.New(demo.Options{})
	err := web.Serve(x.Context(), func(context.Context) error {
		yaml := strings.NewReplacer("draw: auto", "draw: never", "dir: .", "dir: harvests").
			Replace(string(demoYAML(web)))
		x.file(trialYAML, yaml)
		x.follow(0, harvestIt)
		x.run(0, about("explain")+" http://people.campus.example/~boris/")
		const inside = "site anna: http://people.campus.example/~boris/ is inside"
		for rounds := 1; !strings.Contains(x.said, inside); rounds++ {
			if rounds > 4 {
				x.Fatalf("still outside: %s", x.said)
			}
			got := x.told(`scale: (inside) for alpha below ([0-9.e-]+); it is`)
			below, err := strconv.ParseFloat(got[1], 64)
			if err != nil {
				return err
			}
			x.file(trialYAML, yaml+fmt.Sprintf("boundary: {alpha: %g}\n", below*0.999))
			x.follow(0, "watershed harvest --extend FILE")
			x.run(0, about("explain")+" http://people.campus.example/~boris/")
		}
		x.file(trialYAML, strings.Replace(yaml, "harvest: demo", "harvest: wider", 1))
		x.follow(0, harvestIt)
		x.run(0, about("scales")+" anna --at 0.001")
		got := x.told(`[0-9]+ of them were not fetched. A harvest with (boundary.alpha) ([0-9.]+) ` +
			`fetches .*\nset it in the YAML, then: ` + extend)
		x.file(trialYAML, strings.Replace(yaml, "harvest: demo", "harvest: wider", 1)+
			"boundary: {alpha: "+got[1]+"}\n")
		x.follow(0, got[2])
		x.run(0, about("scales")+" anna --at "+got[1])
		if !strings.Contains(x.said, "nothing is to be fetched for it") {
			x.Error(x.said)
		}
		return nil
	})
	if err != nil {
		x.Fatal(err)
	}
}
