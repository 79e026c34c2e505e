package frame

import "github.com/tidemark/tidemark/pkg/api"

// act is a link of a menu.
type act struct {
	Text, To string
	Away     bool // leads to another site
}

// acts is the data of the menu with what can be done with a page that is watched.
type acts struct {
	Page            Shown
	ID, Title, Back string
	More            []act
}

// Acts returns the data for the actions on the page of an item or a change, with "Mail me" beside the menu. After an
// action, the browser goes back to the given path.
func (s Shown) Acts(id, title, back string) any {
	return acts{Page: s, ID: id, Title: title, Back: back}
}

// ChangeActs returns the data for the menu of a change.
func (s Shown) ChangeActs(c api.FeedChange, title, back, page string) any {
	a := acts{Page: s, ID: c.ItemID, Title: title, Back: back}
	add := func(text, path string) { a.More = append(a.More, act{Text: text, To: s.Link(path)}) }
	if c.To != "" {
		add("View this version", "/items/"+c.ItemID+"/captures/"+c.To)
	}
	add("Watch only a part", "/items/"+c.ItemID+"/pick")
	add("Who was notified", "/changes/"+c.ID)
	if page != "" {
		a.More = append(a.More, act{"Open the page", page, true})
	}
	return a
}

// muted is the data of a list of mutes.
type muted struct {
	Page  Shown
	Back  string
	Mutes []api.Mute
}

// Muted returns the data for a list of mutes. After an action, the browser goes back to the given path.
func (s Shown) Muted(all []api.Mute, back string) any { return muted{s, back, all} }
