package draw

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// Bounds of the frames of other origins in which is done what a reader does, and for how long one may
// be silent.
const (
	mostFrames    = 10
	framePatience = 2 * time.Second
)

// frame is where our scripts run in a frame of another origin: behave.js of the page has no way into it.
type frame struct {
	session string
	context int
}

// inFrames takes events that tell of frames: those that Chromium keeps in processes of their own have
// sessions of their own. It does not wait.
func (v *view) inFrames(session, method string, params json.RawMessage) {
	var p struct {
		SessionID          string
		TargetInfo         struct{ TargetID string }
		ExecutionContextID int
		Context            struct {
			ID      int
			Name    string
			AuxData struct{ FrameID string }
		}
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	switch method {
	case "Target.attachedToTarget":
		inner := p.SessionID
		v.mu.Lock()
		if v.deaf {
			v.mu.Unlock()
			return
		}
		v.inner = append(v.inner, inner)
		v.hear(inner, func(method string, params json.RawMessage) { v.inFrames(inner, method, params) })
		v.mu.Unlock()
		for _, c := range []command{
			{"Page.enable", nil},
			{"Runtime.enable", nil},
			attach,
			{"Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": behave, "worldName": world}},
			{"Page.createIsolatedWorld", map[string]any{
				"frameId": p.TargetInfo.TargetID, "worldName": world,
			}},
		} {
			_, _ = v.send(inner, c.method, c.params) // a browser that has gone is met by the next call
		}
	case "Target.detachedFromTarget":
		v.hear(p.SessionID, nil)
		v.leave(func(f frame) bool { return f.session == p.SessionID })
	case "Runtime.executionContextCreated":
		v.mu.Lock()
		defer v.mu.Unlock()
		if p.Context.Name == world && p.Context.AuxData.FrameID != v.target && len(v.frames) < maxNotes {
			v.frames = append(v.frames, frame{session, p.Context.ID})
			if session != v.session { // the frame may have begun before its session
				_, _ = v.send(session, "Runtime.evaluate", map[string]any{ // as above
					"expression": behave, "contextId": p.Context.ID, "silent": true,
				})
			}
		}
	case "Runtime.executionContextDestroyed":
		v.leave(func(f frame) bool { return f == frame{session, p.ExecutionContextID} })
	case "Runtime.executionContextsCleared":
		v.leave(func(f frame) bool { return f.session == session })
	}
}

// attach has the browser open a session for each frame in a process of its own. It lets nothing wait for
// that: workers would wait, too.
var attach = command{"Target.setAutoAttach", map[string]any{
	"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true,
	"filter": []map[string]any{{"type": "iframe"}},
}}

// leave forgets frames.
func (v *view) leave(gone func(frame) bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.frames = slices.DeleteFunc(v.frames, gone)
}

// inFrame calls an expression of behave.js in the frames of other origins, and gives what each answers to
// take. A frame that does not answer is left alone from then on.
func inFrame[T any](ctx context.Context, v *view, expression string, take func(*T)) error {
	v.mu.Lock()
	frames := slices.Clone(v.frames[:min(len(v.frames), mostFrames)])
	v.mu.Unlock()
	for _, f := range frames {
		var is T
		call, cancel := context.WithTimeoutCause(ctx, framePatience, errSilent)
		err := v.evaluateIn(call, f, expression, &is)
		cancel()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			v.leave(func(other frame) bool { return other == f })
		default:
			take(&is)
		}
	}
	return nil
}
