package configs

import "time"

// Browser says how pages are drawn that scripts make.
type Browser struct {
	Draw     DrawRule `yaml:"draw"`
	Program  string   `yaml:"program"` // "" for the first Chromium that is found
	User     string   `yaml:"user"`
	Tabs     int      `yaml:"tabs"`
	PageTime Duration `yaml:"page_time"`
	Memory   Size     `yaml:"memory"`   // of each tab
	Requests int      `yaml:"requests"` // of a page
	Routes   int      `yaml:"routes"`   // places behind "#" on a page; 0 visits none
	Pictures bool     `yaml:"pictures"`
}

// DrawRule says which pages of a site a browser draws.
type DrawRule string

const (
	DrawNever  DrawRule = "never"
	DrawAuto   DrawRule = "auto" // whose markup shows that scripts draw them
	DrawAlways DrawRule = "always"
)

func (DrawRule) Values() []string { return []string{"never", "auto", "always"} }

// SiteDraw is a DrawRule for one site.
type SiteDraw string

// DrawInherit says that a site has the DrawRule of the harvest.
const DrawInherit SiteDraw = "inherit"

func (SiteDraw) Values() []string {
	return append([]string{string(DrawInherit)}, DrawRule("").Values()...)
}

// Draws is which pages of a site are drawn.
func (h *Harvest) Draws(s *Site) DrawRule {
	if s.Draw == DrawInherit {
		return h.Browser.Draw
	}
	return DrawRule(s.Draw)
}

func (c *checker) browser() {
	b := &c.h.Browser
	c.between("browser.tabs", float64(b.Tabs), 1, 64)
	if b.Memory < 256*MiB && !c.failed("browser.memory") {
		c.at("browser.memory", "for example memory: 1GiB", "browser.memory: %s is below 256MiB", b.Memory)
	}
	c.atLeast("browser.requests", int64(b.Requests), 1)
	c.atLeast("browser.routes", int64(b.Routes), 0)
	if b.PageTime < Duration(time.Second) && !c.failed("browser.page_time") {
		c.at("browser.page_time", "for example page_time: 60s", "browser.page_time is less than a second")
	}
}
