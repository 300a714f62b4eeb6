package draw

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// window is one of the browser, in which pages of a host are shown one after the other: to open one, and a
// process of the browser for it, takes nearly as long as a page.
type window struct {
	target, session string
	shown           int // pages
}

// Bounds of a window: the pages that are shown in it, and the memory in which scripts have left what they
// need no more, in bytes: it is cleared then, for the next page would take its own besides.
const (
	mostShown = 50
	mostHeap  = 16 << 20
)

// newWindow opens one, in which our scripts run ahead of those of each page. Each step has a time.
func newWindow(ctx context.Context, p *process, within string, patience time.Duration) (w window, err error) {
	ask := func(session, method string, params, result any) error {
		call, cancel := context.WithTimeoutCause(ctx, patience, errSilent)
		defer cancel()
		return p.call(call, session, method, params, result)
	}
	var target struct{ TargetID string }
	err = ask("", "Target.createTarget", map[string]any{
		"url": "about:blank", "browserContextId": within, "width": 1280, "height": 900,
	}, &target)
	if err != nil {
		return window{}, err
	}
	var session struct{ SessionID string }
	err = ask("", "Target.attachToTarget",
		map[string]any{"targetId": target.TargetID, "flatten": true}, &session)
	if err != nil {
		return window{}, err
	}
	for _, c := range []command{
		{"Page.enable", nil},
		{"Inspector.enable", nil},
		{"Runtime.enable", nil},
		{"Network.enable", map[string]any{"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}},
		{"Network.setBypassServiceWorker", map[string]any{"bypass": true}},
		attach,
		{"Fetch.enable", map[string]any{"patterns": []map[string]any{
			{"urlPattern": "*", "resourceType": "Document", "requestStage": "Request"},
		}}},
		{"Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": behave, "worldName": world}},
		{"Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": trees}},
	} {
		if err := ask(session.SessionID, c.method, c.params, nil); err != nil {
			return window{}, err
		}
	}
	return window{target: target.TargetID, session: session.SessionID}, nil
}

// empty has the window show an empty document at an address of the origin of its page, and forget what it
// remembers of that one. For a document of another origin the browser would begin another process.
func (w *window) empty(ctx context.Context, p *process, blank string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, leastPatience, errSilent)
	defer cancel()
	if err := p.call(ctx, w.session, "Page.navigate", map[string]any{"url": blank}, nil); err != nil {
		return err
	}
	forgets := map[string]any{"returnByValue": true, "silent": true, "expression": fmt.Sprintf(
		`location.href === %q && document.readyState === 'complete' &&
			(sessionStorage.clear(), name = '', true)`, blank)}
	for {
		var is struct{ Result struct{ Value any } }
		switch err := p.call(ctx, w.session, "Runtime.evaluate", forgets, &is); {
		case err == nil && is.Result.Value == true:
			return w.forget(ctx, p)
		case errors.Is(err, errGone):
			return err
		}
		if err := pause(ctx, 5*time.Millisecond); err != nil { // a document that is going may not answer
			return err
		}
	}
}

// forget takes away what an empty window keeps of its last page: the way back, and objects of its scripts.
func (w *window) forget(ctx context.Context, p *process) error {
	var heap struct{ TotalSize, EmbedderHeapUsedSize, BackingStorageSize float64 }
	err := p.call(ctx, w.session, "Page.resetNavigationHistory", nil, nil)
	if err == nil {
		err = p.call(ctx, w.session, "Runtime.getHeapUsage", nil, &heap)
	}
	if err == nil && heap.TotalSize+heap.EmbedderHeapUsedSize+heap.BackingStorageSize > mostHeap {
		err = p.call(ctx, w.session, "HeapProfiler.collectGarbage", nil, nil)
	}
	return err
}

// close closes the window.
func (w *window) close(ctx context.Context, p *process) error {
	err := p.call(ctx, "", "Target.closeTarget", map[string]any{"targetId": w.target}, nil)
	for err == nil {
		var open struct{ TargetInfos []struct{ TargetID string } }
		err = p.call(ctx, "", "Target.getTargets", nil, &open)
		gone := true
		for _, target := range open.TargetInfos {
			gone = gone && target.TargetID != w.target
		}
		if err != nil || gone {
			return err
		}
		err = pause(ctx, 10*time.Millisecond)
	}
	return err
}
