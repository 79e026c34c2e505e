package backfill

import "context"

// Keep has the work of fewer finished runs kept.
func Keep(completed, failed int) (restore func()) {
	c, f := keepCompleted, keepFailed
	keepCompleted, keepFailed = completed, failed
	return func() { keepCompleted, keepFailed = c, f }
}

// Smaller has steps look at few links, so that tests cross every border with few pages.
func Smaller(links, rows int) (restore func()) {
	l, r := sliceLinks, linkRows
	sliceLinks, linkRows = links, rows
	return func() { sliceLinks, linkRows = l, r }
}

// Outlive removes the work of all runs that are over, as the ends of a hundred later runs do.
func (s *Service) Outlive(ctx context.Context) {
	defer Keep(0, 0)()
	s.tidy(ctx)
}
