package api

import "time"

// Undo is how an action is taken back: by POST undo/{id}.
type Undo struct {
	ID    string    `json:"id"`
	Until time.Time `json:"until"` // from then on it can be taken back no more
}
