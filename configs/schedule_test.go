package configs

import (
	"errors"
	"testing"
	"time"
)

func TestSchedule(t *testing.T) {
	zone := time.FixedZone("here", 2*60*60)
	from := time.Date(2026, 11, 23, 14, 30, 0, 0, zone) // a Monday
	for text, want := range map[string]string{
		"":                                "",
		" ":                               "",
		"0 3 * * 0":                       "2026-11-29T03:00:00+02:00",
		"30 14 * * *":                     "2026-11-24T14:30:00+02:00", // after, not at
		"0 * * * *":                       "2026-11-23T15:00:00+02:00",
		"@monthly":                        "2026-12-01T00:00:00+02:00",
		"@every 12h":                      "2026-11-24T02:30:00+02:00",
		"CRON_TZ=UTC 0 3 * * 0":           "2026-11-29T05:00:00+02:00",
		"0 0 29 2 *":                      "2028-02-29T00:00:00+02:00",
		"0 3 * * 7":                       "2026-11-29T03:00:00+02:00",
		"0 3 * * 6-7":                     "2026-11-28T03:00:00+02:00",
		"TZ=UTC 0 3 * * 3-7/4,7":          "2026-11-25T05:00:00+02:00",
		"0 3 * * 5-7/2":                   "2026-11-27T03:00:00+02:00",
		"0 3 * * 8":                       "bad",
		"0 3 * * 8-7":                     "bad",
		"0 3 * * 2-7/9223372036854775807": "bad",
		"TZ=UTC":                          "bad", // crashes the library
		"CRON_TZ=":                        "bad",
		"CRON_TZ=Mars/Olympus 0 3 * * *":  "bad",
		"* * * * *":                       "bad",
		"0,1 3 * * *":                     "bad",
		"@every 10m":                      "bad",
		"0 0 30 2 *":                      "bad",
		"61 * * * *":                      "bad",
		"0 3 * *":                         "bad",
		"0 0 3 * * *":                     "bad",
		"daily":                           "bad",
	} {
		s, err := parseSchedule(text)
		if want == "bad" {
			var h hinted
			if !errors.As(err, &h) || h.hint == "" {
				t.Errorf("%q: %v, want an error with a hint", text, err)
			}
			continue
		}
		got := ""
		if next := s.After(from); !next.IsZero() {
			got = next.In(zone).Format(time.RFC3339)
		}
		if err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
}

// TestScheduleOfSummer: a rule whose time clocks leap over or show twice comes once in such a night.
func TestScheduleOfSummer(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	for _, rule := range []string{"30 2 * * *", "30 2 * * 0", "CRON_TZ=Europe/Paris 30 2 * * *"} {
		for _, night := range []time.Time{
			time.Date(2027, 3, 27, 20, 0, 0, 0, paris), time.Date(2026, 10, 24, 20, 0, 0, 0, paris),
		} {
			times := 0
			for at := Schedule(rule).After(night); at.Before(night.Add(18 * time.Hour)); times++ {
				at = Schedule(rule).After(at)
			}
			if times != 1 {
				t.Errorf("%q comes %d times after %s", rule, times, night)
			}
		}
	}
}

func FuzzSchedule(f *testing.F) {
	f.Add("0 3 * * 0")
	f.Add("@every 90m")
	f.Add("CRON_TZ=UTC 0 3 * * 1-5")
	f.Add("TZ=")
	f.Add("*/0 * * * *")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSchedule(text)
		if err != nil || s == "" {
			return
		}
		now := time.Date(2026, 11, 23, 14, 30, 0, 0, time.UTC)
		if next := s.After(now); !next.After(now) {
			t.Errorf("%q: %s does not come after %s", text, next, now)
		}
	})
}
