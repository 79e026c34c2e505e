package registry

// Listing is what the last listing of a folder found. It is zero for other items.
type Listing struct {
	Files  int      `json:"files"`
	Passed []Passed `json:"passed,omitempty"` // what it passed over, by reason
}

// Passed counts the names that a listing passed over for one reason. A folder counts once, with all that is in it.
type Passed struct {
	Why    string `json:"why"`
	Number int    `json:"number"`
	First  string `json:"first,omitempty"` // one of the names
}
