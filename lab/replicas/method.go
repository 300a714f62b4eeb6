package replicas

import (
	"cmp"

	"watershed/replica/catalog"
	"watershed/replica/cluster"
	"watershed/replica/collection"
	"watershed/replica/sketch"
)

// method has the parameters of both papers. The options that are settled when a folder is begun
// (sketches, --common, --min-sample, --super) hold for all later sweeps; an option that is not
// given has the value that the folder has.
type method struct {
	Width    int     `group:"Sketches:" placeholder:"W" help:"Tokens in a shingle. Default: 10."`
	Bits     int     `group:"Sketches:" placeholder:"N" help:"Bits of a fingerprint, 40 or 64. Default: 40."`
	Select   string  `group:"Sketches:" enum:",min,mod,mod-size" default:"" placeholder:"WAY" help:"Shingles that are kept: min, the smallest; mod, those divisible by --modulus; mod-size, by 2^i for documents of 100*2^i tokens. Default: min."`
	Size     int     `group:"Sketches:" placeholder:"S" help:"How many min keeps. Default: 128."`
	Modulus  int     `group:"Sketches:" placeholder:"M" help:"Of mod. Default: 25."`
	HalfSize bool    `group:"Sketches:" help:"Let mod-size keep half as many: the 50 to 100 that the paper prints."`
	Bigrams  bool    `group:"Sketches:" help:"Take two neighbours for a token where words are not spaced, as in Chinese. Default: each character."`
	Salt     uint64  `group:"Sketches:" placeholder:"N" help:"Keep other shingles than everybody does: for texts that were altered so that usual sketches do not show it."`
	MainText float64 `group:"Sketches:" placeholder:"SHARE" help:"Leave out what more than this share of a host's texts have in common: its template; .2 serves. Default: 0, nothing."`

	Threshold   float64 `group:"Clusters:" placeholder:"R" help:"Resemblance from which on pages are similar. Default: 0.5."`
	Containment float64 `group:"Clusters:" placeholder:"C" help:"Containment from which on pages are similar, too; -1 for never. Default: never."`
	Common      int     `group:"Clusters:" placeholder:"N" help:"Documents above which a shingle says nothing, and is listed. Default: 1000."`
	MinSample   int     `group:"Clusters:" placeholder:"N" help:"Shingles that a resemblance must rest on. Default: 1; 16 makes the standard error at most 1/8."`
	Super       int     `group:"Clusters:" placeholder:"N" help:"Compare super shingles instead: pages are similar that have so many of 6 in common; 1 is the paper's way, 2 later practice. Questions of similar are then not answered."`
	SuperLength int     `group:"Clusters:" placeholder:"N" help:"With --super: make super shingles of each so many values of a sketch, in order, as the paper does. Default: six of 14 each, out of 84 minima."`

	MinPages    int      `group:"Collections:" default:"10" help:"Pages that make a collection."`
	Strict      bool     `group:"Collections:" help:"Let trivial clusters be merged only where all sites have both, as in section 3 of the paper."`
	Faithful    bool     `group:"Collections:" help:"Merge as printed, without a look at which page links to which."`
	Cores       bool     `group:"Collections:" help:"Neither join collections over gaps nor extend them by pages nearby."`
	AcrossSites bool     `group:"Collections:" help:"Let a replica lie on several hosts."`
	Rank        string   `group:"Collections:" enum:"fullest,earliest,linked" default:"fullest" help:"The replica that represents a collection: the fullest replica, the one seen first, or the one most linked."`
	Prefer      []string `group:"Collections:" sep:"none" placeholder:"PREFIX" help:"Let replicas whose directory begins so represent their collections; may be given several times."`
}

// options are those of the catalog; what was not given is zero.
func (m *method) options() catalog.Options {
	o := catalog.Options{
		Sketch: sketch.Options{
			Width: m.Width, Bits: m.Bits, Size: m.Size, Modulus: m.Modulus,
			HalfSize: m.HalfSize, Salt: m.Salt,
			Selection: map[string]sketch.Selection{"mod": sketch.Mod, "mod-size": sketch.ModSize}[m.Select],
		},
		MainText: m.MainText, SuperLength: m.SuperLength,
		Cluster: cluster.Options{
			Threshold: m.Threshold, Containment: m.Containment, MaxDocuments: m.Common,
			MinSample: m.MinSample, Super: m.Super,
		},
		Collection: collection.Options{
			MinPages: m.MinPages, Faithful: m.Faithful, CoresOnly: m.Cores, AcrossSites: m.AcrossSites,
			Rank: map[string]collection.Rank{
				"fullest": collection.Fullest, "earliest": earliest,
				"linked": collection.MostLinked,
			}[m.Rank],
		},
	}
	if m.Bigrams {
		o.Sketch.Spaceless = sketch.Bigrams
	}
	if m.Strict {
		o.Collection.Condition = collection.Strict
	}
	if len(m.Prefer) > 0 {
		o.Collection.Rank = collection.Prefer(m.Prefer, o.Collection.Rank)
	}
	return o
}

// earliest prefers the replica seen first, then the most linked one; an unknown time comes last.
func earliest(a, b collection.Candidate) int {
	if (a.First == 0) != (b.First == 0) {
		return cmp.Compare(b.First, a.First)
	}
	return cmp.Or(cmp.Compare(a.First, b.First), collection.MostLinked(a, b))
}
