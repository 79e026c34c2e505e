package file

// SetPage makes a listing request fewer blobs per page.
func (c *Client) SetPage(blobs int32) { c.page = blobs }
