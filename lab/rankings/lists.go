package rankings

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"

	"watershed/replica/mirror"
)

// Names of the lists that WriteLists writes, as the readers of this package read them.
const (
	urlsList        = "urls.txt"
	linksList       = "links.tsv"
	addressesList   = "hosts.tsv"
	PagesList       = "pages.tsv"
	collectionsList = "collections.tsv"
	declaredList    = "declared.tsv"
)

// WriteLists writes all that an input knows as lists, of which reading makes the same input again. create
// is called for each list that there is. Lines of one list come in the order of the input.
func WriteLists(in mirror.Input, create func(name string) (io.WriteCloser, error)) error {
	return errors.Join(
		writeList(create, urlsList, in.URLs, func(w io.Writer, u []byte) error {
			return writeLine(w, "%s", u)
		}),
		writeList(create, linksList, in.Links, func(w io.Writer, l mirror.Link) error {
			return writeLine(w, "%s\t%s", l.From, l.To)
		}),
		writeList(create, addressesList, in.Addresses, func(w io.Writer, a mirror.Address) error {
			return writeLine(w, "%s\t%s", a.Host, a.IP)
		}),
		writeList(create, PagesList, in.Pages, func(w io.Writer, p mirror.Page) error {
			return writeLine(w, "%d\t%s\t%s", p.Cluster, p.URL, textOf(p.Least))
		}),
		writeList(create, collectionsList, in.Collections, func(w io.Writer, p mirror.Place) error {
			return writeLine(w, "%s\t%s\t\t%d", p.Collection, p.Host, p.Pages)
		}),
		writeList(create, declaredList, in.Declared, func(w io.Writer, d mirror.Declaration) error {
			return writeLine(w, "%s\t%s\t%s\t%d", d.Kind, d.Host, d.Target, d.Pages)
		}),
	)
}

func writeLine(w io.Writer, format string, a ...any) error {
	_, err := fmt.Fprintf(w, format+"\n", a...)
	return err
}

func writeList[T any](create func(string) (io.WriteCloser, error), name string, list iter.Seq2[T, error],
	write func(io.Writer, T) error,
) error {
	if list == nil {
		return nil
	}
	file, err := create(name)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(file, 1<<16)
	for v, e := range list {
		if e == nil {
			e = write(b, v)
		}
		if err = e; err != nil {
			break
		}
	}
	if err = errors.Join(err, b.Flush(), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
