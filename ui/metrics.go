package ui

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// metric is a family of /metrics.
type metric struct {
	name, kind, help string
	value            func(*Status) float64
}

// metricFamilies are named by the conventions of Prometheus: base units, counters end in "_total".
var metricFamilies = []metric{
	{
		"watershed_visits_total", "counter", "URLs asked for, since the run went on last.",
		func(x *Status) float64 { return float64(x.Visits) },
	},
	{
		"watershed_captures_total", "counter", "Captures written, since the run went on last.",
		func(x *Status) float64 { return float64(x.Captured) },
	},
	{
		"watershed_failures_total", "counter", "Visits without an answer, since the run went on last.",
		func(x *Status) float64 { return float64(x.Failed) },
	},
	{
		"watershed_received_bytes_total", "counter", "Payload received, since the run went on last.",
		func(x *Status) float64 { return float64(x.Bytes) },
	},
	{"watershed_pending_urls", "gauge", "Wanted URLs that wait.", func(x *Status) float64 {
		return float64(x.Pending)
	}},
	{
		"watershed_known_urls", "gauge", "URLs that the survey has heard of.",
		func(x *Status) float64 { return float64(x.Known) },
	},
	{"watershed_due_hosts", "gauge", "Hosts that could be asked now.", func(x *Status) float64 {
		return float64(x.Due)
	}},
	{
		"watershed_resting_hosts", "gauge", "Hosts that wait for their delay.",
		func(x *Status) float64 { return float64(x.Resting) },
	},
	{
		"watershed_backing_off_hosts", "gauge", "Hosts that failed or asked to be left alone.",
		func(x *Status) float64 { return float64(x.Backoff) },
	},
	{"watershed_live", "gauge", "1 while the run is under way.", func(x *Status) float64 {
		return float64(b2i(x.Live))
	}},
	{"watershed_paused", "gauge", "1 while the disk is full.", func(x *Status) float64 {
		return float64(b2i(x.Paused))
	}},
	{"watershed_held", "gauge", "1 while it is paused by hand.", func(x *Status) float64 {
		return float64(b2i(x.Held))
	}},
	{
		"watershed_status_timestamp_seconds", "gauge", "When the run told its status last.",
		func(x *Status) float64 { return float64(x.Time.UnixMilli()) / 1000 },
	},
}

// labelText escapes a label's value. Source: Prometheus, Exposition formats, text-based format
// 0.0.4.
var labelText = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)

// metrics tells the last run of each harvest in the text format of Prometheus.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	model, err := homeModel(s, nil)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	home, _ := model.(HomeModel) // it makes no other
	shared, _ := s.machines()    // nothing is told of where there is no cluster
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	for _, f := range metricFamilies {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s %s\n", f.name, f.help, f.name, f.kind)
		for _, h := range home.Harvests {
			if h.Status != nil {
				fmt.Fprintf(w, "%s{harvest=\"%s\"} %s\n", f.name, labelText.Replace(h.Name),
					strconv.FormatFloat(f.value(h.Status), 'g', -1, 64))
			}
		}
		shared.tell(w, f.name)
	}
	const unread = "watershed_status_unreadable"
	fmt.Fprintf(w, "# HELP %s 1 while the status of the last run cannot be read.\n# TYPE %s gauge\n", unread,
		unread)
	for _, h := range home.Harvests {
		fmt.Fprintf(w, "%s{harvest=\"%s\"} %d\n", unread, labelText.Replace(h.Name), b2i(h.unread))
	}
	shared.tellShards(w)
}
