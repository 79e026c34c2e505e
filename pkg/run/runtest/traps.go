package runtest

import (
	"fmt"
	"strings"
)

// Links returns a page with links.
func Links(to ...string) string {
	text := strings.Builder{}
	text.WriteString("<p>A page of its own")
	for _, one := range to {
		fmt.Fprintf(&text, `<a href="%s">%s</a>`, one, one)
	}
	return text.String()
}

// TrapSite lays a site with real pages, and with a calendar, filters, sessions and paths without end. It returns its
// real pages.
func TrapSite(pages map[string]any, root string, n int) map[string]bool {
	real := map[string]bool{root: true}
	front := Links("/cal/2026/1", "/list?color=1", "/go/go/go/go/go") + UniqueText(9999)
	for i := range n {
		address := fmt.Sprintf("%sthing/%d", root, i)
		real[address] = true
		pages[address] = UniqueText(i) + Links(fmt.Sprintf("/thing/%d", (i*2+1)%n), fmt.Sprintf("/thing/%d", (i*2+2)%n),
			fmt.Sprintf("/list?color=%d&size=%d", i%7, i%11), fmt.Sprintf("/thing/%d?sid=%016x", i, i*7919))
		if i%30 == 0 {
			front += Links(fmt.Sprintf("/thing/%d", i))
		}
	}
	pages[root] = front
	for year := 1990; year < 2030; year++ {
		for month := 1; month <= 12; month++ {
			pages[fmt.Sprintf("%scal/%d/%d", root, year, month)] = "<title>Calendar</title><p>No events in this month" +
				Links(fmt.Sprintf("/cal/%d/%d", year+month/12, month%12+1), fmt.Sprintf("/cal/%d/%d", year-1, month))
		}
	}
	for color := range 40 {
		for size := range 40 {
			pages[fmt.Sprintf("%slist?color=%d&size=%d", root, color, size)] = "<p>All things of the harbour in one list" +
				Links(fmt.Sprintf("/list?color=%d&size=%d", (color+1)%40, size), fmt.Sprintf("/list?color=%d&size=%d", color,
					(size+1)%40), fmt.Sprintf("/list?color=%d", color))
		}
		pages[fmt.Sprintf("%slist?color=%d", root, color)] = "<p>All things of the harbour in one list" +
			Links(fmt.Sprintf("/list?color=%d&size=1", color))
	}
	return real
}

// UniqueText returns a text that no other number has.
func UniqueText(i int) string {
	var b strings.Builder
	for j := range 20 {
		x := (i*31 + j*j*17 + i*j*7) % 17576
		fmt.Fprintf(&b, " %c%c%c", 'a'+x%26, 'a'+x/26%26, 'a'+x/676)
	}
	return fmt.Sprintf("<title>Thing%s</title><p>%s", b.String()[:8], b.String())
}
