// Command acceptance judges a whole harvest of a web whose truth is known, as an archivist would meet it: through the
// finished program and over the wire.
//
//	acceptance dns   -hosts FILE [-listen 127.0.0.1:8853]
//	acceptance plan  -web TRUTH -port P [-multi 10] [-tenants 10] [-delay 100ms] > harvest.yaml
//	acceptance score -web TRUTH -run FOLDER
//	acceptance kill  -program WATERSHED -disturbed YAML -run FOLDER -calm FOLDER [-times 20]
//	acceptance drill [-program WATERSHED] [-short] [-seed 1] [-kills 200] [-only kill,state,spool,copy] [-match TEXT] [-work FOLDER]
//	acceptance killanalyze -program WATERSHED -from WARC[,WARC] -dir FOLDER [-times 20]
//	acceptance copyplan -web WEB -port P -hosts FILE [-replicas "find: confirm"] > harvest.yaml
//	acceptance copies -web WEB -harvest FOLDER [-floors=false]
//	acceptance log   -access FILE [-delay 100ms]
//	acceptance soak  -program WATERSHED -work FOLDER [-for 1h] [-every 10s] [-pages N]
//	acceptance epochs -program WATERSHED -serve TESTWEB-SERVE -web WEB -work FOLDER [-port P]
//
// WEB is the folder of a built test web. copies tells of each run of a harvest by copyplan what it fetched twice over.
//
// soak needs no web: it harvests a maze without end that it serves itself, and writes down memory,
// goroutines, descriptors and disk of the program, as a table and as a picture.
//
// TRUTH holds sites.tsv (URL, site, kind; the first row of a site is its entry page) and links.tsv (source, target). The
// access log has one request a line: start and end in microseconds, host, method, path, status.
package main

import (
	"fmt"
	"os"
)

func main() {
	verbs := map[string]func([]string) error{"plan": plan, "score": score, "log": politeness, "dns": nameserver, "drill": drillVerb, "epochs": epochs, "kill": kill, "copies": copies, "copyplan": copyPlan, "killanalyze": killAnalyze, "soak": soak}
	if len(os.Args) < 2 || verbs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: acceptance copies|copyplan|dns|drill|epochs|kill|killanalyze|log|plan|score|soak [flags]")
		os.Exit(2)
	}
	if err := verbs[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "acceptance:", err)
		os.Exit(1)
	}
}
