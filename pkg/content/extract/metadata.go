package extract

import "time"

// Metadata holds statements of a page about itself that are not part of its text. No hash covers them. Each text is
// one line of at most [MaxName] bytes.
type Metadata struct {
	Published time.Time `json:",omitzero"` // in UTC; midnight if the page gives only a day
	Modified  time.Time `json:",omitzero"`
	Author    string    `json:",omitempty"` // several authors are joined by ", "
	SiteName  string    `json:",omitempty"`
}

// earliest is the day before which nothing was published on the web.
var earliest = time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC)

// Believable returns the metadata without implausible dates: dates before 1990, and dates more than a day after now
// (the day allows for clocks and time zones). It also drops a modification date that is before the publication date.
func (m Metadata) Believable(now time.Time) Metadata {
	latest := now.AddDate(0, 0, 1)
	if m.Published.Before(earliest) || m.Published.After(latest) {
		m.Published = time.Time{}
	}
	if m.Modified.Before(earliest) || m.Modified.After(latest) || m.Modified.Before(m.Published) {
		m.Modified = time.Time{}
	}
	return m
}

// MaxName limits the length of each text of [Metadata], in bytes.
const MaxName = 200
