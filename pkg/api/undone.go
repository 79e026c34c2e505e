package api

// UndoID identifies an action that can be taken back.
type UndoID struct {
	ID string `json:"-" path:"id"` // The id of the undo, as the answer to the action had it.
}

// Undone says what is in force again after an action was taken back. Of item, tag, rule, mute, reader and run, it has
// the one that the action was about; none if the action had made what is now removed.
type Undone struct {
	ID     string   `json:"id"`
	Kind   string   `json:"kind"` // item, removal, tag, rule, mute, reader or bulk
	Item   *Item    `json:"item,omitempty"`
	Tag    *Tag     `json:"tag,omitempty"`
	Rule   *Rule    `json:"rule,omitempty"`
	Mute   *Mute    `json:"mute,omitempty"`
	Reader *Reader  `json:"reader,omitempty"`
	Run    *BulkRun `json:"run,omitempty"` // takes the bulk run back, item by item
}
