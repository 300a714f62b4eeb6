package replicas

import (
	"cmp"

	"watershed/replica/catalog"
	"watershed/replica/cluster"
	"watershed/replica/collection"
	"watershed/replica/sketch"
)

// method has the parameters of both papers. How sketches are made is settled when a folder is begun;
// an option of sketches or clusters that is not given has the value that the folder has.
type method struct {
	Width int    `group:"Sketches:" placeholder:"W"`
	Bits  int    `group:"Sketches:" placeholder:"N"`
	Size  int    `group:"Sketches:" placeholder:"S"`
	Salt  uint64 `group:"Sketches:" placeholder:"N"`

	Threshold   float64 `group:"Clusters:" placeholder:"R"`
	Containment float64 `group:"Clusters:" placeholder:"C"`
	Common      int     `group:"Clusters:" placeholder:"N"`
	MinSample   int     `group:"Clusters:" placeholder:"N"`
	Super       int     `group:"Clusters:" placeholder:"N"`
	SuperLength int     `group:"Clusters:" placeholder:"N"`

	MinPages    int      `group:"Collections:" default:"10"`
	Strict      bool     `group:"Collections:"`
	Faithful    bool     `group:"Collections:"`
	Cores       bool     `group:"Collections:"`
	AcrossSites bool     `group:"Collections:"`
	Rank        string   `group:"Collections:" enum:"fullest,earliest,linked" default:"fullest"`
	Prefer      []string `group:"Collections:" sep:"none" placeholder:"PREFIX"`
}

// options are those of the catalog; what was not given is zero.
func (m *method) options() catalog.Options {
	o := catalog.Options{
		Sketch: sketch.Options{
			Width: m.Width, Bits: m.Bits, Size: m.Size, Salt: m.Salt,
		},
		SuperLength: m.SuperLength,
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
