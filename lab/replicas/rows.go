package replicas

// The rows of the tables that a search writes: docs/formats/catalog.md. The fields are the
// columns, in order. None has a name that SQL reserves, so that queries need no quotes.

// pageRow is a current page.
type pageRow struct {
	URL     string `parquet:"url"`
	Host    string `parquet:"host"`
	Sweep   uint32 `parquet:"sweep"`
	Time    int64  `parquet:"time,timestamp(millisecond)"`
	Size    uint32 `parquet:"size"`
	Digest  uint64 `parquet:"digest"`  // the first 8 bytes; 0 for unknown
	Cluster uint32 `parquet:"cluster"` // 0 for a page that is like no other
	Similar uint32 `parquet:"alike"`   // current pages of the cluster, this one included
	Part    bool   `parquet:"part"`    // of pages, such as an image
}

// documentRow is a current page as replicas analyze reads it again: what is compared, and its links.
type documentRow struct {
	URL      string   `parquet:"url"`
	Time     int64    `parquet:"time,timestamp(millisecond)"`
	Size     uint32   `parquet:"size"`
	Digest   uint64   `parquet:"digest"` // the first 8 bytes; 0 for unknown
	Label    uint64   `parquet:"label"`  // hash of a digest of another kind
	Part     bool     `parquet:"part"`   // of pages, such as an image
	Tokens   uint32   `parquet:"tokens"`
	Rate     float64  `parquet:"rate"` // of the page's shingles, that the sketch keeps
	Lexical  uint64   `parquet:"lexical"`
	Sketch   []byte   `parquet:"sketch"`        // docs/formats/sketch.md; empty without text
	Shingles []uint64 `parquet:"shingles,list"` // the values of the sketch
	Links    []uint64 `parquet:"links,list"`    // keys of pages
}

// clusterRow is a document of a cluster, of whatever sweep.
type clusterRow struct {
	Cluster  uint32 `parquet:"cluster"`
	Rank     uint32 `parquet:"rank"` // from 1, the representative
	URL      string `parquet:"url"`
	Sweep    uint32 `parquet:"sweep"`
	Time     int64  `parquet:"time,timestamp(millisecond)"`
	Relation string `parquet:"relation"` // to the representative
	Current  bool   `parquet:"current"`
}

// collectionRow is a replicated collection.
type collectionRow struct {
	Collection     uint32 `parquet:"collection"`
	Cardinality    uint32 `parquet:"cardinality"`
	Size           uint32 `parquet:"size"`
	Origin         string `parquet:"origin"`
	Representative string `parquet:"representative"`
}

// replicaRow is a replica of a collection, and what may be left out because of it.
type replicaRow struct {
	Collection  uint32  `parquet:"collection"`
	Replica     uint32  `parquet:"replica"` // from 1, the representative
	Host        string  `parquet:"host"`
	Prefix      string  `parquet:"prefix"`
	Pages       uint32  `parquet:"pages"` // mapped
	Similar     uint32  `parquet:"alike"`
	Moved       uint32  `parquet:"moved"`
	Nearby      uint32  `parquet:"nearby"`
	Known       uint32  `parquet:"known"`
	Coverage    float64 `parquet:"coverage"`
	Links       uint32  `parquet:"links"`
	LinksCommon uint32  `parquet:"links_common"`
	InLinks     uint32  `parquet:"in_links"`
	// The next columns are of the proposal, and empty where no rule by prefix can be told.
	From        string  `parquet:"rule_from"`
	To          string  `parquet:"rule_to"`
	FromPages   uint32  `parquet:"from_pages"`
	Common      uint32  `parquet:"from_common"`
	Agreed      uint32  `parquet:"from_agreed"`
	Unlike      uint32  `parquet:"from_unlike"`
	Alone       uint32  `parquet:"from_alone"`
	Containment float64 `parquet:"containment"`
	Purity      float64 `parquet:"purity"`
	Resemblance float64 `parquet:"resemblance"`
	Full        bool    `parquet:"full_evidence"`
	Lacks       string  `parquet:"lacks"`
}

// mappingRow maps a page of a replica to that of the representative.
type mappingRow struct {
	Collection  uint32  `parquet:"collection"`
	Replica     uint32  `parquet:"replica"`
	Page        string  `parquet:"page"`
	Original    string  `parquet:"original"`
	Likeness    string  `parquet:"likeness"`
	Resemblance float64 `parquet:"resemblance"`
}

// wideRow is a text that many hosts have.
type wideRow struct {
	Cluster        uint32 `parquet:"cluster"`
	Hosts          uint32 `parquet:"hosts"`
	Documents      uint32 `parquet:"documents"`
	Representative string `parquet:"representative"`
}

// commonRow is a shingle that is left out of comparisons.
type commonRow struct {
	Shingle   uint64 `parquet:"shingle"`
	Documents uint32 `parquet:"documents"`
	URL       string `parquet:"url"`
}
