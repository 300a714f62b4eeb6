package main

import (
	_ "embed"

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

// helpTexts are the help of commands, flags and arguments.
//
//go:embed help.txt
var helpTexts string

// commands is the command line; its help is in help.txt.
type commands struct {
	Plan     acceptance.Plan       `cmd:"" group:"harvests"`
	DNS      acceptance.NameServer `cmd:"" group:"harvests" name:"dns"`
	Score    acceptance.Score      `cmd:"" group:"harvests"`
	Log      acceptance.Politeness `cmd:"" group:"harvests"`
	Drill    acceptance.Drill      `cmd:"" group:"harvests"`
	Ten      acceptance.Ten        `cmd:"" group:"harvests"`
	Soak     acceptance.Soak       `cmd:"" group:"harvests"`
	Epochs   acceptance.Epochs     `cmd:"" group:"harvests"`
	CopyPlan acceptance.CopyPlan   `cmd:"" group:"harvests" name:"copyplan"`
	Copies   acceptance.Copies     `cmd:"" group:"harvests"`
	Attacks  acceptance.Attacks    `cmd:"" group:"harvests"`
	Replay   replaycheck.Pages     `cmd:"" group:"harvests"`

	Evaluate evaluations     `cmd:"" group:"truth"`
	Rank     evaluate.Rank   `cmd:"" group:"truth"`
	Replicas copies          `cmd:"" group:"truth"`
	Indexes  indexes.Compare `cmd:"" group:"truth"`
	Mcl      mcltool.Command `cmd:"" name:"mcl" group:"truth"`

	Suites foreign `cmd:"" group:"truth"`

	Sketches    sketches      `cmd:"" group:"speed"`
	Clusters    clusters      `cmd:"" group:"speed"`
	Collections collections   `cmd:"" group:"speed"`
	House       house.Figures `cmd:"" group:"house"`

	Tests provebench.Tests `cmd:"" group:"speed"`
}

type sketches struct {
	Error sketchbench.Error `cmd:""`
}

type clusters struct {
	Cost clusterbench.Cost      `cmd:""`
	Docs clusterbench.Documents `cmd:""`
}

type collections struct {
	Web       collectionbench.Web       `cmd:""`
	Synthetic collectionbench.Synthetic `cmd:""`
}

type evaluations struct {
	Boundary evaluate.Boundary `cmd:""`
	Copies   evaluate.Copies   `cmd:""`
	Mirrors  evaluate.Mirrors  `cmd:""`
}

type copies struct {
	Analyze replicas.Analyze `cmd:""`
	Similar replicas.Similar `cmd:""`
	Cluster replicas.Cluster `cmd:""`
	Found   replicas.Found   `cmd:""`
	Changes replicas.Changes `cmd:""`
}

type foreign struct {
	URLs   suites.URLs   `cmd:"" name:"urls"`
	Robots suites.Robots `cmd:""`
}
