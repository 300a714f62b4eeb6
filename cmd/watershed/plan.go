package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/mail"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"watershed/archive"
	"watershed/configs"
	"watershed/crawler"
	"watershed/crawler/draw"
	"watershed/crawler/extract"
	"watershed/crawler/fetch"
	"watershed/crawler/robots"
	"watershed/frontier"
	"watershed/harvest"
	"watershed/internal/disk"
	"watershed/page"
	"watershed/replica"
	"watershed/replica/catalog"
	"watershed/replica/novelty"
	"watershed/replica/sketch"
	"watershed/sitemap"
)

// folderOf is where a harvest's files lie.
func folderOf(c *configs.Harvest) harvest.Folder {
	return harvest.Folder(c.Folder())
}

// planOf makes the options of a harvest's parts out of its YAML.
func planOf(c *configs.Harvest, log *slog.Logger) (harvest.Plan, error) {
	text, err := os.ReadFile(c.File())
	if err != nil {
		return harvest.Plan{}, fmt.Errorf("read configuration: %w", err)
	}
	p := harvest.Plan{
		Name: c.Harvest, Title: c.Harvest, Former: c.Former(),
		Config: []byte(page.Redact(string(text))), Changed: changed(c),
		Survey: surveyOf(&c.Boundary), Frontier: frontierOf(c, log),
		Robots: robots.Options{
			Product:  c.Fetch.UserAgent,
			Retry:    time.Duration(c.Politeness.Retry.Delay),
			MaxRetry: time.Duration(c.Politeness.Retry.MaxDelay),
		},
		Extract:     extract.Options{Agent: c.Fetch.UserAgent, Lazy: true, Icons: true},
		KeepOutside: c.Archive.Outside == configs.OutsideKeep, WACZ: c.Archive.WACZ,
		PageText: c.Archive.PageText, Log: log,
	}
	if c.Archive.Key != "" {
		if p.Key, err = archive.ReadKey(string(c.Archive.Key)); err != nil {
			return p, fmt.Errorf("archive.key: %w", err)
		}
	}
	p.Survey.GuessSitemaps = true
	if c.Politeness.NoFollow == configs.NoFollowFollow {
		p.Extract.Follow = true
	} else {
		p.Survey.HeedNoFollow = true
	}
	for i := range c.Sites {
		s, err := siteOf(&c.Sites[i])
		if err != nil {
			return p, err
		}
		p.Sites = append(p.Sites, s)
		if c.Sites[i].Login.Apart {
			p.Apart = append(p.Apart, s.Name)
		}
		p.Frontier.Sites = append(p.Frontier.Sites, frontier.Site{Name: s.Name, Limits: frontier.Limits{
			Pages: c.Sites[i].Limits.Pages, Files: c.Sites[i].Limits.Files,
			Bytes: c.Sites[i].Limits.Bytes.Bytes(), Depth: c.Sites[i].Limits.Depth,
		}})
	}
	p.LoginOf = loginNames(c)
	if p.Fetch, err = fetchOf(c); err != nil {
		return p, err
	}
	p.Archive = archiveOf(c, p.Fetch.UserAgent, p.Fetch.From)
	p.Crawl = crawlOf(c, log)
	if p.Crawl.Draws != nil {
		p.Draw = drawOf(c, p.Fetch.UserAgent)
	}
	if c.Traps.NoveltyPages > 0 {
		p.Novelty = &novelty.Options{Pages: c.Traps.NoveltyPages, Least: float64(c.Traps.MinNovelty)}
	}
	p.Replicas, err = replicasOf(&c.Copies)
	return p, err
}

func replicasOf(r *configs.Copies) (harvest.Replicas, error) {
	p := harvest.Replicas{
		Options: replica.Options{
			Skip: append([]int{}, r.Skip...), Sample: zero(float64(r.Sample)), MinSample: zero(r.Pages),
			Expire: zero64(r.Expire),
		},
		Find: r.Find != configs.FindOff, Confirm: r.Find == configs.FindConfirm, Aliases: r.Alias,
		Now:      r.Prune == configs.PruneRun,
		Failover: r.Failover,
		Rule:     catalog.Rule{Resemblance: float64(r.Mean)}, Singles: float64(r.Singles), SingleRuns: r.Runs,
	}
	if r.Prune == configs.PruneNever {
		p.Options.Skip, p.Singles = []int{}, 0
	}
	if r.Table == "" {
		return p, nil
	}
	if _, err := os.Stat(string(r.Table)); err != nil {
		return p, fmt.Errorf("copies.table: %w", err)
	}
	var err error
	if p.Override, err = harvest.ReadTable(string(r.Table)); err != nil {
		return p, fmt.Errorf("copies.table: %w", err)
	}
	return p, nil
}

// changed is a digest of what decides on the boundary.
func changed(c *configs.Harvest) string {
	sum := sha256.New()
	for _, o := range c.Effective() {
		if strings.Contains(o.Key, "].login.") {
			continue // it decides on nothing of the boundary
		}
		if strings.HasPrefix(o.Key, "sites") || strings.HasPrefix(o.Key, "boundary") {
			fmt.Fprintf(sum, "%s=%s\n", o.Key, o.Value)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func siteOf(s *configs.Site) (sitemap.Site, error) {
	mode, err := sitemap.ParseMode(string(s.Boundary))
	if err != nil {
		return sitemap.Site{}, err
	}
	site := sitemap.Site{
		Name: s.Name, Seeds: s.Seeds, Characteristic: s.Characteristic, Keyword: s.Keyword,
		Superset: s.Superset, Boundary: mode,
		Include: s.Include, Exclude: s.Exclude, ExtraHops: s.ExtraHops, MaxPages: int(s.Limits.Pages),
	}
	for _, r := range s.Links {
		site.Links = append(site.Links, sitemap.LinkRule{
			From: r.From, To: r.To,
			Take: r.Do == configs.LinkTake,
		})
	}
	return site, nil
}

// zero says in a package's options, where 0 means the default, that a value is 0.
func zero[T int | int64 | float64](v T) T {
	if v == 0 {
		return -1
	}
	return v
}

func surveyOf(b *configs.Boundary) sitemap.Options {
	o := sitemap.Options{
		Alpha: b.Alpha, Midpoint: b.X0, Documents: zero(b.Documents),
		NoEditDistance: b.Similarity == configs.SimilarityConstant,
		NoClusters:     b.MCL.Use == configs.MCLNone,
	}
	o.Preset = map[configs.Preset]sitemap.Preset{
		configs.PresetPaper: sitemap.Senellart2003, configs.PresetFlow: sitemap.PaperFlow,
		configs.PresetClusters: sitemap.PaperClusters,
	}[b.Preset]
	o.Process = sitemap.ProcessOptions{
		Superset: map[configs.Superset]sitemap.Superset{
			configs.SupersetDomain: sitemap.SeedDomains, configs.SupersetSurvey: sitemap.Surveyed,
		}[b.Paper.Superset],
		SupersetPages: b.Paper.SupersetPages, Inflation: b.Paper.Inflation, Toll: b.Paper.Toll,
	}
	return o
}

func politenessOf(p *configs.Politeness) frontier.Politeness {
	return frontier.Politeness{
		Factor: zero(p.DelayFactor), Min: zero64(p.MinDelay), Max: zero64(p.MaxDelay),
		CrawlDelayMax: zero64(p.CrawlDelayMax),
	}
}

func frontierOf(c *configs.Harvest, log *slog.Logger) frontier.Options {
	p := &c.Politeness
	o := frontier.Options{
		Politeness: politenessOf(p), AddressDelay: p.AddressDelay.Std(),
		Hasty:           frontier.Hasty{Pace: p.DrawnDelay.Std()},
		SharedAddresses: c.Network.Proxy != "", Machine: machineOf(c, log),
		Tries: p.Retry.Attempts, HostTries: p.Retry.HostAttempts, RetryBase: zero64(p.Retry.Delay),
		RetryMax: zero64(p.Retry.MaxDelay),
		Limits: frontier.Limits{
			Pages: c.Limits.Pages, Files: c.Limits.Files,
			Bytes: c.Limits.Bytes.Bytes(),
		},
		HostLimits: frontier.Limits{
			Pages: c.Limits.Host.Pages, Files: c.Limits.Host.Files, Bytes: c.Limits.Host.Bytes.Bytes(),
		},
		Traps: frontier.Traps{
			Length: zero(c.Traps.MaxURLLength), Segments: zero(c.Traps.MaxPathDepth),
			Repeats: zero(c.Traps.MaxRepeatedSegments), Hops: zero(c.Traps.MaxHops),
			Hosts: zero(c.Traps.MaxHosts), Nested: zero(c.Traps.MaxNested),
		},
		// longer than any request goes on, be its answer put off by a full disk
		LeaseTime: 2 * (time.Hour + c.Fetch.Timeout.Std() + c.Limits.DiskWait.Std()),
		Log:       log,
	}
	for _, h := range slices.Backward(p.Hosts) { // the last that sets a field counts
		f := frontier.HostPoliteness{Match: h.Match}
		if h.DelayFactor != nil {
			f.Factor = zero(*h.DelayFactor)
		}
		if h.MinDelay != nil {
			f.Min = zero64(*h.MinDelay)
		}
		if h.MaxDelay != nil {
			f.Max = zero64(*h.MaxDelay)
		}
		o.Hosts = append(o.Hosts, f)
	}
	return o
}

// machineOf is where the harvest meets the others of the machine.
func machineOf(c *configs.Harvest, log *slog.Logger) frontier.Machine {
	p := &c.Politeness
	if !c.Shares() {
		return frontier.Machine{}
	}
	m := frontier.Machine{Dir: string(p.SharedDir), Loopback: p.Shared == configs.SharedAlways}
	if m.Dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			log.Warn("other harvests of this machine may ask the same hosts at the same time: "+
				"give politeness.shared_dir", "err", err)
			return frontier.Machine{}
		}
		m.Dir = filepath.Join(cache, "watershed", "hosts")
	}
	return m
}

// userAgent names the crawler, and where its operator can be asked (RFC 9110, 10.1.5).
func userAgent(c *configs.Harvest) string {
	number, _, _ := strings.Cut(strings.Trim(version(), "()"), " ")
	return fmt.Sprintf("%s/%s (+%s; %s)", c.Fetch.UserAgent, number, c.Operator.Contact, c.Operator.Name)
}

func fetchOf(c *configs.Harvest) (fetch.Options, error) {
	o := fetch.Options{
		UserAgent: userAgent(c), MaxHead: int(c.Fetch.MaxHead.Bytes()), MaxBody: c.Fetch.MaxBody.Bytes(),
		Memory: c.Fetch.BodyMemory.Bytes(), SpoolAbove: spoolAbove(c),
		ConnectTimeout: c.Fetch.ConnectTimeout.Std(), Timeout: c.Fetch.Timeout.Std(),
		AllowPrivate: c.Network.AllowPrivate, HostsFile: string(c.Network.HostsFile),
		Resolvers: c.Network.Resolvers,
		DialPorts: c.Network.DialPorts, Hosts: map[string]netip.Addr{}, MaxIdle: disk.AtOnce(256),
	}
	if a, err := mail.ParseAddress(strings.TrimPrefix(c.Operator.Contact, "mailto:")); err == nil {
		o.From = a.Address
	}
	for _, r := range slices.Backward(c.Network.Resolve) { // the first that matches counts
		o.Hosts[string(r.Match)] = r.Address
	}
	if c.Network.Proxy != "" {
		proxy, err := url.Parse(c.Network.Proxy)
		if err != nil {
			return o, fmt.Errorf("network.proxy: %w", err)
		}
		o.Proxy = proxy
	}
	return o, nil
}

// spoolAbove is the size of a response above which it waits on disk. The responses of all workers
// that wait in memory take a quarter of what bodies may take, besides.
func spoolAbove(c *configs.Harvest) int {
	return int(min(1<<20, c.Fetch.BodyMemory.Bytes()/4/int64(c.Fetch.Workers)))
}

func archiveOf(c *configs.Harvest, agent, from string) archive.Options {
	policy := string(c.Politeness.Robots)
	if c.Politeness.RobotsReason != "" {
		policy += ": " + c.Politeness.RobotsReason
	}
	o := archive.Options{
		Prefix: c.Archive.Prefix, MaxBytes: c.Archive.WARCSize.Bytes(), Level: c.Archive.GzipLevel,
		Info: archive.Info{
			Software:  harvest.Software + "/" + version(),
			Operator:  c.Operator.Name + " <" + c.Operator.Contact + ">",
			Publisher: c.Operator.Organization, IsPartOf: c.Harvest, Robots: policy,
			UserAgent: agent, From: from,
		},
	}
	o.Prefix = cmp.Or(o.Prefix, c.Harvest)
	for _, h := range c.Politeness.Hosts {
		if h.RobotsReason != "" {
			o.Info.Extra.Add("robots-override", fmt.Sprintf("%s %s: %s", h.Match, h.Robots, h.RobotsReason))
		}
	}
	return o
}

func crawlOf(c *configs.Harvest, log *slog.Logger) crawler.Options {
	o := crawler.Options{
		Agent: c.Fetch.UserAgent, Workers: disk.AtOnce(c.Fetch.Workers),
		Dedupe: archive.Dedupe{Off: !c.Archive.Dedupe.Enabled, MaxAge: c.Archive.Dedupe.MaxAge.Std()},
		Time:   c.Limits.Time.Std(), FreeDisk: c.Limits.FreeDisk.Bytes(), DiskWait: c.Limits.DiskWait.Std(),
		Proxied: c.Network.Proxy != "", Log: log, Spelled: c.Spelled, Tabs: c.Browser.Tabs,
		ObeyRobots: obeyRobots(&c.Politeness), NoCookies: c.Fetch.Cookies == configs.CookiesNever,
	}
	if c.Copies.Sketch {
		o.Sketch = new(sketch.Options)
	}
	o.Draws = drawsOf(c)
	return o
}

// drawsOf says of each site which of its pages are drawn; nil where none are.
func drawsOf(c *configs.Harvest) func(string) crawler.Draws {
	sites := map[string]crawler.Draws{}
	for i := range c.Sites {
		if rule := c.Draws(&c.Sites[i]); rule != configs.DrawNever {
			sites[c.Sites[i].Name] = map[configs.DrawRule]crawler.Draws{
				configs.DrawAuto: crawler.DrawShells, configs.DrawAlways: crawler.DrawAll,
			}[rule]
		}
	}
	if len(sites) == 0 {
		return nil
	}
	return func(site string) crawler.Draws { return sites[site] }
}

// drawOf are the options of the browser.
func drawOf(c *configs.Harvest, agent string) *draw.Options {
	b := &c.Browser
	return &draw.Options{
		Program: b.Program, UserAgent: agent, User: b.User, PageTime: b.PageTime.Std(),
		Memory: int64(b.Memory) * int64(max(b.Tabs, 1)), Requests: b.Requests, Routes: zero(b.Routes),
		Pictures: b.Pictures,
	}
}

// obeyRobots tells on which hosts robots.txt binds; the last entry counts that matches and says anything
// of it, and what holds for all where there is none.
func obeyRobots(p *configs.Politeness) func(page.Host) bool {
	return func(h page.Host) bool {
		for _, o := range slices.Backward(p.Hosts) {
			if o.Robots != "" && o.Match.Match(h) {
				return o.Robots == configs.RobotsObey
			}
		}
		return p.Robots == configs.RobotsObey
	}
}

// zero64 is zero for a span of time.
func zero64(d configs.Duration) time.Duration { return time.Duration(zero(int64(d.Std()))) }
