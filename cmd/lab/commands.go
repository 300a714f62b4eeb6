package main

import (
	"github.com/alecthomas/kong"

	"watershed/lab/acceptance"
	"watershed/lab/clusterbench"
	"watershed/lab/collectionbench"
	"watershed/lab/evaluate"
	"watershed/lab/house"
	"watershed/lab/indexes"
	"watershed/lab/mcltool"
	"watershed/lab/provebench"
	"watershed/lab/replaycheck"
	"watershed/lab/replicas"
	"watershed/lab/sketchbench"
	"watershed/lab/suites"
)

// groups are the headings of help.
var groups = []kong.Group{
	{
		Key:   "harvests",
		Title: "A whole harvest, judged from outside, by the finished program and over the wire:",
	},
	{Key: "truth", Title: "Methods, judged on webs whose truth is known, and the tables of the papers:"},
	{Key: "house", Title: "The sources themselves:"},
	{Key: "speed", Title: "Speed, memory and error of the algorithms:"},
}

// commands is the command line.
type commands struct {
	Plan        acceptance.Plan        `cmd:"" group:"harvests" help:"Print the YAML of a harvest of sites of a test web."`
	DNS         acceptance.NameServer  `cmd:"" group:"harvests" name:"dns" help:"Answer for the names of a test web."`
	Score       acceptance.Score       `cmd:"" group:"harvests" help:"Judge the sites that a run found, beside crawls by prefix, host and domain."`
	Log         acceptance.Politeness  `cmd:"" group:"harvests" help:"Judge by a server's access log whether a harvest was polite."`
	Kill        acceptance.Kill        `cmd:"" group:"harvests" help:"Kill a harvest again and again, and compare it with one that nobody disturbed."`
	Drill       acceptance.Drill       `cmd:"" group:"harvests" help:"Kill, swap, damage and copy harvests, and tell what was lost by it."`
	Soak        acceptance.Soak        `cmd:"" group:"harvests" help:"Harvest a web without end, and write down memory, goroutines, descriptors and disk."`
	Epochs      acceptance.Epochs      `cmd:"" group:"harvests" help:"Harvest a web three times as it changes, and judge the recrawls."`
	CopyPlan    acceptance.CopyPlan    `cmd:"" group:"harvests" name:"copyplan" help:"Print the YAML of a harvest of all hosts that hold copies."`
	Copies      acceptance.Copies      `cmd:"" group:"harvests" help:"Tell what each run of a harvest fetched twice over."`
	KillAnalyze acceptance.KillAnalyze `cmd:"" group:"harvests" name:"killanalyze" help:"Kill an analysis of copies again and again, and compare what it wrote."`
	Replay      replaycheck.Pages      `cmd:"" group:"harvests" help:"Open pages in Chromium, live and in the replay, and compare what they load."`

	Evaluate evaluations     `cmd:"" group:"truth" help:"Judge what the program finds on webs whose truth is known."`
	Rank     evaluate.Rank   `cmd:"" group:"truth" help:"Rank pairs of hosts that may be mirrors, by archives, indexes, site maps or lists, in each way of the papers."`
	Replicas copies          `cmd:"" group:"truth" help:"Find copies in archives, by all parameters of the papers, and ask what was found."`
	Indexes  indexes.Compare `cmd:"" group:"truth" help:"Compare the index of archives of others with cdxj-indexer's, record by record."`
	Mcl      mcltool.Command `cmd:"" name:"mcl" group:"truth" help:"Cluster a graph, with the options of van Dongen's program."`

	Suites foreign `cmd:"" group:"truth" help:"Judge the reading of addresses and of robots.txt by the test suites of other people."`

	Sketches    sketches      `cmd:"" group:"speed" help:"Sketches of pages."`
	Clusters    clusters      `cmd:"" group:"speed" help:"Clusters of similar pages."`
	Collections collections   `cmd:"" group:"speed" help:"Replicated collections."`
	House       house.Figures `cmd:"" group:"house" help:"Print how large the program is, how its rooms hang together, and how many options it has."`

	Tests provebench.Tests `cmd:"" group:"speed" help:"Judge the tests of mirrors on a test web, without a network."`
}

type sketches struct {
	Speed    sketchbench.Speed    `cmd:"" help:"MB/s of processor time by each way to select shingles."`
	Error    sketchbench.Error    `cmd:"" help:"The error of estimated resemblance, with a plot."`
	Template sketchbench.Template `cmd:"" help:"Pairs that reach a resemblance of .5 by full text, and by main text."`
}

type clusters struct {
	Cost    clusterbench.Cost      `cmd:"" help:"The cost table of Broder and others (1997, section 7), on a generated corpus of its shape."`
	Docs    clusterbench.Documents `cmd:"" help:"Documents of a file: time, and precision and recall of pairs."`
	Similar clusterbench.Similar   `cmd:"" help:"The time to find similar documents."`
}

type collections struct {
	Web       collectionbench.Web       `cmd:"" help:"The score of each step of the method on a test web, with figures 11 and 12 of Cho and others (2000)."`
	Synthetic collectionbench.Synthetic `cmd:"" help:"Time and memory of a search in a generated web."`
}

type evaluations struct {
	Boundary evaluate.Boundary `cmd:"" help:"Compare ways to draw the boundaries of sites; tables 1 and 2 and figure 10 of Senellart (2003)."`
	Growth   evaluate.Growth   `cmd:"" help:"Tell how early the copies of a test web are known while it is crawled, and what putting back their rest would do."`
	Copies   evaluate.Copies   `cmd:"" help:"Compare the copies found with those that are known, or what runs of a harvest fetched of them."`
	Mirrors  evaluate.Mirrors  `cmd:"" help:"Compare rankings of pairs of hosts; the tables and figures of Bharat and others (1999). Fits the weights, too."`
}

type copies struct {
	Analyze replicas.Analyze `cmd:"" help:"Find the copies in archives that exist: clusters, collections, hosts, as Parquet, CSV and text."`
	Similar replicas.Similar `cmd:"" help:"List the pages that are like a page or a file."`
	Cluster replicas.Cluster `cmd:"" help:"List the pages of a page's cluster, of all sweeps."`
	Found   replicas.Found   `cmd:"" help:"Say where a page is now: the lost and found."`
	Changes replicas.Changes `cmd:"" help:"Say what changed between two sweeps of archives: edited, moved, born, died."`
	Wide    replicas.Wide    `cmd:"" help:"List the texts that most hosts have."`
}

type foreign struct {
	URLs   suites.URLs   `cmd:"" name:"urls" help:"Each case of the URL test data of the web platform tests."`
	Robots suites.Robots `cmd:"" help:"Cases of Google, crawler-commons and Heritrix, of what robots.txt lets a crawler fetch."`
}
