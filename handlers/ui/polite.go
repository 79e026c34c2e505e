package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/api"
	"github.com/tidemark/tidemark/pkg/base/words"
)

// politeness describes how a host is crawled, in sentences.
func politeness(h api.HostDetail, now time.Time) (out []string) {
	pause := "with no pause between them"
	if h.MaxDelayMS > 0 {
		pause = fmt.Sprintf("%s to %s apart, longer if the host answers slowly", seconds(h.MinDelayMS),
			seconds(h.MaxDelayMS))
	}
	out = append(out, fmt.Sprintf("At most %s at once, %s.", words.Count(h.MaxConcurrent, "request"), pause))
	if h.CrawlDelayMS > 0 {
		out = append(out, "Its robots.txt asks for a pause of "+seconds(h.CrawlDelayMS)+", which is honoured.")
	}
	spent := fmt.Sprintf("Today it received %s and sent %s", words.Count(h.RequestsToday, "request"),
		words.Size(h.BytesToday))
	var most []string
	if h.RequestsPerDay > 0 {
		most = append(most, words.Count(h.RequestsPerDay, "request"))
	}
	if h.BytesPerDay > 0 {
		most = append(most, words.Size(h.BytesPerDay))
	}
	if len(most) > 0 {
		spent += "; the limit for a day is " + strings.Join(most, " and ")
	}
	out = append(out, spent+".")
	if h.MaxItems > 0 {
		out = append(out, fmt.Sprintf("The limit for this host is %s.", words.Count(h.MaxItems, "page")))
	}
	if h.Workers > 0 {
		out = append(out, "It is being crawled now, with at most "+words.Count(h.Requests, "request")+" at once.")
	}
	if h.NextStartAt.After(now) {
		out = append(out, "The next request starts "+words.Ago(now, h.NextStartAt)+".")
	}
	return out
}

// seconds formats milliseconds as seconds, such as 1.5 s.
func seconds(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s" }

// verdict describes what a robots.txt file allows the crawler to do.
func verdict(v string) string {
	known := map[string]string{"body": "followed as shown below", "allow": "there is none, so everything may be fetched",
		"disallow": "it cannot be fetched, so nothing else is fetched for now"}
	if text, ok := known[v]; ok {
		return text
	}
	return v
}
