package main

import "github.com/spf13/cobra"

// groups are the groups in which help lists the commands, with the names of the commands of each.
var groups = []struct {
	id, title string
	commands  []string
}{
	{"everyday", "Everyday:", []string{
		"add", "watch", "changes", "diff", "search", "retrieve", "text", "items", "show", "fields", "why", "pick",
		"accept", "reindex", "remove", "tag", "rules", "channels", "status",
	}},
	{"runs", "Runs over many sources:", []string{
		"sites", "backfill", "import", "add-file", "entry", "bulk", "enrich", "rebuild", "migrate", "audit", "warc",
	}},
	{"operating", "Operating:", []string{
		"doctor", "health", "deliveries", "keys", "backup", "restore", "export", "import-state",
	}},
	{"server", "Servers and programs:", []string{
		"start", "handler", "app", "azurite", "mcp", "docs", "schema", "completion", "help", "version",
	}},
}

// group puts every command of root into the group that names it.
func group(root *cobra.Command) {
	of := map[string]string{}
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, name := range g.commands {
			of[name] = g.id
		}
	}
	for _, c := range root.Commands() {
		c.GroupID = of[c.Name()]
	}
	root.SetHelpCommandGroupID(of["help"])
	root.SetCompletionCommandGroupID(of["completion"])
}
