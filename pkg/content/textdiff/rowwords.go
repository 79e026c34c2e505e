package textdiff

// RowWords returns two rows of a table, the earlier and the later one, as pieces that mark the words in which their
// cells differ. Of rows of which one has not replaced the other it returns nil.
func RowWords(old, text string) (before, after []Piece) {
	was, is := cellsOf(old), cellsOf(text)
	if len(was) != len(is) || !rowReplaces(textsOf(old), textsOf(text)) {
		return nil, nil
	}
	x, y := make([][]Piece, len(was)), make([][]Piece, len(is))
	for i := range was {
		x[i], y[i] = ByWord(old[was[i].from:was[i].to], text[is[i].from:is[i].to])
	}
	return tidied(inLine(old, was, x)), tidied(inLine(text, is, y))
}
