package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"watershed/archive"
	"watershed/configs"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/search"
)

// searchCommand finds captures by their words.
type searchCommand struct {
	File   string   `arg:""`
	Words  []string `arg:"" optional:""`
	Limit  int      `default:"20" placeholder:"NUMBER"`
	From   int      `default:"0" placeholder:"NUMBER"`
	Behind bool
	JSON   bool `name:"json"`
}

// searchAnswer is what search prints as JSON.
type searchAnswer struct {
	search.Found
	search.Standing
}

// maxHits bounds --limit: each hit costs a look into the archive.
const maxHits = 1000

// AfterApply checks what the parser cannot.
func (c *searchCommand) AfterApply() error {
	if c.Limit < 1 || c.Limit > maxHits || c.From < 0 {
		return fmt.Errorf("--limit is 1 to %d, --from is not negative", maxHits)
	}
	return nil
}

// tellRemoved says which runs have files that were removed after their upload: what was not indexed
// before is not found.
func tellRemoved(out io.Writer, folder harvest.Folder) error {
	runs, err := folder.Runs()
	for _, run := range runs {
		sum, e := run.Uploaded()
		if err = errors.Join(err, e); err == nil && sum != nil && sum.Removed > 0 {
			fmt.Fprintf(out, "%s: %d files were removed here after their upload to %s: pages in them that "+
				"were not indexed before are not found\n", run.Name(), sum.Removed, sum.Place)
		}
	}
	return err
}

func (c *searchCommand) Run(ctx context.Context, s console.Streams, config *configs.Harvest) (err error) {
	folder := folderOf(config)
	if _, err := folder.Last(); err != nil {
		return err
	}
	var q search.Query
	if len(c.Words) > 0 {
		if q, err = search.ParseQuery(strings.Join(c.quoted(), " ")); err != nil {
			return &exitError{code: exitUsage, err: err}
		}
	}
	var answer searchAnswer
	var damage error // of the index of a run, whose other lines are searched
	if !c.Behind {
		var indexed int64
		tty := console.Terminal(s.Err)
		answer.Standing, err = search.Update(ctx, folder, func(n int64) {
			if indexed = n; tty != nil {
				fmt.Fprintf(tty, "\r%d documents indexed", n)
			}
		})
		if tty != nil && indexed > 0 {
			fmt.Fprintln(tty)
		} else if indexed > 0 {
			fmt.Fprintf(s.Err, "%d documents indexed\n", indexed)
		}
		if damage = err; err != nil && !errors.Is(err, archive.ErrEntry) {
			return err
		}
	}
	x, err := search.Open(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(), damage) }()
	if answer.Standing, err = x.Standing(ctx); err != nil {
		return err
	}
	if err := tellRemoved(s.Err, folder); err != nil {
		return err
	}
	answer.Hits = []search.Hit{}
	if len(c.Words) > 0 {
		if answer.Found, err = x.Find(ctx, q, c.From, c.Limit); err != nil {
			return err
		}
	}
	if c.JSON {
		return console.JSON(s.Out, answer)
	}
	return c.print(s, &answer)
}

// keyed are the words that say where or when the words behind them are to be found; the first two have
// phrases.
var keyed = regexp.MustCompile(`^-?(?i:(title|url)|host|type|after|before):`)

// quoted are the words with the quotes that the shell took away from phrases.
func (c *searchCommand) quoted() []string {
	list := make([]string, len(c.Words))
	for i, w := range c.Words {
		key := keyed.FindStringSubmatch(w)
		switch {
		case !strings.Contains(w, " ") || strings.Contains(w, `"`):
		case key == nil:
			w = `"` + w + `"`
		case key[1] != "":
			w = key[0] + `"` + w[len(key[0]):] + `"`
		}
		list[i] = w
	}
	return list
}

func (c *searchCommand) print(s console.Streams, a *searchAnswer) error {
	paint := styleOf(s.Out)
	for _, h := range a.Hits {
		fmt.Fprintf(s.Out, "%s  %s\n", h.Time.Format("2006-01-02 15:04:05"), visible(string(h.URL)))
		if h.Title != "" {
			fmt.Fprintf(s.Out, "    %s\n", paint.strong(visible(h.Title)))
		}
		var line strings.Builder
		for _, p := range h.Snippet {
			if line.Len() > 0 {
				line.WriteByte(' ')
			}
			if p.Hit {
				line.WriteString(paint.open(visible(p.Text)))
			} else {
				line.WriteString(visible(p.Text))
			}
		}
		if line.Len() > 0 {
			fmt.Fprintf(s.Out, "    %s\n", line.String())
		}
	}
	text := fmt.Sprintf("%d of %d documents", len(a.Hits), a.Documents)
	if a.More {
		text += fmt.Sprintf("; there are more: --from %d", c.From+len(a.Hits))
	}
	if a.Behind > 0 {
		text += fmt.Sprintf("; runs not indexed in full: %d (one is once it has delivered)", a.Behind)
	}
	_, err := fmt.Fprintln(s.Out, text)
	return err
}
