package api

import "time"

// MuteRequest mutes a page, or a rule on a page.
type MuteRequest struct {
	ItemID string `json:"itemId" label:"Page" flag:"-"` // the page
	// id of the only rule that is muted on the page; all rules if left out
	Rule string `json:"rule,omitempty" label:"Rule" flag:"rule ID"`
	// day, week, always, or a length such as 12h or 3d
	For string `json:"for" label:"For" flag:"for day|week|always|3d"`
}

// MuteID identifies a mute.
type MuteID struct {
	ID string `json:"-" path:"id"` // The mute.
}

// Mute keeps messages about a page back. The changes stay in every list, and are not sent later.
type Mute struct {
	ID     string    `json:"id"`
	ItemID string    `json:"itemId"` // the page; empty if the rule is muted on all pages, as the link of a mail does
	URL    string    `json:"url,omitempty"`
	Title  string    `json:"title,omitempty"`
	Rule   string    `json:"rule,omitempty"` // id of the only rule that is muted
	From   time.Time `json:"from"`
	Until  time.Time `json:"until,omitzero"` // left out if the mute has no end
	Ended  bool      `json:"ended,omitempty"`
	ByLink bool      `json:"byLink,omitempty"` // the link in a message made it
	// Undo takes this change back. Only the answer to a change has it.
	Undo *Undo `json:"undo,omitempty"`
}

// PublicAddress is the address at which people reach the installation. The links of messages lead there.
type PublicAddress struct {
	URL    string    `json:"url,omitempty"`    // such as https://tidemark.example; empty if nobody has given one
	Origin string    `json:"origin,omitempty"` // setting (PUBLIC_URL), or here if an administrator has confirmed it
	By     string    `json:"by,omitempty"`     // name of the administrator's key
	At     time.Time `json:"at,omitzero"`      // when it was confirmed
	// Machine lists addresses of the machine in its local network, for people to choose from.
	Machine []string `json:"machine,omitempty"`
	// NoMutes is why messages have no link that mutes their page.
	NoMutes string `json:"noMutes,omitempty"`
}

// PublicAddressRequest confirms the address at which people reach the installation.
type PublicAddressRequest struct {
	URL string `json:"url"` // such as https://tidemark.example; empty to remove the address
}

// MuteQuery lists mutes.
type MuteQuery struct {
	ItemID string `json:"itemId,omitempty"` // Only mutes of this page.
}

// Mutes lists the mutes that have not ended, the newest first.
type Mutes struct {
	Mutes []Mute `json:"mutes"`
}
