package main

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"watershed/cluster"
	"watershed/configs"
	"watershed/crawler"
	"watershed/harvest"
	"watershed/internal/console"
	"watershed/notify"
	"watershed/replica"
	"watershed/report"
)

// tellers makes the options of those who are told, with their secrets.
func tellers(c *configs.Harvest, log *slog.Logger) (notify.Options, error) {
	o := notify.Options{Log: log}
	for _, on := range c.Notify.On {
		o.On = append(o.On, notify.Kind(on))
	}
	var errs []error
	read := func(key string, s configs.Secret) string {
		v, err := s.Reveal(c.Dir())
		if err != nil {
			errs = append(errs, fmt.Errorf("notify.%s: %w", key, err))
		}
		return v
	}
	if m := c.Notify.Mail; m.Server != "" {
		o.Mail = &notify.Mail{
			Server: m.Server, From: m.From, To: m.To, TLS: notify.TLS(m.TLS), User: m.User,
			Password: read("mail.password", m.Password),
		}
	}
	if w := c.Notify.Webhook; w.URL != "" {
		url := w.URL
		if strings.HasPrefix(url, "env:") || strings.HasPrefix(url, "file:") {
			url = read("webhook.url", configs.Secret(url))
		}
		o.Webhook = &notify.Webhook{URL: url, Secret: read("webhook.secret", w.Secret)}
	}
	if len(errs) > 0 {
		return o, &exitError{exitConfig, errors.Join(errs...)}
	}
	return o, nil
}

// sayUntold gives a function that says, at the end, what could not be told.
func sayUntold(told *notify.Options, out io.Writer, file string) func() {
	var untold []string
	told.Failed = func(by string, n notify.News, cause error) {
		untold = append(untold, fmt.Sprintf("%q could not be told by %s: %v\n"+
			"The harvest goes its way without. See notify.%[2]s in %[4]s.\n", n.Subject, by, cause, file))
	}
	return func() {
		for _, text := range untold {
			fmt.Fprint(out, text)
		}
	}
}

// news tells of a run what its progress and its end say. A nil news tells nothing. It is safe for
// concurrent use.
type news struct {
	teller *notify.Teller
	name   string // of the harvest
	file   string // its YAML
	folder harvest.Folder
	node   string // of a shard, of whose end whoever has asked for the harvest tells; "" for another harvest

	mu      sync.Mutex // guards what follows
	run     harvest.Run
	full    bool // it was told that the disk is full
	refused bool // it was told that hosts refuse
	lost    int  // how many lost logins were told
}

// attach says which run it is.
func (n *news) attach(run harvest.Run) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.run = run
}

// watch looks for what needs a person while the crawl goes on: each is told once, a full disk again
// when it was not full between.
func (n *news) watch(p *crawler.Progress) {
	n.mu.Lock()
	full := p.Paused && !n.full && n.node == "" // which waits for no room
	refused := p.Backoff > 0 && !n.refused
	lost := p.Lost[min(n.lost, len(p.Lost)):]
	n.lost = len(p.Lost)
	n.full = p.Paused
	n.refused = n.refused || refused
	n.mu.Unlock()
	if full {
		text := fmt.Sprintf("The harvest waits for room beside %s, and then goes on by itself. "+
			"Without room it stops in order after limits.disk_wait.", n.folder)
		n.send([]notify.Kind{notify.Disk}, "paused: the disk is full", text, nil)
	}
	if len(lost) > 0 {
		text := ""
		for _, x := range lost {
			text += fmt.Sprintf("site %s: %s\n", x.Name, x.Cause)
		}
		text += "Pages that need it are recorded as failed; the rest of the " +
			"harvest goes on. When it is mended, the same command asks for them again."
		n.send([]notify.Kind{notify.Login}, "a login is lost", text, nil)
	}
	if refused {
		text := fmt.Sprintf("Hosts have begun to answer with 429 or 503, or not at all. They are asked "+
			"again later, more and more seldom. Which ones: %s", command("status", n.file))
		subject := console.Plural(p.Backoff, "host", "hosts") + " refuse or do not answer"
		n.send([]notify.Kind{notify.Refused}, subject, text, nil)
	}
}

// brokenTold is how often in a row the harvest of a shard breaks off until somebody is told: a second try
// cures most causes.
const brokenTold = 3

// broke tells that the harvest of a shard broke off once more than before.
func (n *news) broke(id cluster.ShardID, x *cluster.ShardRecord, before int, out io.Writer) {
	at := "another node than " + x.From
	if x.Node != "" {
		at = "node " + x.Node
	}
	text := fmt.Sprintf("shard %s broke off %s, and is tried again at %s: %s\n", id,
		console.Plural(x.Broken, "time", "times"), at, visible(x.Said))
	fmt.Fprint(out, text)
	if before < brokenTold && brokenTold <= x.Broken {
		n.send([]notify.Kind{notify.Losses}, fmt.Sprintf("shard %s breaks off again and again", id),
			text+"It rests longer each time, and goes on by itself when the cause is mended.\n", nil)
	}
}

// ended tells how the run ended; err is what the command ends with.
func (n *news) ended(d *harvest.Delivered, err error) {
	var kinds []notify.Kind
	subject, text := "ended", ""
	var e *report.Ending
	if d != nil {
		e = d.Ending
	}
	switch {
	case e == nil && err == nil:
		return
	case e == nil && n.node != "" && exitCode(err) == exitNoSpace:
		subject, kinds = "the disk of a node is full", append(kinds, notify.Disk)
		text = fmt.Sprintf("%v\nOther nodes go on with the shard. This one begins none until there is "+
			"room.\n", err)
	case e == nil && n.node != "":
		return
	case e == nil:
		subject, text = "stopped", err.Error()
		if exitCode(err) != exitInterrupted {
			kinds = append(kinds, notify.Losses)
		}
		if exitCode(err) == exitNoSpace {
			kinds = append(kinds, notify.Disk)
		}
	case n.node != "":
	default:
		if e.Ended == report.WithLosses || e.Ended == report.Failed {
			kinds = append(kinds, notify.Losses)
		}
		subject = e.Ended.Says()
		text = fmt.Sprintf("%s\n%s\n", d.Run, e.Sum)
		if e.Losses.Any() {
			text += fmt.Sprintf("lost: %s\n", e.Losses)
		}
		if e.Cause != "" {
			text += e.Cause + "\n"
		}
		if d.Run.Number() > 0 { // else nodes have the archive
			text += fmt.Sprintf("archive: %s\n", d.Run.Archive())
		}
		text += fmt.Sprintf("reports: %s\n", d.Run.Reports())
	}
	if n.node == "" {
		kinds = append(kinds, notify.Ended)
	}
	if waiting := n.copies(); waiting > 0 && d != nil {
		if kinds = append(kinds, notify.Copies); n.node != "" {
			subject = "copies wait for a decision"
		}
		text += fmt.Sprintf("%d copies wait for a decision: %s\n", waiting,
			command("copies", "list", n.file))
	}
	if len(kinds) > 0 {
		n.send(kinds, subject, text, e)
	}
}

// copies are those that wait for a decision.
func (n *news) copies() (waiting int) {
	t, err := harvest.ReadTable(n.folder.Replicas())
	if err != nil {
		return 0
	}
	for _, e := range t.All() {
		if e.State == replica.Proposed {
			waiting++
		}
	}
	return waiting
}

func (n *news) send(kinds []notify.Kind, subject, text string, e *report.Ending) {
	n.mu.Lock()
	run := n.run
	n.mu.Unlock()
	m := notify.News{
		Kinds: kinds, Harvest: n.name, Time: time.Now(), Text: text,
		Subject: fmt.Sprintf("Harvest %s: %s", n.name, subject),
	}
	if n.node != "" { // where the folders and commands of the text are
		m.Subject = fmt.Sprintf("Harvest %s at node %s: %s", n.name, n.node, subject)
	}
	if run != "" {
		m.Run = run.Name()
	}
	if e != nil {
		short := *e
		short.Lost = nil // reports have them
		m.Data = short
	}
	n.teller.Tell(m)
}
