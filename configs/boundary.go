package configs

// Boundary has the constants of the method that computes where a site ends, by the names of the
// papers. They hold for all sites of a harvest whose boundary is logical.
type Boundary struct {
	Preset     Preset     `yaml:"preset"`
	Alpha      float64    `yaml:"alpha"`
	X0         float64    `yaml:"x0"`
	Documents  float64    `yaml:"documents"`
	Similarity Similarity `yaml:"similarity"`
	MCL        MCL        `yaml:"mcl"`
	Paper      Paper      `yaml:"paper"`
}

// Similarity says what a link inside a block carries.
type Similarity string

const (
	SimilarityConstant Similarity = "constant"      // 1
	SimilarityEdit     Similarity = "edit_distance" // by the edit distance of the two URLs
)

func (Similarity) Values() []string { return []string{"constant", "edit_distance"} }

// MCLUse says what the Markov clusters are for.
type MCLUse string

const (
	MCLNone MCLUse = "none"
	MCLSoft MCLUse = "soft_sources" // pages of the site's cluster are fed from the source
)

func (MCLUse) Values() []string { return []string{"none", "soft_sources"} }

// MCL says how the Markov Cluster algorithm gives its second opinion.
type MCL struct {
	Use MCLUse `yaml:"use"`
}

// Preset says which method computes the boundaries that are logical.
type Preset string

const (
	PresetShares Preset = "shares" // the recommended one, by mutual shares
	// superset, Markov clusters, on-line flow (Senellart 2003, figure 9)
	PresetPaper    Preset = "senellart2003"
	PresetFlow     Preset = "senellart2003_flow" // of that the flow alone, from the seeds
	PresetClusters Preset = "senellart2003_mcl"  // of that superset and clusters alone
)

func (Preset) Values() []string {
	return []string{"shares", "senellart2003", "senellart2003_flow", "senellart2003_mcl"}
}

// Paper has parameters of the process of Senellart 2003, figure 9. The defaults are the paper's,
// where it gives one; the laboratory reaches the others.
type Paper struct {
	Superset      Superset `yaml:"superset"`
	SupersetPages int      `yaml:"superset_pages"`
	Inflation     float64  `yaml:"inflation"`
	Toll          float64  `yaml:"toll"` // in mean similarities; 0 means as printed
}

// Superset says what is surveyed and clustered to find the site in it.
type Superset string

const (
	SupersetHost   Superset = "host"   // the hosts of the seeds
	SupersetDomain Superset = "domain" // their registrable domains
	SupersetSurvey Superset = "survey" // all that was visited
)

func (Superset) Values() []string { return []string{"host", "domain", "survey"} }

func (c *checker) paper() {
	p := c.h.Boundary.Paper
	c.between("boundary.paper.superset_pages", float64(p.SupersetPages), 1, 1e7)
	c.between("boundary.paper.inflation", p.Inflation, 1.01, 20)
	c.between("boundary.paper.toll", p.Toll, 0, 1)
}
