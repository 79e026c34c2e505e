package file

import "os"

// SetPage makes a listing request fewer blobs per page.
func (c *Client) SetPage(blobs int32) { c.page = blobs }

// Unread returns what a walk of a folder yields for a name in it that cannot be read, and its error.
func Unread(root *os.Root, name string, why error) (passed []Entry, err error) {
	w := walker{root: root, yield: func(e Entry) bool {
		passed = append(passed, e)
		return true
	}}
	err = w.unread(name, why)
	return passed, err
}
