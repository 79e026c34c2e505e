package backfill

import "context"

// Keep lowers the number of finished runs whose rows of work are kept.
func Keep(completed, failed int) (restore func()) {
	c, f := keepCompleted, keepFailed
	keepCompleted, keepFailed = completed, failed
	return func() { keepCompleted, keepFailed = c, f }
}

// Smaller makes steps work on few links, so that tests cross every boundary with few pages.
func Smaller(links, rows int) (restore func()) {
	l, r := sliceLinks, linkRows
	sliceLinks, linkRows = links, rows
	return func() { sliceLinks, linkRows = l, r }
}

// Outlive removes the rows of work of all finished runs, as the ends of a hundred later runs do.
func (s *Service) Outlive(ctx context.Context) {
	defer Keep(0, 0)()
	s.tidy(ctx)
}
