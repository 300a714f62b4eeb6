package configs

// Copies says what is left out because others hold the same, and how that is found and doubted.
type Copies struct {
	Preset   Thrift   `yaml:"preset"`
	Sketch   bool     `yaml:"sketch"`
	Find     Find     `yaml:"find"`
	Prune    Prune    `yaml:"prune"`
	Skip     []int    `yaml:"skip"` // levels of Bharat and Broder, 1 to 5; 0 for replicated collections
	Sample   Share    `yaml:"verify_sample"`
	Pages    int      `yaml:"verify_pages"`
	Mean     Share    `yaml:"resemblance"`
	Singles  Share    `yaml:"pages"` // 0 for never
	Runs     int      `yaml:"pages_runs"`
	Expire   Duration `yaml:"expire"` // 0 for never
	Failover bool     `yaml:"failover"`
	Table    Path     `yaml:"table"`
	Alias    []string `yaml:"aliases"`
}

// Thrift names values of the keys of copies that go together. Keys that are given themselves win
// over it.
type Thrift string

const (
	ThriftCareful Thrift = "careful" // the defaults
	// what Cho, Shivakumar and Garcia-Molina 2000, section 5.1, told a second crawl to avoid
	ThriftCho  Thrift = "cho2000"
	ThriftOnce Thrift = "once" // as few samples as that, and the single pages that are like another one
)

func (Thrift) Values() []string { return []string{"careful", "cho2000", "once"} }

// prefer fills in what the preset says of keys that are not given, which then have its place in the
// file.
func (d *decoder) prefer(r *Copies) {
	at, ok := d.origins["copies.preset"]
	if !ok || r.Preset != ThriftCho && r.Preset != ThriftOnce {
		return
	}
	set := func(key string, fill func()) {
		if _, given := d.origins["copies."+key]; !given {
			fill()
			d.origins["copies."+key] = at
		}
	}
	set("find", func() { r.Find = FindConfirm })
	set("verify_sample", func() { r.Sample = 0 })
	set("verify_pages", func() { r.Pages = 1 })
	if r.Preset == ThriftCho {
		set("resemblance", func() { r.Mean = .5 })
		return
	}
	set("pages", func() { r.Singles = .8 })
	set("pages_runs", func() { r.Runs = 1 })
}

// Find says what becomes of copies that a harvest finds.
type Find string

const (
	FindOff     Find = "off"     // they are not looked for
	FindPropose Find = "propose" // they wait for the archivist
	// those with full evidence are left out from the next harvest on, the others wait
	FindConfirm Find = "confirm"
)

// Prune says from when on copies are left out.
type Prune string

const (
	PruneRun   Prune = "run"   // from when the crawl shows them, and as below
	PruneNext  Prune = "next"  // from the harvest on that follows the one that confirms them
	PruneNever Prune = "never" // nothing is left out, whatever the table says
)

func (Prune) Values() []string { return []string{"run", "next", "never"} }

func (Find) Values() []string { return []string{"off", "propose", "confirm"} }
