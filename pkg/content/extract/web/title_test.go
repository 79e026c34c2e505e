package web

import "testing"

// TestTitleOfAPage checks what a page is called.
func TestTitleOfAPage(t *testing.T) {
	for _, tt := range []struct{ heading, og, title, want string }{
		{"Tide tables", "", "Tide tables - Harbour", "Tide tables"},
		{"Tide tables", "Tides of the year", "Harbour", "Tide tables"},
		{"1. Overview", "", "CREATE TABLE", "CREATE TABLE"},
		{"1. Overview", "Create a table", "CREATE TABLE | Manual", "Create a table"},
		{"Introduction ¶", "", "Foreign Key Support", "Foreign Key Support"},
		{"1.2 Foreign keys", "", "Manual: 1.2 Foreign keys", "1.2 Foreign keys"},
		{"1. The berths", "", "Mooring", "Mooring"},
		{"2. How to moor a boat", "", "Mooring", "Mooring"},
		{"Overview", "", "Overview of the harbour", "Overview of the harbour"},
		{"Overview", "", "", "Overview"},
		{"7 ways to moor", "", "Mooring, or how to moor", "7 ways to moor"},
		{"2026 in pictures", "", "The year", "2026 in pictures"},
		{"100 knots", "", "Bowlines", "100 knots"},
		{"Einleitung", "", "Handbuch für Lotsen", "Handbuch für Lotsen"},
		{"", "", "Harbour", "Harbour"},
	} {
		if have := titleOf(tt.heading, tt.og, tt.title, ""); have != tt.want {
			t.Errorf("%q, %q, %q: %q, want %q", tt.heading, tt.og, tt.title, have, tt.want)
		}
	}
}
