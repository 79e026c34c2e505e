package ui

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/tidemark/tidemark/handlers/ui/frame"
	"github.com/tidemark/tidemark/pkg/notify"
)

// LinkedMute is the data of the page that a mute link opens.
type LinkedMute struct {
	notify.LinkedMute

	Action string // path to which the form is sent
	Done   string // what the form has asked for
}

// MuteLink shows the page of a mute link. It has no navigation: its reader may not have signed in.
func MuteLink(w http.ResponseWriter, _ *http.Request, d LinkedMute) {
	templates().Write(w, slog.Default(), frame.Page{Name: "mutelink"}, frame.Shown{Title: "Mute this page",
		Path: signInPath, Now: time.Now().UTC(), Data: d})
}
