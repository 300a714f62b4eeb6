package draw

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"watershed/internal/disk"
)

// names are the programs that are looked for, the cheapest first: the shell takes a third to a half
// of the processor time of the whole browser.
var names = []string{
	"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome",
	"google-chrome-stable",
}

// ErrNoBrowser is the error of a machine on which no Chromium is found.
var ErrNoBrowser = errors.New("no Chromium is found")

// Find gives the path of the browser: the one that is named, or the first that is found. The error
// is or wraps ErrNoBrowser, and says how to install one.
func Find(program string) (string, error) {
	if program != "" {
		path, err := exec.LookPath(program)
		if err != nil {
			return "", fmt.Errorf("browser.program: %w: %w", ErrNoBrowser, err)
		}
		return path, nil
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w; install one, on Debian with: apt-get install chromium-headless-shell",
		ErrNoBrowser)
}

// Browser is a Chromium process that starts when it is needed, and anew after it was killed. It is
// safe for concurrent use.
type Browser struct {
	opt Options
	ca  *authority

	mu      sync.Mutex // guards what follows
	running *process   // nil for none
	began   bool       // a process has started
	main    string     // the main number of its version; "" until it was asked for that
	failing failing
}

// failing is what is known of starts that failed, one after the other. The zero value knows of none.
type failing struct {
	starts int
	since  time.Time // the first of them
	next   time.Time // before then no other is tried
	cause  error     // of the last
}

// New prepares a browser. The error is of the options, or wraps ErrNoBrowser.
func New(o Options) (*Browser, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	var err error
	if o.Program, err = Find(o.Program); err != nil {
		return nil, err
	}
	ca, err := newAuthority()
	if err != nil {
		return nil, err
	}
	return &Browser{opt: o, ca: ca}, nil
}

// Close ends the process and removes its profile.
func (b *Browser) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running == nil {
		return nil
	}
	err := b.running.end()
	b.running = nil
	return err
}

// process is a Chromium that runs.
type process struct {
	*channel
	cmd     *exec.Cmd
	profile string
	held    *os.File      // the profile, locked
	ended   chan struct{} // closed when the process was waited for
	once    sync.Once
	err     error
	swollen atomic.Bool // it was killed for the memory that it took
	killer  atomic.Pointer[Tab]
}

// endedFor reports that a process, nil for none, was killed for what the page of another tab did.
func (p *process) endedFor(t *Tab) bool {
	if p == nil {
		return false
	}
	by := p.killer.Load()
	return by != nil && by != t
}

// swells is how often the memory of a browser is looked at.
const swells = 500 * time.Millisecond

// watch kills the process when it and all that it has started take more memory than a limit, in bytes.
func (p *process) watch(limit int64) {
	tick := time.NewTicker(swells)
	defer tick.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-tick.C:
		}
		if memoryOf(p.cmd.Process.Pid) > limit {
			p.swollen.Store(true)
			killGroup(p.cmd)
			return
		}
	}
}

// startTime is how long a browser may take to start, on a machine that is busy.
const startTime = 30 * time.Second

// ErrStart is the error of a page for which no browser starts.
var ErrStart = errors.New("the browser does not start")

// A browser that does not start mostStarts times in a row rests before each other start, Options.Rest:
// the machine may be busy, or the browser be replaced by another version. Pages wait for it for so many
// rests, if it has started before or was just slow.
const mostStarts, mostRests = 3, 10

// Waits tells for how long a page for which no browser started is to wait for the next start; 0 where
// it is not to wait any more.
func (b *Browser) Waits() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	f, now := &b.failing, time.Now()
	if f.starts == 0 { // it has started meanwhile
		return time.Millisecond
	}
	if !b.began && !errors.Is(f.cause, errSilent) || now.Sub(f.since) > mostRests*b.opt.Rest {
		return 0
	}
	return max(f.next.Sub(now), time.Millisecond)
}

// fails notes a start that failed. The next one may be of another browser.
func (b *Browser) fails(err error) error {
	b.main = ""
	f, now := &b.failing, time.Now()
	if f.starts++; f.starts == 1 {
		f.since = now
	}
	if f.cause = err; f.starts >= mostStarts {
		f.next = now.Add(b.opt.Rest)
	}
	return f.error()
}

func (f *failing) error() error {
	return fmt.Errorf("%w, tried %d times: %w", ErrStart, f.starts, f.cause)
}

// process gives the process that runs, after it has started one if there is none.
func (b *Browser) process(ctx context.Context) (*process, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.running; p != nil {
		select {
		case <-p.done:
			_ = p.end() // it has ended already; its profile is of no account
		default:
			return p, nil
		}
	}
	b.running = nil
	if time.Now().Before(b.failing.next) {
		return nil, b.failing.error()
	}
	p, err := b.start()
	if err != nil {
		return nil, b.fails(err)
	}
	hello, cancel := context.WithTimeoutCause(ctx, max(b.opt.Patience, startTime), errSilent)
	defer cancel()
	if err := p.call(hello, "", "Browser.getVersion", nil, nil); err != nil {
		err = errors.Join(fmt.Errorf("start %s: %w", b.opt.Program, err), p.end())
		if ctx.Err() != nil {
			return nil, err // it was not waited for
		}
		return nil, b.fails(err)
	}
	b.failing, b.began, b.running = failing{}, true, p
	return p, nil
}

// kill ends a process that does not answer.
func (b *Browser) kill(p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = p.end() // what it would say is of no account
	if b.running == p {
		b.running = nil
	}
}

// likeReaders begins the name that scripts see, with the main number of the browser's version, as any
// Chromium tells it. Many show nothing, or a notice, to a browser whose name they do not know; they look
// for versions that are long past.
const likeReaders = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) " +
	"Chrome/%s.0.0.0 Safari/537.36 "

// name is what scripts see as the browser's, with the crawler's, which servers see alone. A browser is
// asked for its version once, as a wrapper of it may not answer: it then has a number that is usual.
func (b *Browser) name(profile string) (string, error) {
	if b.main == "" {
		ctx, cancel := context.WithTimeout(context.Background(), startTime)
		defer cancel()
		cmd, err := b.command(ctx, profile, "--version")
		if err != nil {
			return "", err
		}
		cmd.Cancel = func() error { killGroup(cmd); return nil }
		said, _ := cmd.Output() // a browser that does not run says so when it is started
		b.main = cmp.Or(string(mainNumber.Find(said)), usualNumber)
	}
	return fmt.Sprintf(likeReaders, b.main) + b.opt.UserAgent, nil
}

const usualNumber = "156"

var mainNumber = regexp.MustCompile(`\b\d+\b`)

// flags are how Chromium is started. Each says what it keeps from happening.
func (b *Browser) flags(profile, name string) []string {
	return []string{
		"--headless", "--remote-debugging-pipe", "--user-data-dir=" + profile,
		"--user-agent=" + name,
		// the network: nothing but the proxy of each tab, which its context names
		"--proxy-server=127.0.0.1:1", "--proxy-bypass-list=<-loopback>",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
		"--disable-quic", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-domain-reliability", "--no-pings", "--dns-prefetch-disable", "--disable-breakpad",
		"--disable-crash-reporter", "--disable-client-side-phishing-detection", "--no-first-run",
		"--disable-default-apps", "--disable-extensions", "--no-default-browser-check",
		"--disable-search-engine-choice-screen", "--metrics-recording-only", "--disable-field-trial-config",
		"--disable-features=WebRtcHideLocalIpsWithMdns,Translate,OptimizationHints,MediaRouter," +
			"AutofillServerCommunication,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable," +
			"DialMediaRouteProvider,PrefetchPrivacyChanges,BackForwardCache," +
			"SpeculationRulesPrefetchFuture,CertificateTransparencyComponentUpdater",
		"--ignore-certificate-errors-spki-list=" + b.ca.pin,
		// the machine
		"--disable-gpu", "--disable-dev-shm-usage", "--mute-audio", "--hide-scrollbars",
		"--password-store=basic", "--use-mock-keychain",
		"--autoplay-policy=no-user-gesture-required", "--block-new-web-contents",
		// a page as its readers see it: some show no banner where navigator.webdriver is set, and then
		// nothing of what waits for consent
		"--disable-blink-features=AutomationControlled",
		// a machine without a mouse has none of the menus, pictures and scripts for those that hover
		"--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4," +
			"availablePointerTypes=4",
		"--window-size=1280,900", "about:blank",
	}
}

// profiles begins the names of the folders in which browsers have their profiles.
const profiles = "watershed-browser-"

// newProfile makes a folder for the browser's profile. It is locked for as long as this process
// lives. Such folders that nobody holds, of processes that were killed, are taken away.
func (b *Browser) newProfile() (dir string, held *os.File, err error) {
	dir = cmp.Or(b.opt.Dir, os.TempDir())
	sweep(dir, time.Now().Add(-startTime))
	if dir, err = os.MkdirTemp(dir, profiles+"*"); err == nil {
		held, err = os.Open(dir)
	}
	if err == nil {
		err = disk.Lock(held, disk.TryAlone)
	}
	if err != nil {
		return "", nil, fmt.Errorf("make a folder for the browser's profile: %w", err)
	}
	return dir, held, nil
}

// command is the browser with arguments, alone with a profile.
func (b *Browser) command(ctx context.Context, profile string, args ...string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, b.opt.Program, args...) //nolint:gosec // the archivist's own browser
	cmd.Env = []string{
		"HOME=" + profile, "TMPDIR=" + profile, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"XDG_CONFIG_HOME=" + filepath.Join(profile, "config"),
		"XDG_CACHE_HOME=" + filepath.Join(profile, "cache"),
	}
	cmd.Dir, cmd.WaitDelay = profile, time.Second
	return cmd, alone(cmd, profile, b.opt.User)
}

// start starts a process. Nothing of it is known to work before it answers.
func (b *Browser) start() (_ *process, err error) {
	profile, held, err := b.newProfile()
	if err != nil {
		return nil, err
	}
	undo := func(err error) (*process, error) {
		return nil, errors.Join(fmt.Errorf("start %s: %w", b.opt.Program, err), os.RemoveAll(profile),
			held.Close())
	}
	name, err := b.name(profile)
	if err != nil {
		return undo(err)
	}
	cmd, err := b.command(context.Background(), profile, b.flags(profile, name)...)
	if err != nil {
		return undo(err)
	}
	commands, out, err := os.Pipe()
	if err != nil {
		return undo(err)
	}
	in, answers, err := os.Pipe()
	if err != nil {
		return undo(errors.Join(err, commands.Close(), out.Close()))
	}
	cmd.ExtraFiles = []*os.File{commands, answers} // its descriptors 3 and 4
	err = cmd.Start()
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w: it is not to be run, or its user may not enter %s, the folder of profiles, "+
			"which TMPDIR names", err, filepath.Dir(profile))
	}
	err = errors.Join(err, commands.Close(), answers.Close())
	if err != nil {
		return undo(errors.Join(err, in.Close(), out.Close()))
	}
	p := &process{
		channel: newChannel(out), cmd: cmd, profile: profile, held: held, ended: make(chan struct{}),
	}
	go func() {
		p.listen(in)
		_ = in.Close() // it was only read
		_ = cmd.Wait() // a browser that was killed says so
		close(p.ended)
	}()
	go p.watch(b.opt.Memory)
	return p, nil
}

// end ends the process and all that it has started.
func (p *process) end() error {
	p.once.Do(func() {
		_ = p.out.Close() // the browser ends when its pipe does
		select {
		case <-p.ended:
		case <-time.After(500 * time.Millisecond):
		}
		killGroup(p.cmd)
		select {
		case <-p.ended:
		case <-time.After(5 * time.Second):
		}
		p.err = errors.Join(os.RemoveAll(p.profile), p.held.Close())
	})
	return p.err
}
