package configs

import (
	"path/filepath"

	"watershed/page"
)

// Harvest is one YAML file with every default filled in: which sites to fetch, on whose behalf and
// how. It is made by Load and Parse, which have checked it; what their errors say is told in
// errors.go. It is plain data and belongs to the caller.
type Harvest struct {
	Harvest    string     `yaml:"harvest"`
	Operator   Operator   `yaml:"operator"`
	Sites      []Site     `yaml:"sites"`
	Limits     Limits     `yaml:"limits"`
	Politeness Politeness `yaml:"politeness"`
	Fetch      Fetch      `yaml:"fetch"`
	Network    Network    `yaml:"network"`
	Traps      Traps      `yaml:"traps"`
	Boundary   Boundary   `yaml:"boundary"`
	Copies     Copies     `yaml:"copies"`
	Archive    Archive    `yaml:"archive"`
	Browser    Browser    `yaml:"browser"`
	Notify     Notify     `yaml:"notify"`
	Upload     Upload     `yaml:"upload"`
	Schedule   Schedule   `yaml:"schedule"`

	file    string
	whole   string // of which it is a shard
	former  int    // runs that it had elsewhere
	node    string // that harvests the shard
	origins map[string]Position
	spelled map[page.URL]page.Spelling
}

// Spelled is how the file writes a URL, "" where that is the URL itself. A URL that it writes in
// several ways is spelled as it is first.
func (h *Harvest) Spelled(u page.URL) page.Spelling { return h.spelled[u] }

// File is the path that the harvest was read from, as it was given.
func (h *Harvest) File() string { return h.file }

// Folder is where the harvest's runs lie.
func (h *Harvest) Folder() string { return filepath.Join(string(h.Archive.Dir), h.Harvest) }

// Operator is who answers for the harvest. Name and contact go into the User-Agent and into every
// warcinfo record.
type Operator struct {
	Name         string `yaml:"name"`
	Contact      string `yaml:"contact"` // a web address, or mailto: and an address
	Organization string `yaml:"organization"`
}

// Site is one publication to be harvested, with its own seeds and its own boundary.
type Site struct {
	Name  string     `yaml:"name"`
	Seeds []page.URL `yaml:"seeds"`
	// a file of sites that all have the other keys of this entry; empty after Load
	List           Path         `yaml:"list"`
	Characteristic []page.URL   `yaml:"characteristic"`
	Keyword        string       `yaml:"keyword"`
	Superset       []page.URL   `yaml:"superset"`
	Boundary       BoundaryRule `yaml:"boundary"`
	Include        []page.Rule  `yaml:"include"`
	Exclude        []page.Rule  `yaml:"exclude"`
	ExtraHops      int          `yaml:"extra_hops"` // links beyond the boundary that are captured as context
	Links          []LinkRule   `yaml:"links"`
	Login          Login        `yaml:"login"`
	Draw           SiteDraw     `yaml:"draw"`
	Limits         SiteLimits   `yaml:"limits"`
}

// BoundaryRule says how the end of a site is found.
type BoundaryRule string

const (
	BoundaryLogical BoundaryRule = "logical" // computed from the links
	BoundaryPrefix  BoundaryRule = "prefix"  // below the directories of the seeds
	BoundaryHost    BoundaryRule = "host"    // on the hosts of the seeds
	BoundaryDomain  BoundaryRule = "domain"  // on the registrable domains of the seeds
	BoundaryList    BoundaryRule = "list"    // the seeds alone, with their requisites
)

func (BoundaryRule) Values() []string { return []string{"logical", "prefix", "host", "domain", "list"} }

// LinkRule says what becomes of links by the page on which they stand.
type LinkRule struct {
	From page.Rule `yaml:"from"` // of that page
	To   page.Rule `yaml:"to"`   // of the page that the link leads to; the zero Rule for any
	Do   LinkDo    `yaml:"do"`
}

// LinkDo says what becomes of a link.
type LinkDo string

const (
	LinkTake  LinkDo = "take"  // the page is captured as context
	LinkLeave LinkDo = "leave" // as if the link were not there
)

func (LinkDo) Values() []string { return []string{"take", "leave"} }

// SiteLimits ends one site; 0 means no limit.
type SiteLimits struct {
	Pages int64 `yaml:"pages"`
	Files int64 `yaml:"files"`
	Bytes Size  `yaml:"bytes"`
	Depth int   `yaml:"depth"` // links from the nearest seed
}

// Limits ends the harvest as a whole; 0 means no limit.
type Limits struct {
	Time     Duration   `yaml:"time"`
	Pages    int64      `yaml:"pages"`
	Files    int64      `yaml:"files"`
	Bytes    Size       `yaml:"bytes"`
	FreeDisk Size       `yaml:"free_disk"` // the harvest pauses when less is left
	DiskWait Duration   `yaml:"disk_wait"` // how long it pauses before it stops
	Host     HostLimits `yaml:"host"`
}

// HostLimits ends what is taken from each single host; 0 means no limit.
type HostLimits struct {
	Pages int64 `yaml:"pages"`
	Files int64 `yaml:"files"`
	Bytes Size  `yaml:"bytes"`
}

// Path is the name of a file or folder. In the YAML a relative one counts from the folder of the
// YAML; Load and Parse make it relative to the working directory.
type Path string
