package evaluate

import (
	"errors"
	"io"
	"os"
)

// writeFile makes a file, or writes it anew, by a call.
func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
