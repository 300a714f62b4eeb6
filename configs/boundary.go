package configs

// Boundary has the constants of the method that computes where a site ends, by the names of the papers. They hold for all
// sites of a harvest whose boundary is logical.
type Boundary struct {
	Preset        Preset  `yaml:"preset"`
	Alpha         float64 `yaml:"alpha"`
	ForeignFactor float64 `yaml:"foreign_factor"`
	Beta          float64 `yaml:"beta"`
	X0            float64 `yaml:"x0"`
	Power         float64 `yaml:"power"`
	ProbeShare    float64 `yaml:"probe_share"`
	Probes        int     `yaml:"probes"`
	Bundle        float64 `yaml:"bundle"`
	Rho           float64 `yaml:"rho"`
	AnchorMass    float64 `yaml:"anchor_mass"`
	PhiMax        float64 `yaml:"phi_max"`
	Sigma         float64 `yaml:"sigma"` // of the edit distance; 0 means measured
	MCL           MCL     `yaml:"mcl"`
}

// Preset names a set of defaults for the rest of Boundary.
type Preset string

const (
	PresetDefault   Preset = "default"       // what measured best
	PresetSenellart Preset = "senellart2003" // the paper as printed
)

// Values are the words that may stand in the file.
func (Preset) Values() []string { return []string{"default", "senellart2003"} }

// MCL has the constants of the Markov Cluster algorithm that gives the second opinion.
type MCL struct {
	Enabled   bool    `yaml:"enabled"`
	Inflation float64 `yaml:"inflation"`
}
