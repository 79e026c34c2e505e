package crawl

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/feed"
)

// TestW10IgnoredLinesNeverTell checks that ignored lines that come, go, move or change are never reported, and that
// other changes at the same time are.
func TestW10IgnoredLinesNeverTell(t *testing.T) {
	r, random := newRig(t), rand.New(rand.NewPCG(10, 16))
	noise := []func() string{
		func() string { return fmt.Sprintf("<p>%d visitors</p>", random.IntN(1000)) },
		func() string { return fmt.Sprintf("<li>Seen by <b>%d</b> people</li>", random.IntN(1000)) },
		func() string { return fmt.Sprintf("<div>%d visitors<br>%[1]d visitors</div>", random.IntN(9)) },
	}
	price := 12
	serve := func() page {
		var body strings.Builder
		for _, line := range []string{"<h1>Lamp</h1>", "<p>" + brass + "</p>", fmt.Sprintf("<p>EUR %d</p>", price),
			"<p>It comes with a bulb.</p>", ""} {
			for range random.IntN(3) {
				body.WriteString(noise[random.IntN(len(noise))]())
			}
			body.WriteString(line)
		}
		return page{body: "<html lang=en><title>Lamp</title><main>" + body.String() + "</main>"}
	}
	r.site.put("/p", serve())
	r.first("/p")
	r.set("/p", &api.Watch{Ignore: []string{`^\d+ visitors$`, `^Seen by \d+ people$`}})
	r.site.put("/p", serve())
	r.next("/p") // it is not known yet what counted before
	var at feed.Position
	r.fed(&at)
	silenced := 0
	for i := range 60 {
		moved := i%5 == 4
		if moved {
			price++
		}
		r.site.put("/p", serve())
		r.next("/p")
		switch have := r.fed(&at); {
		case moved && have != "content", !moved && have != "" && have != "(content)":
			t.Fatalf("check %d, another line changed: %v: %q is told of\n%s", i, moved, have, r.site.pages["/p"].body)
		case have == "(content)":
			silenced++
		}
	}
	if silenced < 20 {
		t.Errorf("only %d changes were silenced: the noise changes too little", silenced)
	}
}
