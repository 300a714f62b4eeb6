package configs

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Schedule is a rule of cron by which runs begin; "" is none. parseSchedule has checked it.
type Schedule string

// Bounds of a schedule.
const (
	leastPause = 59 * time.Minute // between two times; an hour, but for clocks that are put forward
	looked     = 100              // times of a rule that are compared
)

const scheduleHint = "minute, hour, day of the month, month and day of the week, such as " +
	"\"0 3 * * 0\" for each Sunday at three, or @daily, @weekly, @monthly; CRON_TZ=Europe/Paris before it " +
	"has it count there"

// parseSchedule reads a rule. It refuses one that never comes, and one that comes more often than
// hourly, which is likelier a slip than meant.
func parseSchedule(text string) (Schedule, error) {
	rule, err := parseCron(text)
	if err != nil || rule == nil {
		return "", err
	}
	at := rule.Next(time.Now())
	if at.IsZero() {
		return "", hinted{fmt.Errorf("%q never comes", text), scheduleHint}
	}
	for range looked {
		next := rule.Next(at)
		if !next.IsZero() && next.Sub(at) < leastPause {
			return "", hinted{
				fmt.Errorf("%q comes at %s and again at %s: a run begins once an hour at most", text,
					at.Format("15:04"), next.Format("15:04")), scheduleHint,
			}
		}
		if at = next; next.IsZero() {
			break
		}
	}
	return Schedule(text), nil
}

// parseCron is the rule as the library has it, nil for none.
func parseCron(text string) (cron.Schedule, error) {
	fields := strings.Fields(text)
	if len(fields) == 0 {
		return nil, nil
	}
	if zone := strings.HasPrefix(fields[0], "TZ=") || strings.HasPrefix(fields[0], "CRON_TZ="); zone &&
		len(fields) == 1 { // which the library does not survive
		return nil, hinted{errors.New("a time zone without a rule"), scheduleHint}
	}
	if last := len(fields) - 1; last >= 4 {
		fields[last] = sundays(fields[last])
	}
	rule, err := cron.ParseStandard(strings.Join(fields, " "))
	if err != nil {
		return nil, hinted{err, scheduleHint}
	}
	return rule, nil
}

// sundays writes day 7 of the week as 0. Programs of cron take both for Sunday, the library takes 0.
func sundays(days string) string {
	parts := strings.Split(days, ",")
	for i, part := range parts {
		span, step, _ := strings.Cut(part, "/")
		from, to, _ := strings.Cut(span, "-")
		day, err := strconv.Atoi(from)
		by, stepErr := strconv.Atoi(cmp.Or(step, "1"))
		if part != "7" && to != "7" || errors.Join(err, stepErr) != nil || day < 0 || by < 1 || by > 7 {
			continue
		}
		var list []string
		for ; day <= 7; day += by {
			list = append(list, strconv.Itoa(day%7))
		}
		if len(list) > 0 {
			parts[i] = strings.Join(list, ",")
		}
	}
	return strings.Join(parts, ",")
}

// After is the first time after another, zero for none. Times without a zone of their own are those
// of t's zone. Where clocks are put forward, a time that they leap over comes an hour later or
// earlier; where they are put back, one that they show twice comes once.
func (s Schedule) After(t time.Time) time.Time {
	rule, err := parseCron(string(s))
	if err != nil || rule == nil {
		return time.Time{}
	}
	spec, ok := rule.(*cron.SpecSchedule)
	if !ok {
		return rule.Next(t)
	}
	zone := spec.Location
	if zone == time.Local { // the library's word for none
		zone = t.Location()
	}
	spec.Location = time.UTC // of a clock on the wall
	for wall := onClock(t.In(zone), time.UTC); ; {
		if wall = spec.Next(wall); wall.IsZero() {
			return wall
		}
		if at := onClock(wall, zone); at.Compare(t) > 0 {
			return at.In(t.Location())
		}
	}
}

// onClock is the time at which clocks of a zone show what t shows.
func onClock(t time.Time, zone *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone)
}
