package entry

import "github.com/tidemark/tidemark/pkg/base/fault"

// ID returns the id of the entry that f is to update.
func (f Fields) ID() (string, error) {
	id, other := f.Text("entry_id"), f.Text("id")
	if id == "" {
		id = other
	}
	if id == "" {
		return "", fault.Field("entry_id", "entry_id is missing: give that of the entry to update")
	}
	if other != "" && other != id {
		return "", fault.Field("id", "id and entry_id name different entries")
	}
	return id, nil
}
