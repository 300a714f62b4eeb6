package configs

// Replicas says what is left out because others hold the same, and how that is found and doubted.
type Replicas struct {
	Sketch   bool     `yaml:"sketch"`
	Find     Find     `yaml:"find"`
	Skip     []int    `yaml:"skip"` // levels of Bharat and Broder, 1 to 5; 0 for replicated collections
	Sample   Share    `yaml:"verify_sample"`
	Pages    int      `yaml:"verify_pages"`
	Agree    Share    `yaml:"agree"`
	Like     Share    `yaml:"similar"`
	Mean     Share    `yaml:"resemblance"`
	Singles  Share    `yaml:"pages"` // 0 for never
	Runs     int      `yaml:"pages_runs"`
	Expire   Duration `yaml:"expire"` // 0 for never
	Failover bool     `yaml:"failover"`
	Table    Path     `yaml:"table"`
	Alias    []string `yaml:"aliases"`
}

// Find says what becomes of replicas that a harvest finds.
type Find string

const (
	FindOff     Find = "off"     // they are not looked for
	FindPropose Find = "propose" // they wait for the archivist
	FindConfirm Find = "confirm" // those with full evidence are left out from the next harvest on, the others wait
)

// Values are the words that may stand in the file.
func (Find) Values() []string { return []string{"off", "propose", "confirm"} }
