package schedule

import "time"

// FullCheck reports whether a check must get a whole answer, because there were so many checks since the last one, at
// the given time, that only said that nothing has changed. If the validators were seen to change with the content,
// both limits must be exceeded; otherwise one of them is enough. A limit of zero does not count.
func (c Config) FullCheck(checks int, last time.Time, proven bool, now time.Time) bool {
	many := c.FullEvery > 0 && checks >= c.FullEvery
	long := c.FullAfter > 0 && !last.IsZero() && now.Sub(last) >= c.FullAfter
	if proven && c.FullEvery > 0 && c.FullAfter > 0 {
		return many && long
	}
	return many || long
}
