// Package office turns the files of office programs and of e-book readers into the blocks of an [extract.Document]:
// Word and PowerPoint (Office Open XML), Excel, OpenDocument, Rich Text Format and EPUB.
//
// The same bytes always give the same document. Whatever a file contains, reading it neither panics nor exceeds its
// bounds, which are checked on the data that is read, never on the sizes in a header. Excel files are the exception:
// they can make the library that reads them use far more memory, so package document reads files in a process of its
// own.
package office
