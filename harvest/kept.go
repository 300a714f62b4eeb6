package harvest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"watershed/harvest/control"
)

// KeptOrder is an order that holds for a run from its beginning, or from when it goes on.
type KeptOrder struct {
	Time time.Time `json:"time"` // when it was given
	control.Order
}

// Kept is the file of the orders that whoever begins the run has for it, an array in JSON; missing for none.
func (f Folder) Kept() string { return filepath.Join(string(f), "orders.json") }

// obeyKept carries out the kept orders, but for those whose subject was changed since then, as the run's log
// of orders tells.
func (c *clerk) obeyKept(log []control.Entry) error {
	text, err := ReadFile(c.folder.Kept())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var list []KeptOrder
	if err == nil {
		err = json.Unmarshal(text, &list)
	}
	if err != nil {
		return fmt.Errorf("read the orders that were kept: %w", err)
	}
	for i := range list {
		k := &list[i]
		if slices.ContainsFunc(log, func(e control.Entry) bool {
			return e.Order != nil && e.Order.Subject() == k.Subject() && !e.Time.Before(k.Time)
		}) {
			continue
		}
		var refused *control.RefusedError
		if _, err := c.obey(&k.Order); errors.As(err, &refused) {
			c.log.Warn("an order that was kept does not hold", "by", k.By, "cause", err)
		} else if err != nil {
			return fmt.Errorf("order of %s: %w", k.Time, err)
		}
	}
	return nil
}
