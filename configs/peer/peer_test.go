package peer

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"watershed/configs"
)

// files are the files beside the one that is read.
var files = map[string]string{
	"job/seeds.txt": "http://b.example/x/\nhttp://c.example\n", "job/deny.txt": "+http://(example,bad,\n# " +
		"no\n",
	"job/more.txt": "https://d.example/\n\"https://e.example/\"\n",
}

func openTest(name string) ([]byte, error) {
	if text, ok := files[name]; ok {
		return []byte(text), nil
	}
	return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
}

const beansTest = `<?xml version="1.0"?>
<beans xmlns="http://www.springframework.org/schema/beans">
 <bean id="o" class="org.springframework.beans.factory.config.PropertyOverrideConfigurer">
  <property name="properties"><value>
metadata.jobName=Letters 2026
metadata.operatorContactUrl=https://library.example/crawl
disposition.minDelayMs=5000
disposition.delayFactor=2.5
disposition.maxDelayMs=60000
   </value></property>
 </bean>
 <bean id="metadata" class="org.archive.modules.CrawlMetadata">
  <property name="operatorContactUrl" value="[see override above]"/>
  <property name="operator" value="Ann"/>
  <property name="robotsPolicyName" value="ignore"/>
 </bean>
 <bean id="seeds" class="org.archive.modules.seeds.TextSeedModule">
  <property name="textSource"><bean class="org.archive.spring.ConfigFile">
    <property name="path" value="seeds.txt"/></bean></property>
 </bean>
 <bean id="scope" class="org.archive.modules.deciderules.DecideRuleSequence"><property name="rules"><list>
  <bean class="org.archive.modules.deciderules.RejectDecideRule"/>
  <ref bean="acceptSurts"/>
  <bean class="org.archive.modules.deciderules.TooManyHopsDecideRule"><property name="maxHops" ` +
	`value="7"/></bean>
  <bean class="org.archive.modules.deciderules.surt.SurtPrefixedDecideRule">
   <property name="decision" value="REJECT"/><property name="seedsAsSurtPrefixes" value="false"/>
   <property name="surtsSource"><bean class="org.archive.spring.ConfigFile">
     <property name="path" value="deny.txt"/></bean></property></bean>
  <bean class="org.archive.modules.deciderules.MatchesListRegexDecideRule">
   <property name="decision" value="REJECT"/>
   <property name="regexList"><list><value>.*/print/.*</value><value>(?!x)a</value></list></property></bean>
  <bean class="org.archive.modules.deciderules.HopsPathMatchesRegexDecideRule"/>
 </list></property></bean>
 <bean id="sheet1" class="org.archive.spring.Sheet"/> <bean id="acceptSurts"
  class="org.archive.modules.deciderules.surt.SurtPrefixedDecideRule">` +
	`<property name="seedsAsSurtPrefixes" value="false"/>
  <property name="surtsSource"><bean class="x.ConfigString"><property name="value"><value>
(example,good,
  </value></property></bean></property></bean>
 <bean id="fetchHttp" class="org.archive.modules.fetcher.FetchHTTP"><property name="ignoreCookies" ` +
	`value="true"/></bean>
</beans>
`

// TestRead: what each kind of file says is in the draft, whose YAML is in order, and what has no
// equal is noted with its line.
func TestRead(t *testing.T) {
	for _, x := range []struct {
		name, file, text string
		program          Program
		want             []string // in the YAML, in this order
		notes            []string
	}{
		{
			"Browsertrix, what holds for a seed and for all", "b.yaml",
			"collection: my letters\nseeds:\n- https://a.example/x/\n- url: https://b.example/\n  " +
				"scopeType: host\n" +
				"  depth: 2\nscopeType: prefix\nexclude: [\"/print/\", \"(?!a)b\"]\nlimit: " +
				"500\ntimeLimit: 60\n" +
				"sizeLimit: 1000\npageExtraDelay: 5\nworkers: 4\nprofile: p.tgz\nuseSitemap: " +
				"true\nnewOne: 3\n",
			Browsertrix,
			[]string{
				"harvest: my-letters", "name: a.example", "- https://a.example/x/", "boundary: prefix",
				"regex:/print/",
				"name: b.example", "boundary: host", "depth: 2", "pages: 500", "time: \"60s\"",
				"bytes: \"1000B\"",
				"min_delay: \"5s\"",
			},
			[]string{
				"b.yaml:8: exclude: ", "b.yaml:13: workers: ", "b.yaml:14: profile: ",
				"b.yaml:16: newOne: ",
			},
		},
		{
			"Browsertrix, every line answered for", "b.yaml",
			"warcPrefix: abc\nretries: 2\nwarcinfo:\n  operator: Ann\n  host: h\npageLimit: many\n" +
				"extraHops: 11\nsaveState: never\nbehaviors: \"\"\nseeds:\n- url: https://a.example/\n" +
				"  limit: 9\n  allowHash: true\n", Browsertrix,
			[]string{"extra_hops: 10", "pages: 9", "prefix: abc", "attempts: 3"},
			[]string{
				"b.yaml:5: warcinfo.host: ", "b.yaml:6: pageLimit: ", "b.yaml:7: extraHops: ",
				"b.yaml:8: saveState: ", "b.yaml:13: seeds.allowHash: ",
			},
		},
		{
			"Browsertrix, a list of pages beside it", "job/b.yaml",
			"seedFile: more.txt\nscopeType: page\nextraHops: 1\ngenerateWACZ: false\n", Browsertrix,
			[]string{
				"https://d.example/", "boundary: list", "extra_hops: 1", "https://e.example/",
				"wacz: false",
			},
			nil,
		},
		{
			"brozzler", "z.yml",
			"id: job\nignore_robots: true\ntime_limit: 60\nseeds:\n- url: http://a.example/x\n  " +
				"username: ann\n" +
				"  scope:\n    surt: http://(example,a,\n    max_hops: 9\n    accepts:\n " +
				"   - ssurt: example,b,//https:/y\n" +
				"    - regex: ^https?://c\\.example/.*$\n    blocks:\n    - domain: d.example\n " +
				"     substring: logout\n" +
				"    - domain: e.example\n      regex: x\n", Brozzler,
			[]string{
				"harvest: job", "http://a.example/x", "boundary: prefix", "depth: 9",
				"surt:http://(example,a,",
				"surt:http://(example,b,)/y", "regex:^https?://c\\\\.example/.*$", "logout", "time: \"60s\"",
			},
			[]string{"z.yml:2: ignore_robots: ", "z.yml:16: blocks: ", "z.yml:6: username: "},
		},
		{
			"Heritrix' beans", "job/crawler-beans.cxml", beansTest, Heritrix,
			[]string{
				"harvest: Letters-2026", "name: Ann", "contact: https://library.example/crawl",
				"http://b.example/x/",
				"boundary: list", "surt:(example,good,", "surt:http://(example,bad,",
				"regex:^(?:.*/print/.*)$", "depth: 7",
				"http://c.example", "cookies: never", "min_delay: \"5000ms\"", "max_delay: \"60000ms\"",
			},
			[]string{
				":8: disposition.delayFactor: 2.5 is less gentle", ":15: metadata.robotsPolicyName: ",
				":31: MatchesListRegexDecideRule: ",
				":32: HopsPathMatchesRegexDecideRule: ", ":34: Sheet: ",
			},
		},
		{
			"Heritrix' seeds", "seeds.txt",
			"# three\nwww.a.example\nhttp://b.example/c/d.html " +
				"note\n+http://(example,cdn,\n+e.example/f/g\n-http://(x,\n", Seeds,
			[]string{
				"http://www.a.example", "boundary: prefix", "domain:www.a.example",
				"surt:http://(example,cdn,",
				"prefix:e.example/f/", "http://b.example/c/d.html",
			},
			[]string{"seeds.txt:3: ", "seeds.txt:6: "},
		},
		{
			"SURTs alone", "surts.txt", "http://(example,a,www,)/x/\nexample,b)/\n", Seeds,
			[]string{
				"http://www.a.example/x/", "boundary: list", "surt:http://(example,a,www,)/x/",
				"http://b.example/",
				"surt:example,b)/",
			},
			[]string{"surts.txt:1: ", "surts.txt:2: "},
		},
		{
			"HTTrack's command", "hts-cache/doit.log",
			`-qwr4C2%Ps0u1E3600 -F "Mozilla (x)" -%e1 -B https://a.example/x/ -O1 "C:\My Sites\a" +*.png ` +
				`+b.example/y/* -ad.example/* -mime:a/b` + "\nFile generated, just launch httrack\n", HTTrack,
			[]string{
				"https://a.example/x/", "boundary: host", `regex:^https?://b\\.example/y/.*$`,
				`regex:^https?://ad\\.example/.*$`, "depth: 3", "extra_hops: 1", "time: \"3600s\"",
			},
			[]string{"doit.log:1: s0: ", "doit.log:1: -F: ", "doit.log:1: -mime:a/b: "},
		},
		{
			"HTTrack's command as WinHTTrack writes it", "doit.log",
			`-qwC2%Ps2u1%s%uN0%I0p3DaK0H0%kf2A25000%f#f -F "Mozilla/4.5" -%F "<!-- -->" -%l "en, *" ` +
				`http://a.example/ -O1 "C:\My Web Sites\a" -T30R2 -%g "sid"` + "\nlaunch httrack\n", HTTrack,
			[]string{"http://a.example/", "boundary: prefix", "attempts: 3"},
			[]string{"A25000: ", "-F: ", "T30: ", "-%g: "},
		},
		{
			"HTTrack's command as the shell's httrack 3.49 writes it", "hts-cache/doit.log",
			`http://a.example/x/ -r3 -%e1 -m100000,50000 -n -F Bot -%F "" +*.png -*/print/* ` +
				"-O /home/ann/a -q\nFile generated automatically on Thu, 26 Nov 2026 18:13:42, " +
				"do NOT edit\n\n" +
				"To update a mirror, just launch httrack without any parameters\n", HTTrack,
			[]string{"http://a.example/x/", "boundary: prefix", "/print/.*$", "depth: 2", "extra_hops: 1"},
			[]string{"m100000: ", "-F: "},
		},
	} {
		t.Run(x.name, func(t *testing.T) {
			got, err := Read(x.file, []byte(x.text), openTest)
			if err != nil || got.Program != x.program {
				t.Fatalf("%+v, %v", got, err)
			}
			if got.Draft.Operator.Contact == "" {
				got.Draft.Operator = configs.Operator{Name: "N", Contact: "mailto:n@library.example"}
			}
			text := got.Draft.YAML()
			if _, err := configs.Parse("x.yaml", text); err != nil {
				t.Errorf("%v\n%s", err, text)
			}
			rest := string(text)
			for _, want := range x.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Errorf("no %q in its place in\n%s", want, text)
				} else {
					rest = after
				}
			}
			if len(got.Notes) != len(x.notes) {
				t.Errorf("notes %v", got.Notes)
			}
			all := fmt.Sprintln(got.Notes)
			for _, want := range x.notes {
				if !strings.Contains(all, want) {
					t.Errorf("no note %q in %v", want, got.Notes)
				}
			}
		})
	}
}

// TestNotRead: other files are none of these, and a file without seeds says so.
func TestNotRead(t *testing.T) {
	for _, x := range []struct {
		name, text string
		want       error
	}{
		{"a harvest of ours", "harvest: x\nsites: []\n", ErrUnknown},
		{"an empty file", "", ErrUnknown},
		{"prose", "Dear Ann,\nhow are you?\n", ErrUnknown},
		{"HTML", "<html><p>x", ErrUnknown},
		{"other YAML", "services:\n  web: {image: x}\n", ErrUnknown},
		{"no seeds", "scopeType: host\nworkers: 3\n", errNoSeeds},
	} {
		if _, err := Read("x", []byte(x.text), openTest); !errors.Is(err, x.want) {
			t.Errorf("%s: %v", x.name, err)
		}
	}
	broken := "<beans><bean class=\"org.archive.x\"><property>"
	if _, err := Read("x", []byte(broken), openTest); err == nil {
		t.Error("broken XML is read")
	}
}

// FuzzRead: whatever a file holds, it is read or refused, and what is read gives YAML whose faults
// lie in what was left out there, too.
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"seeds: [https://a.example/]\nexclude: a\n", "id: x\nseeds:\n- url: http://a.example\n",
		"a.example\n+http://(org,\n",
		`-r3 "http://a.example/" +*x*` + "\nlaunch httrack", "CurrentUrl=a.example\n", beansTest[:400],
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Read("x", data, openTest)
		if err != nil {
			return
		}
		got.Draft.Operator = configs.Operator{Name: "N", Contact: "mailto:n@library.example"}
		var errs configs.Errors
		if _, err := configs.Parse("x.yaml", got.Draft.YAML()); err != nil && !errors.As(err, &errs) {
			t.Errorf("%v\n%s", err, got.Draft.YAML())
		}
	})
}

// TestTooMany: more seeds, or more rules for all seeds, than a harvest's YAML could have are refused,
// and as many as it has are read.
func TestTooMany(t *testing.T) {
	seeds := func(n int) (text string) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "http://a.example/%d\n", i)
		}
		return b.String()
	}
	for _, c := range []struct {
		text, says string
	}{
		{seeds(maxTaken), ""},
		{seeds(maxTaken + 1), "more than 200000 seeds"},
		{seeds(100) + strings.Repeat("+b.example\n", maxSpread/100), ""},
		{seeds(101) + strings.Repeat("+b.example\n", maxSpread/100), "more than 4000000 rules"},
		{strings.Repeat("x y\n", maxYAML), "YAML of more than"},
	} {
		got, err := Read("seeds.txt", []byte(c.text), nil)
		if c.says == "" && (err != nil || len(got.Draft.Sites) != 1) ||
			c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}
