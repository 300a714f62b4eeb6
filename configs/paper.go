package configs

// Preset says which method computes the boundaries that are logical.
type Preset string

const (
	PresetShares Preset = "shares" // the recommended one, by mutual shares
	// superset, Markov clusters, on-line flow (Senellart 2003, figure 9)
	PresetPaper    Preset = "senellart2003"
	PresetFlow     Preset = "senellart2003_flow" // of that the flow alone, from the seeds
	PresetClusters Preset = "senellart2003_mcl"  // of that superset and clusters alone
)

// Values are the words that may stand in the file.
func (Preset) Values() []string {
	return []string{"shares", "senellart2003", "senellart2003_flow", "senellart2003_mcl"}
}

// Paper has the parameters of the process of Senellart 2003, figure 9. The defaults are the
// paper's, where it gives one.
type Paper struct {
	Superset        Superset  `yaml:"superset"`
	SupersetPages   int       `yaml:"superset_pages"`
	Inflation       float64   `yaml:"inflation"`
	MaxCluster      int       `yaml:"max_cluster"`
	MaxClusterShare float64   `yaml:"max_cluster_share"`
	InflationStep   float64   `yaml:"inflation_step"`
	MaxInflation    float64   `yaml:"max_inflation"`
	PruningScheme   int       `yaml:"pruning_scheme"`
	Distance        Distance  `yaml:"distance"`
	Sigma           float64   `yaml:"sigma"` // 0 means measured
	EpsilonDistance float64   `yaml:"epsilon_distance"`
	Toll            float64   `yaml:"toll"` // in mean similarities; 0 means by epsilon_distance
	SourceHeight    int       `yaml:"source_height"`
	Threshold       float64   `yaml:"threshold"`
	MaxSteps        int64     `yaml:"max_steps"`
	Order           FlowOrder `yaml:"order"`
	Side            FlowSide  `yaml:"side"`
}

// Superset says what is surveyed and clustered to find the site in it.
type Superset string

const (
	SupersetHost   Superset = "host"   // the hosts of the seeds
	SupersetDomain Superset = "domain" // their registrable domains
	SupersetSurvey Superset = "survey" // all that was visited
)

// Values are the words that may stand in the file.
func (Superset) Values() []string { return []string{"host", "domain", "survey"} }

// Distance says what the edit distance of two URLs counts.
type Distance string

const (
	DistanceTokens     Distance = "tokens"
	DistanceCharacters Distance = "characters"
)

// Values are the words that may stand in the file.
func (Distance) Values() []string { return []string{"tokens", "characters"} }

// FlowOrder says which page with overflow is next.
type FlowOrder string

const (
	OrderMaxOverflow FlowOrder = "max_overflow"
	OrderOldest      FlowOrder = "oldest_first"
	OrderNewest      FlowOrder = "newest_first"
)

// Values are the words that may stand in the file.
func (FlowOrder) Values() []string { return []string{"max_overflow", "oldest_first", "newest_first"} }

// FlowSide says what is the source's side of a flow that has stopped.
type FlowSide string

const (
	SideNoPathToSink FlowSide = "no_path_to_sink" // pages without a residual path to the sink
	SideFromSource   FlowSide = "from_source"     // pages that the source or an overflow reaches
	SideSourceHigh   FlowSide = "source_high"     // pages as high as the source
)

// Values are the words that may stand in the file.
func (FlowSide) Values() []string {
	return []string{"no_path_to_sink", "from_source", "source_high"}
}

func (c *checker) paper() {
	p := c.h.Boundary.Paper
	c.between("boundary.paper.superset_pages", float64(p.SupersetPages), 1, 1e7)
	c.between("boundary.paper.inflation", p.Inflation, 1.01, 20)
	c.between("boundary.paper.max_cluster", float64(p.MaxCluster), 1, 1e9)
	c.between("boundary.paper.max_cluster_share", p.MaxClusterShare, .001, 1)
	c.between("boundary.paper.inflation_step", p.InflationStep, .01, 20)
	c.between("boundary.paper.max_inflation", p.MaxInflation, 1.01, 20)
	c.between("boundary.paper.pruning_scheme", float64(p.PruningScheme), 1, 7)
	c.between("boundary.paper.sigma", p.Sigma, 0, 1000)
	c.between("boundary.paper.epsilon_distance", p.EpsilonDistance, .1, 1000)
	c.between("boundary.paper.toll", p.Toll, 0, 1)
	c.between("boundary.paper.source_height", float64(p.SourceHeight), 0, 1e9)
	c.between("boundary.paper.threshold", p.Threshold, 0, 1000)
	c.atLeast("boundary.paper.max_steps", p.MaxSteps, 0)
}
