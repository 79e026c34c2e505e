package ui

import (
	"net/http"
	"strings"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/api"
)

// mute mutes a page, or a rule on a page, or ends a mute. The form says to which page the browser goes back.
func (a rulesArea) mute(r *http.Request) (frame.Page, error) {
	ctx, f := r.Context(), r.PostForm
	done := "muted"
	var err error
	if id := f.Get("end"); id != "" {
		done = "unmuted"
		_, err = api.RemoveMute.Call(ctx, a.client, api.MuteID{ID: id})
	} else {
		_, err = api.AddMute.Call(ctx, a.client, api.MuteRequest{ItemID: f.Get("itemId"), Rule: f.Get("rule"),
			For: f.Get("for")})
	}
	return frame.GoTo(back(f.Get("back"), done)), err
}

// back returns the path to which an action leads, with the name of its message.
func back(path, done string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/"
	}
	path, at, anchored := strings.Cut(path, "#")
	sign := "?"
	if strings.Contains(path, "?") {
		sign = "&"
	}
	if path += sign + "done=" + done; anchored {
		path += "#" + at
	}
	return path
}
