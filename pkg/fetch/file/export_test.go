package file

// SetPage makes a listing ask for fewer blobs at once.
func (c *Client) SetPage(blobs int32) { c.page = blobs }
