package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"watershed/configs"
)

// started is what a unit starts.
var started = regexp.MustCompile(`(?m)^ExecStart=/usr/bin/watershed (.*)$`)

// TestPackageIsWhole looks at the recipe of the Debian package: what it takes from the repository
// is there, and nothing that lies ready for it is forgotten.
func TestPackageIsWhole(t *testing.T) {
	const dir = "../../packaging"
	recipe, err := os.ReadFile(filepath.Join(dir, "nfpm.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:src|postinstall|postremove): "?(packaging/[^",}\s]+)`).
		FindAllStringSubmatch(string(recipe), -1) {
		taken[m[1]] = true
		if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
			t.Error(err)
		}
	}
	for _, part := range []string{"completion", "systemd", "deb"} {
		err := filepath.WalkDir(filepath.Join(dir, part), func(path string, d fs.DirEntry, err error) error {
			if name := strings.TrimPrefix(filepath.ToSlash(path), "../../"); err == nil && !d.IsDir() &&
				!taken[name] {
				t.Errorf("%s is not in the package", name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	build, err := os.ReadFile(filepath.Join(dir, "build"))
	if err != nil || !strings.Contains(string(build), "packaging/man/*.1") {
		t.Errorf("the manual pages are not in the package: %v", err)
	}
}

// TestUnitRuns has the parser read the command of the unit, and looks for the exit codes that it
// takes for success or final.
func TestUnitRuns(t *testing.T) {
	unit, err := os.ReadFile("../../packaging/systemd/watershed@.service")
	if err != nil {
		t.Fatal(err)
	}
	command := started.FindStringSubmatch(string(unit))
	if command == nil {
		t.Fatal("no ExecStart")
	}
	if err := parses(strings.ReplaceAll(command[1], "%i", "courier")); err != nil {
		t.Error(err)
	}
	desk, err := os.ReadFile("../../packaging/systemd/watershed-desk.service")
	if err != nil || !strings.Contains(string(desk), "\nKillMode=process\n") {
		t.Errorf("harvests end with the desk that began them: %v", err)
	}
	begins := started.FindStringSubmatch(string(desk))
	if begins == nil {
		t.Fatal("the desk has no ExecStart")
	}
	there := strings.ReplaceAll(begins[1], "/etc/watershed/desk.token", "package_test.go") // for the parser
	if err := parses(there); err != nil {
		t.Error(err)
	}
	node, err := os.ReadFile("../../packaging/systemd/watershed-node.service")
	if err != nil || !strings.Contains(string(node), "\nRestartPreventExitStatus=2 4\n") {
		t.Errorf("a node with a wrong YAML is started again and again: %v", err)
	}
	if !strings.Contains(string(node), "\nKillMode=mixed\n") {
		t.Error("systemd signals the harvests of a node, too, and two signals end them at once")
	}
	if runs := started.FindStringSubmatch(string(node)); runs == nil {
		t.Error("the node has no ExecStart")
	} else if err := parses(runs[1]); err != nil {
		t.Error(err)
	}
	for _, text := range [][]byte{unit, desk, node} {
		lets := "\nRestrictNamespaces=user pid net\nSystemCallFilter=capset chroot\n"
		if !strings.Contains(string(text), lets) || strings.Contains(string(text), "MemoryDenyWriteExecute") {
			t.Errorf("no browser starts under %s", text)
		}
	}
	for _, want := range []string{"SuccessExitStatus=11 14 15 16\n", "RestartPreventExitStatus=2 3 4 20\n"} {
		if !strings.Contains(string(unit), want) {
			t.Errorf("the unit has no %s", want)
		}
	}
	if codes := [...]int{
		exitInterrupted, exitBytes, exitTime, exitPages, exitUsage, exitNoSpace,
		exitConfig, exitLosses,
	}; codes != [...]int{11, 14, 15, 16, 2, 3, 4, 20} {
		t.Errorf("exit codes %v are not those of the unit", codes)
	}
}

// TestComposeRuns has the parser read the command of the compose file, and looks for the recipe that
// it builds and for the ports that it publishes.
func TestComposeRuns(t *testing.T) {
	text, err := os.ReadFile("../../packaging/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			Build   struct{ Context, Dockerfile string }
			Command []string
			Ports   []string
		}
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	desk := compose.Services["desk"]
	command := strings.Join(desk.Command, " ")
	for _, ports := range desk.Ports {
		own := strings.HasPrefix(ports, "127.0.0.1:")
		if !own || !strings.Contains(command, "0.0.0.0"+ports[len(ports)-5:]) {
			t.Errorf("%s is published, and nothing listens there on loopback alone", ports)
		}
	}
	there := strings.NewReplacer("/data/desk.token", "package_test.go", "/data", ".").Replace(command)
	if err := parses(there); err != nil || len(desk.Ports) != 2 {
		t.Errorf("%v, ports %v", err, desk.Ports)
	}
	recipe := filepath.Join("../../packaging", desk.Build.Context, desk.Build.Dockerfile)
	if _, err := os.Stat(recipe); err != nil {
		t.Error(err)
	}
}

// TestComposeNodes has the parser read the command of each node in the compose file of a cluster, whose
// YAML has a node of that name.
func TestComposeNodes(t *testing.T) {
	text, err := os.ReadFile("../../packaging/compose.cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			Build   struct{ Context, Dockerfile string }
			Command []string
			Volumes []string
		}
		Volumes map[string]any
	}
	if err := yaml.Unmarshal(text, &compose); err != nil {
		t.Fatal(err)
	}
	cluster, err := configs.LoadCluster("../../packaging/cluster.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(cluster.Nodes) != 3 || len(compose.Services) != 3 {
		t.Errorf("%d nodes and %d services", len(cluster.Nodes), len(compose.Services))
	}
	for _, n := range cluster.Nodes {
		s := compose.Services[n.Name]
		command := strings.Join(s.Command, " ")
		there := strings.ReplaceAll(command, "/etc/watershed", "../../packaging")
		if err := parses(there); err != nil || !strings.Contains(command, "--name="+n.Name+" ") {
			t.Errorf("%s: %q: %v", n.Name, command, err)
		}
		if _, named := compose.Volumes[n.Name]; !named || !slices.Contains(s.Volumes, n.Name+":/data") {
			t.Errorf("%s keeps its folders in none of its own: %q", n.Name, s.Volumes)
		}
		file := filepath.Join("../../packaging", s.Build.Context, s.Build.Dockerfile)
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
	for _, folder := range []configs.Path{cluster.Folder, cluster.Harvests} {
		if !strings.HasPrefix(string(folder), "/data/") {
			t.Errorf("%s is not kept", folder)
		}
	}
}
