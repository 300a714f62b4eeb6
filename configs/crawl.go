package configs

import (
	"net/netip"

	"watershed/page"
)

// Politeness says how gently hosts are asked. There is never more than one request at a time to a
// host or to an address.
type Politeness struct {
	DelayFactor   float64          `yaml:"delay_factor"`
	MinDelay      Duration         `yaml:"min_delay"`
	MaxDelay      Duration         `yaml:"max_delay"`
	AddressDelay  Duration         `yaml:"address_delay"`
	DrawnDelay    Duration         `yaml:"drawn_delay"`
	CrawlDelayMax Duration         `yaml:"crawl_delay_max"`
	Shared        Shared           `yaml:"shared"`
	SharedDir     Path             `yaml:"shared_dir"` // "" for one of the user's cache
	Cluster       Path             `yaml:"cluster"`    // "" for none
	Robots        Robots           `yaml:"robots"`
	RobotsReason  string           `yaml:"robots_reason"` // required when robots is ignore
	NoFollow      NoFollow         `yaml:"nofollow"`
	Retry         Retry            `yaml:"retry"`
	Hosts         []HostPoliteness `yaml:"hosts"` // of each option the last that sets it counts
}

// Shared says whether a harvest heeds the others of the machine.
type Shared string

const (
	SharedAuto   Shared = "auto" // where names and addresses are those of the web
	SharedAlways Shared = "always"
	SharedNever  Shared = "never"
)

func (Shared) Values() []string { return []string{"auto", "always", "never"} }

// Shares reports whether the harvest heeds others.
func (h *Harvest) Shares() bool {
	n := &h.Network
	own := len(n.Resolve) > 0 || n.HostsFile != "" || len(n.DialPorts) > 0
	return h.Politeness.Shared == SharedAlways || h.Politeness.Shared == SharedAuto && !own
}

// Robots says whether robots.txt is obeyed.
type Robots string

const (
	RobotsObey   Robots = "obey"
	RobotsIgnore Robots = "ignore"
)

func (Robots) Values() []string { return []string{"obey", "ignore"} }

// NoFollow says what becomes of links that their page marks as not to be followed.
type NoFollow string

const (
	NoFollowFollow NoFollow = "follow" // as any other link
	NoFollowSkip   NoFollow = "skip"   // not fetched for their sake
)

func (NoFollow) Values() []string { return []string{"follow", "skip"} }

// Retry says how often a URL is tried that could not be fetched for want of an address, a
// connection or an answer.
type Retry struct {
	Attempts int      `yaml:"attempts"` // in all
	Delay    Duration `yaml:"delay"`    // before the second one; it doubles
	MaxDelay Duration `yaml:"max_delay"`

	// in a row on one host without an answer, after which it is given up
	HostAttempts int `yaml:"host_attempts"`
}

// HostPoliteness overrides the politeness of the hosts that match; nil and "" keep what earlier entries
// say, and what holds for all.
type HostPoliteness struct {
	Match        page.HostPattern `yaml:"match"`
	DelayFactor  *float64         `yaml:"delay_factor"`
	MinDelay     *Duration        `yaml:"min_delay"`
	MaxDelay     *Duration        `yaml:"max_delay"`
	Robots       Robots           `yaml:"robots"`
	RobotsReason string           `yaml:"robots_reason"` // required when robots is ignore
}

// Fetch bounds a single exchange.
type Fetch struct {
	Workers        int      `yaml:"workers"`
	Timeout        Duration `yaml:"timeout"`
	ConnectTimeout Duration `yaml:"connect_timeout"`
	MaxBody        Size     `yaml:"max_body"`
	MaxHead        Size     `yaml:"max_head"`
	BodyMemory     Size     `yaml:"body_memory"`
	UserAgent      string   `yaml:"user_agent"` // product token; version, contact and name are added
	Cookies        Cookies  `yaml:"cookies"`
}

// Cookies says which cookies requests have, logins apart.
type Cookies string

const (
	CookiesNeeded Cookies = "needed" // those without which a host gives no pages
	CookiesNever  Cookies = "never"
)

func (Cookies) Values() []string { return []string{"needed", "never"} }

// Network says how hosts are reached.
type Network struct {
	Proxy        string            `yaml:"proxy"` // "" for none
	AllowPrivate []netip.Prefix    `yaml:"allow_private"`
	Resolve      []Resolve         `yaml:"resolve"` // the most exact one that matches a host counts
	HostsFile    Path              `yaml:"hosts_file"`
	DialPorts    map[uint16]uint16 `yaml:"dial_ports"`
	Resolvers    []netip.AddrPort  `yaml:"resolvers"` // DNS servers; none for the system's
}

// Resolve names the address of hosts by hand: of one name, of all names below one
// ("*.example.org"), or of all ("*").
type Resolve struct {
	Match   page.HostPattern `yaml:"match"`
	Address netip.Addr       `yaml:"address"`
}

// Traps are the shapes of URLs that are not fetched because no site needs them; 0 switches a rule
// off.
type Traps struct {
	MaxURLLength        int `yaml:"max_url_length"` // bytes
	MaxPathDepth        int `yaml:"max_path_depth"` // segments
	MaxRepeatedSegments int `yaml:"max_repeated_segments"`
	MaxHops             int `yaml:"max_hops"`
	MaxHosts            int `yaml:"max_hosts"`  // of a registrable domain
	MaxNested           int `yaml:"max_nested"` // likewise

	// that a place must have brought before it can be stopped; 0 stops none
	NoveltyPages int   `yaml:"novelty_pages"`
	MinNovelty   Share `yaml:"min_novelty"` // part of their text that must be new
}

// Archive says what is written and where.
type Archive struct {
	Dir       Path    `yaml:"dir"`
	Prefix    string  `yaml:"prefix"` // of file names; "" for the harvest's name
	WARCSize  Size    `yaml:"warc_size"`
	GzipLevel int     `yaml:"gzip_level"`
	Outside   Outside `yaml:"outside"`
	WACZ      bool    `yaml:"wacz"`
	PageText  bool    `yaml:"page_text"` // in the package
	Key       Path    `yaml:"key"`       // that signs packages; "" for none
	Dedupe    Dedupe  `yaml:"dedupe"`
}

// Outside says what becomes of captures that the boundary left out.
type Outside string

const (
	OutsideDrop Outside = "drop"
	OutsideKeep Outside = "keep" // in WARC files of their own
)

func (Outside) Values() []string { return []string{"drop", "keep"} }

// Dedupe says when a payload that is held already is written as a revisit record.
type Dedupe struct {
	Enabled bool     `yaml:"enabled"`
	MaxAge  Duration `yaml:"max_age"` // of the capture referred to; 0 for any
}
