// Package linememory remembers how the lines of a page move from check to check, and decides by it which differences
// between two readings are news. Nothing is shared between pages.
//
// A slot is a part of a page that moves: what stands between two contexts, each a few words that stay. The memory of a
// slot has the last checks at which it moved, and hashes of the texts that stood there. Numbers are masked in the
// contexts, so that a slot is found again when another number beside it changes. A number that most entries of a list
// have has one slot for all of them.
//
// Each difference is held against the slots. What a slot explains is not news: the slot moves at most checks, and
// moves as before. A fact (see package fact) needs more evidence than other text: its slot must also move so often in
// time that a fact which changes once a day would hardly do that. All other differences are news, and so are the first
// two moves of each slot, unless it is a clock that shows the time of the reading.
//
// People edit a page, or try how they are told of it, several times within minutes. So moves within minutes count once,
// and those at checks that somebody has asked for do not count.
package linememory
