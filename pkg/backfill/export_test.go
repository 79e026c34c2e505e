package backfill

// Smaller has steps look at few links, so that tests cross every border with few pages.
func Smaller(links, rows int) (restore func()) {
	l, r := sliceLinks, linkRows
	sliceLinks, linkRows = links, rows
	return func() { sliceLinks, linkRows = l, r }
}
