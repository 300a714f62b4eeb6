package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"watershed/configs"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/notify"
	"watershed/ui"
	"watershed/upload"
)

type uploadCommand struct {
	clusterFlag
	File   string `arg:""`
	Remove bool
}

func (c *uploadCommand) Run(ctx context.Context, s console.Streams, config *configs.Harvest) error {
	u, err := uploaderOf(config, s.Err)
	if err != nil {
		return err
	}
	if u == nil {
		return &exitError{exitConfig, fmt.Errorf("%s: upload.store is not set: see the group upload of "+
			"%s", c.File, command("config", "example", "reference"))}
	}
	runs, err := folderOf(config).Runs()
	if err == nil && len(runs) == 0 {
		_, err = folderOf(config).Last() // says that nothing was harvested
	}
	if err != nil {
		return err
	}
	last := runs[len(runs)-1] // of another one, the status is what a process that was killed left
	runs = slices.DeleteFunc(runs, func(run harvest.Run) bool {
		x, err := ui.ReadStatus(run, time.Now())
		live := err == nil && x != nil && x.Live && run == last
		if live {
			fmt.Fprintf(s.Err, "%s is under way: it is uploaded once it has ended\n", run.Name())
		}
		return live
	})
	return u.each(runs, func(run harvest.Run) error {
		sum, err := u.send(ctx, run)
		if sum != nil {
			fmt.Fprintf(s.Out, "%s: %s\n", run, sum)
		}
		if err == nil && c.Remove {
			err = u.remove(ctx, s.Out, run)
		}
		return err
	})
}

// uploader uploads the runs of a harvest.
type uploader struct {
	opt   upload.Options
	kinds []upload.Kind
}

// kindsOf are the files of each word in the YAML.
var kindsOf = map[configs.UploadPart]upload.Kind{
	"warc": upload.WARC, "index": upload.Index, "package": upload.Package, "reports": upload.Report,
}

// uploaderOf makes the uploader of a harvest, with its keys; nil where the YAML names no store.
func uploaderOf(c *configs.Harvest, said io.Writer) (*uploader, error) {
	x := c.Upload
	if x.Store == "" {
		return nil, nil
	}
	u := &uploader{opt: upload.Options{
		Store: x.Store, Bucket: x.Bucket, Prefix: x.Prefix + "/" + c.Harvest, Region: x.Region,
		Log:  slog.New(slog.NewTextHandler(console.Whole(said), &slog.HandlerOptions{Level: slog.LevelWarn})),
		Told: func(f upload.File, size int64) { fmt.Fprintf(said, "uploaded %s, %d bytes\n", f.Path, size) },
	}}
	for _, what := range x.What {
		u.kinds = append(u.kinds, kindsOf[what])
	}
	var errs []error
	for _, k := range []struct {
		name string
		from configs.Secret
		to   *string
	}{{"access_key", x.AccessKey, &u.opt.AccessKey}, {"secret_key", x.SecretKey, &u.opt.SecretKey}} {
		var err error
		if *k.to, err = k.from.Reveal(c.Dir()); err != nil {
			errs = append(errs, fmt.Errorf("upload.%s: %w", k.name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, &exitError{exitConfig, err}
	}
	if err := u.opt.Validate(); err != nil {
		return nil, &exitError{exitConfig, fmt.Errorf("upload: %w", err)}
	}
	return u, nil
}

// of are the options of a run, whose folder has a name of its own at the store.
func (u *uploader) of(run harvest.Run) upload.Options {
	o := u.opt
	o.Prefix += "/" + run.Name()
	return o
}

// each calls one for run after run, and goes on where files of a run are left over, but not after
// another failure: the store would refuse the next run, too.
func (u *uploader) each(runs []harvest.Run, one func(harvest.Run) error) error {
	var failed []error
	for _, run := range runs {
		err := one(run)
		if err == nil {
			continue
		}
		failed = append(failed, fmt.Errorf("%s: %w", run, err))
		if left := (*upload.Left)(nil); !errors.As(err, &left) {
			break
		}
	}
	return errors.Join(failed...)
}

// send uploads a run; the sum is nil where there is nothing to upload.
func (u *uploader) send(ctx context.Context, run harvest.Run) (*upload.Sum, error) {
	files, err := run.Handed(u.kinds)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	r, err := upload.Send(ctx, string(run), files, u.of(run))
	if ctx.Err() != nil {
		err = &exitError{exitInterrupted, errors.New("interrupted: the same command goes on where this " +
			"stopped")}
	}
	if r == nil {
		return nil, err
	}
	sum := r.Sum()
	return &sum, err
}

// remove removes the WARC files and packages of a run here that were uploaded.
func (u *uploader) remove(ctx context.Context, out io.Writer, run harvest.Run) error {
	if !run.Finished() {
		_, err := fmt.Fprintf(out, "%s: nothing is removed: the run may go on\n", run)
		return err
	}
	files, err := run.Handed(u.kinds)
	if err != nil || len(files) == 0 {
		return err
	}
	n, err := upload.Remove(ctx, string(run), files, u.of(run))
	if n > 0 {
		fmt.Fprintf(out, "%s: %d files removed here\n", run, n)
	}
	return err
}

// afterwards uploads a harvest whose run has ended, and tells where that fails.
func (u *uploader) afterwards(ctx context.Context, out io.Writer, folder harvest.Folder, n *news) error {
	if u == nil || ctx.Err() != nil {
		return nil
	}
	runs, err := folder.Runs()
	err = errors.Join(u.each(runs, func(run harvest.Run) error {
		sum, err := u.send(ctx, run)
		if sum != nil {
			fmt.Fprintf(out, "  uploaded  %s: %s\n", run.Name(), sum)
		}
		return err
	}), err)
	if err == nil {
		return nil
	}
	err = notUploaded(err, n.file, n.node)
	n.send([]notify.Kind{notify.Upload}, "not uploaded", err.Error(), nil)
	return err
}

// notStored is the error of a harvest that the store lacks something of for a cause, beside that of how the
// harvest has ended, which keeps its exit code. Who runs a harvest again at a failure would make a recrawl,
// so that it is told of a complete one as a loss.
func notStored(ended, cause error) error {
	code := exitCode(ended)
	switch {
	case code == exitFailed:
	case exitCode(cause) == exitInterrupted:
		code = exitInterrupted
	case code == exitOK:
		code = exitLosses
	}
	return &exitError{code, errors.Join(ended, fmt.Errorf("not uploaded: %w", cause))}
}

// notUploaded says how an upload that is unfinished for a cause goes on, at a node where that is not "". Its
// last line says so, which is all that a cluster tells of a shard.
func notUploaded(cause error, file, node string) error {
	here, there := "here", ""
	if node != "" { // people read it elsewhere
		here, there = "at node "+node, " there"
	}
	return fmt.Errorf("%w. The archive is whole %s. To go on with the upload%s: %s", cause, here, there,
		command("upload", file))
}
