package configs

import "time"

// Default is a harvest with every default and nothing that is required: no name, no operator, no
// site. Each value has its reason in reference.yaml.
func Default() Harvest {
	return Harvest{
		Limits: Limits{
			Time: Duration(3 * day), Bytes: 200 * GB, FreeDisk: 5 * GB,
			DiskWait: Duration(time.Hour),
		},
		Politeness: Politeness{
			DelayFactor:   5,
			MinDelay:      seconds(2),
			MaxDelay:      seconds(30),
			AddressDelay:  Duration(500 * time.Millisecond),
			DrawnDelay:    Duration(500 * time.Millisecond),
			CrawlDelayMax: seconds(300),
			Shared:        SharedAuto,
			Robots:        RobotsObey,
			NoFollow:      NoFollowFollow,
			Retry:         Retry{Attempts: 4, Delay: seconds(60), MaxDelay: seconds(3600), HostAttempts: 8},
		},
		Fetch: Fetch{
			Workers:        50,
			Timeout:        seconds(1200),
			ConnectTimeout: seconds(20),
			MaxBody:        1 * GB,
			MaxHead:        64 * KiB,
			BodyMemory:     256 * MiB,
			UserAgent:      "watershed",
			Cookies:        CookiesNeeded,
		},
		Traps: Traps{
			MaxURLLength: 2048, MaxPathDepth: 20, MaxRepeatedSegments: 2, MaxHops: 50,
			MaxHosts: 10_000, MaxNested: 10_000,
			NoveltyPages: 200, MinNovelty: .05,
		},
		Boundary: Boundary{
			Preset:     PresetShares,
			Alpha:      .01,
			X0:         .3,
			Documents:  .5,
			Similarity: SimilarityEdit,
			MCL:        MCL{Use: MCLSoft},
			Paper:      Paper{Superset: SupersetHost, SupersetPages: 100_000, Inflation: 1.2},
		},
		Copies: Copies{
			Preset:   ThriftCareful,
			Sketch:   true,
			Find:     FindConfirm,
			Prune:    PruneNext,
			Skip:     []int{0, 1, 2, 3, 4},
			Sample:   .01,
			Pages:    3,
			Mean:     .8,
			Singles:  0,
			Runs:     2,
			Expire:   Duration(365 * day),
			Failover: true,
		},
		Archive: Archive{
			Dir: "harvests", WARCSize: 1 * GB, GzipLevel: 6, Outside: OutsideDrop, WACZ: true, PageText: true,
			Dedupe: Dedupe{Enabled: true, MaxAge: Duration(365 * day)},
		},
		Browser: Browser{
			Draw: DrawNever, Tabs: 1, PageTime: Duration(time.Minute), Memory: 1 * GiB, Requests: 1000,
			Routes:   200,
			Pictures: true,
		},
		Notify: Notify{
			On:   []News{"ended", "losses", "disk", "refused", "login", "copies", "upload"},
			Mail: Mail{TLS: "starttls"},
		},
		Upload: Upload{
			Region: "us-east-1", What: []UploadPart{"warc", "index", "package", "reports"}, When: UploadEnded,
		},
	}
}

// defaultSite is a site with every default and nothing that is required.
func defaultSite() Site {
	return Site{
		Boundary: BoundaryLogical,
		Login:    Login{Scheme: "none"},
		Draw:     DrawInherit,
		Limits:   SiteLimits{Pages: 50_000, Files: 500_000, Bytes: 20 * GB, Depth: 20},
	}
}

func seconds(n int) Duration { return Duration(time.Duration(n) * time.Second) }
