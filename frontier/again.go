package frontier

import (
	"watershed/page"
	"watershed/store"
)

// Again queues URLs that were fetched and whose capture was lost: its record did not reach the disk
// before the power failed. Others stay as they are.
func (f *Frontier) Again(tx *store.Tx, urls []page.URL) error {
	c, err := f.in(tx)
	if err != nil {
		return err
	}
	for _, text := range urls {
		err := c.edit(text, func(u *store.URL) (bool, error) {
			if u.State != store.Done {
				return false, nil
			}
			return true, c.enqueue(u)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
