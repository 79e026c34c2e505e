package document

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/ooxml"
	"github.com/tidemark/tidemark/pkg/content/extract/pdf"
	"github.com/tidemark/tidemark/pkg/content/extract/sheet"
)

// childArgument makes this executable a reader of documents, with the memory that it may use, in
// bytes, behind it. With "warm" and a folder behind it, it compiles the PDF reader into that folder
// instead.
const childArgument = "read-document"

// readers are the heavy formats.
var readers = map[string]func(request, []byte) (extract.Document, error){
	pdf.MediaType:   readPDF,
	sheet.MediaType: func(r request, body []byte) (extract.Document, error) { return sheet.Extract(body, r.Limits) },
	docxType:        func(r request, body []byte) (extract.Document, error) { return ooxml.Docx(body, r.Limits) },
	pptxType:        func(r request, body []byte) (extract.Document, error) { return ooxml.Pptx(body, r.Limits) },
}

// engine is this process' PDF reader, from the first PDF on: it takes longer to start than most
// documents to read. Every document has an instance of it to itself.
var engine *pdf.Engine

func readPDF(r request, body []byte) (doc extract.Document, err error) {
	if engine == nil {
		if engine, err = pdf.Open(r.CacheDir); err != nil {
			return extract.Document{}, err
		}
	}
	return engine.Extract(body, pdf.Options{BaseURL: r.BaseURL, Limits: r.Limits})
}

// request is what a reader is told before the body: one line of JSON.
type request struct {
	Type     string
	Size     int // of the body, in bytes
	BaseURL  string
	CacheDir string // the same in all requests to one reader
	Limits   extract.Limits
}

// answer is what a reader says: one line of JSON.
type answer struct {
	Document *extract.Document `json:",omitempty"`
	Kind     fault.Kind        `json:",omitempty"`
	Error    string            `json:",omitempty"`
	// Large says that the reader has taken so much memory that the next document might not have enough.
	Large bool `json:",omitempty"`
}

// Main ends the process when it was started to read a document, after having done so. It must be
// called before anything else in main: before flags, settings and threads.
func Main() {
	if len(os.Args) < 2 || os.Args[1] != childArgument {
		return
	}
	if len(os.Args) == 4 && os.Args[2] == "warm" {
		exit(pdf.Warm(os.Args[3]))
	}
	if len(os.Args) == 3 {
		if memory, err := strconv.ParseInt(os.Args[2], 10, 64); err == nil {
			limitProcess(uint64(memory))
			exit(serve(os.Stdin, os.Stdout, memory))
		}
	}
	exit(errors.New("no limit of memory"))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serve reads documents until there are no more. Its error is about the connection to the parent.
func serve(in io.Reader, out io.Writer, memory int64) error {
	const maxRequest = 64 << 10
	buffered := bufio.NewReaderSize(in, maxRequest)
	begun := addressSpace()
	for {
		line, err := buffered.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			cleanUp()
			return nil
		}
		if err != nil {
			return fmt.Errorf("no request: %w", err)
		}
		limitTime()
		a, err := reply(line, buffered)
		if err != nil {
			return err
		}
		a.Large = addressSpace() > begun+uint64(memory)/2
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		if err := e.Encode(a); err != nil {
			return err
		}
	}
}

// cleanUp removes the files of this process and its folder. When the parent is gone, no other process does.
func cleanUp() {
	if engine != nil {
		engine.Close()
	}
	_ = os.Remove(os.TempDir()) // one that holds anything stays
}

// reply reads the document of a request, which is the line before it.
func reply(line []byte, in io.Reader) (answer, error) {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return answer{}, err
	}
	read := readers[r.Type]
	if read == nil || r.Size < 0 || r.Size > maxBody {
		return answer{}, errors.New("not a document for this reader")
	}
	body := make([]byte, r.Size)
	if _, err := io.ReadFull(in, body); err != nil {
		return answer{}, err
	}
	doc, err := read(r, body)
	if err != nil {
		return answer{Kind: fault.KindOf(err), Error: err.Error()}, nil
	}
	return answer{Document: &doc}, nil
}
