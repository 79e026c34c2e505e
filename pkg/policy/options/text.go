package options

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/base/wallclock"
)

// phrase is the part of a schedule in plain words that has been parsed so far.
type phrase struct {
	every    time.Duration
	weekdays []string
	days     []string // days of the month
	times    []wallclock.Clock
	named    bool // the text mentions days
}

var (
	ordinalText = regexp.MustCompile(`^(\d{1,2})(st|nd|rd|th)$`)
	apart       = strings.NewReplacer(",", " ", ";", " ", " a.m.", "am", " p.m.", "pm")
	meridiem    = regexp.MustCompile(`(\d)\s+(am|pm)\b`)
)

// maxTimes limits the number of times of day in a schedule.
const maxTimes = 24

// readText parses a schedule in plain words. It returns either an interval or cron expressions.
func readText(text string) (every time.Duration, crons []string, err error) {
	if len(text) > maxSchedule {
		return 0, nil, fault.Field("schedule.text", "schedule.text has more than %d characters", maxSchedule)
	}
	var p phrase
	said := meridiem.ReplaceAllString(apart.Replace(strings.ToLower(text)), "$1$2")
	for all := strings.Fields(said); len(all) > 0; {
		n := p.read(all)
		if n == 0 {
			return 0, nil, notUnderstood(text)
		}
		all = all[n:]
	}
	timed := len(p.times) > 0 || len(p.weekdays) > 0 || len(p.days) > 0
	switch {
	case p.every > 0 && (p.every != 24*time.Hour && timed || len(p.weekdays)+len(p.days) > 0):
		return 0, nil, notUnderstood(text)
	case p.every > 0 && !timed:
		return p.every, nil, nil
	case !timed || len(p.times) > maxTimes || len(p.days) > 0 && len(p.weekdays) > 0:
		return 0, nil, notUnderstood(text)
	}
	return 0, p.crons(), nil
}

func notUnderstood(text string) error {
	return fault.Field("schedule.text", "schedule.text %.60q is not understood: write it as \"daily at 9am\", \"every 2 "+
		"hours\", \"mondays and thursdays at 08:30\", \"weekdays at 9am and 5pm\" or \"monthly on the 1st at noon\", or "+
		"give schedule.cron", text)
}

// read parses words at the beginning of a list. It returns the number of words that it used; 0 if it does not
// understand them.
func (p *phrase) read(all []string) int {
	word := all[0]
	switch {
	case slices.Contains([]string{"at", "on", "and", "the", "of", "each"}, word):
		return 1
	case word == "every":
		return p.readEvery(all)
	case weekdayOf(word) >= 0:
		p.weekdays = append(p.weekdays, strconv.Itoa(weekdayOf(word)))
		return 1
	}
	switch word {
	case "hourly":
		return p.often(time.Hour)
	case "daily":
		return p.often(24 * time.Hour)
	case "weekly":
		return p.often(7 * 24 * time.Hour)
	case "monthly", "month":
		if !slices.ContainsFunc(all, ordinalText.MatchString) && len(p.days) == 0 {
			p.days = append(p.days, "1")
		}
		return 1
	case "weekdays", "workdays", "weekday", "workday":
		p.weekdays = append(p.weekdays, "1-5")
		return 1
	case "weekends", "weekend":
		p.weekdays = append(p.weekdays, "0", "6")
		return 1
	}
	return p.readNumber(word)
}

func (p *phrase) often(d time.Duration) int {
	if p.every > 0 {
		return 0
	}
	p.every = d
	return 1
}

// readEvery parses "every 2 hours" and "every day". In "every monday" it skips the word "every", which has no meaning
// there.
func (p *phrase) readEvery(all []string) int {
	n, words := 1, all[1:]
	if len(words) > 0 {
		if count, err := strconv.Atoi(words[0]); err == nil {
			if n, words = count, words[1:]; n < 1 || n > 10_000 {
				return 0
			}
		}
	}
	if len(words) == 0 {
		return 0
	}
	for unit, d := range map[string]time.Duration{
		"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "week": 7 * 24 * time.Hour,
	} {
		if words[0] == unit || words[0] == unit+"s" {
			return p.often(time.Duration(n)*d) * (len(all) - len(words) + 1)
		}
	}
	if len(all)-len(words) > 1 {
		return 0 // a number without a unit
	}
	return 1
}

// readNumber parses a day of the month or a time of day.
func (p *phrase) readNumber(word string) int {
	if m := ordinalText.FindStringSubmatch(word); m != nil {
		if day, _ := strconv.Atoi(m[1]); day < 1 || day > 31 {
			return 0
		}
		p.days = append(p.days, m[1])
		return 1
	}
	c, ok := wallclock.ParseSpoken(word)
	if !ok {
		return 0
	}
	p.times = append(p.times, c)
	return 1
}

// crons returns the cron expressions of a phrase, one for each time of day.
func (p *phrase) crons() (out []string) {
	list := func(of []string) string {
		if len(of) == 0 {
			return "*"
		}
		return strings.Join(of, ",")
	}
	if len(p.times) == 0 {
		p.times = []wallclock.Clock{0}
	}
	for _, t := range p.times {
		out = append(out, fmt.Sprintf("%d %d %s * %s", t.Minute(), t.Hour(), list(p.days), list(p.weekdays)))
	}
	return out
}

var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// weekdayOf returns the number of the weekday with the given name or abbreviation; Sunday is 0. For any other word it
// returns -1.
func weekdayOf(word string) int {
	one := strings.TrimSuffix(word, "s")
	return slices.IndexFunc(weekdays, func(day string) bool {
		return len(one) >= 3 && strings.HasPrefix(day, one) || len(word) >= 3 && strings.HasPrefix(day, word)
	})
}
