// Package track keeps the state of the fields of an item from check to check, and finds the changes of their values.
//
// # What is kept
//
// [Known] is a part of the item's row. It has for each field the last value that was seen, the values that were seen
// before it (the previous, the first, the lowest and the highest), and the number of entries of its history. So these
// outlive the captures in which they were read. The history itself is kept elsewhere: [Known.See] returns the entries
// that are added to it.
//
// # What is a change
//
// A value that differs from the last one is a [Change], and so is a value that has disappeared or come back. A field
// whose text cannot be read, or whose source is gone, keeps its last value, because nothing is known of the present
// one. The first reading of a field is not a change, nor is the first one after its definition was changed.
//
// A Change has what conditions need, so that whether one fires follows from the change alone: see package condition.
package track
