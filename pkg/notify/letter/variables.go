package letter

// Variable is what a wording may stand for.
type Variable struct {
	Name, Means string
	Link        bool // its value is an address
}

// Variables are all variables, in the order in which people are told of them.
var Variables = []Variable{
	{Name: "title", Means: "title of the page, or else its address"},
	{Name: "url", Means: "address of the page", Link: true},
	{Name: "host", Means: "host of the page"},
	{Name: "type", Means: "url, file or entry"},
	{Name: "kind", Means: "kind of the change, such as content, new or gone"},
	{Name: "summary", Means: "what has changed, in a few words"},
	{Name: "added", Means: "the text that was added: the first passages"},
	{Name: "removed", Means: "the text that was removed"},
	{Name: "difference", Means: "both, with + and - before each passage"},
	{Name: "extent", Means: "how much has changed"},
	{Name: "why", Means: "why the change was recorded"},
	{Name: "tags", Means: "tags of the page, with commas"},
	{Name: "time", Means: "time of the change, in the time zone of the rule"},
	{Name: "rule", Means: "name of the rule"},
	{Name: "field", Means: "name of the field that has changed, such as price; of several, that of the condition"},
	{Name: "previous", Means: "value of the field before"},
	{Name: "current", Means: "value of the field now"},
	{Name: "value", Means: "both, such as 79 → 84 EUR (lowest 72 in May)"},
	{Name: "condition", Means: "the rule's condition that is met, such as price < 80 EUR"},
	{Name: "entry", Means: "of a watched list: title of its new entry"},
	{Name: "entryUrl", Means: "address of that entry", Link: true},
	{Name: "link", Means: "address of the difference, here", Link: true},
	{Name: "item", Means: "address of the page's own page, here", Link: true},
	{Name: "whyLink", Means: "address that says who was told, and why", Link: true},
	{Name: "mute", Means: "address that mutes the page for the rule", Link: true},
}

// variableNames returns the names of all variables.
func variableNames() (out []string) {
	for _, v := range Variables {
		out = append(out, v.Name)
	}
	return out
}

func isLink(name string) bool {
	for _, v := range Variables {
		if v.Name == name {
			return v.Link
		}
	}
	return false
}
