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
