package robots_test

import (
	"fmt"
	"time"

	"github.com/tidemark/tidemark/pkg/policy/robots"
)

func ExampleParse() {
	rules := robots.Parse([]byte("User-agent: *\nDisallow: /private\nAllow: /private/press\nCrawl-delay: 2"))
	wait, _ := rules.CrawlDelay("Tidemark")
	fmt.Println(rules.Allowed("Tidemark", "https://port.example/private/tides"), wait)
	fmt.Println(rules.Allowed("Tidemark", "https://port.example/private/press"))
	// Output:
	// false 2s
	// true
}

func ExampleDecide() {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	decision, _ := robots.Decide(robots.Reply{Status: 503}, robots.State{}, now)
	fmt.Println(decision.Verdict, decision.Expires.Sub(now), decision.Reason)
	// Output: disallow 2m0s unreachable: status 503
}
