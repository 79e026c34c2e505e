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
	"github.com/tidemark/tidemark/pkg/content/extract/office"
	"github.com/tidemark/tidemark/pkg/content/extract/pdf"
)

// childArgument is the first argument of a process that reads documents. The second is the memory that the process
// may use, in bytes. If "warm" and a folder follow, the process compiles the PDF reader into that folder and reads
// nothing.
const childArgument = "read-document"

// readers are the functions that read heavy formats.
var readers = map[string]func(request, []byte) (extract.Document, error){
	pdf.MediaType:   readPDF,
	office.XLSXType: func(r request, body []byte) (extract.Document, error) { return office.XLSX(body, r.Limits) },
	docxType:        func(r request, body []byte) (extract.Document, error) { return office.DOCX(body, r.Limits) },
	pptxType:        func(r request, body []byte) (extract.Document, error) { return office.PPTX(body, r.Limits) },
	office.RTFType:  func(r request, body []byte) (extract.Document, error) { return office.RTF(body, r.Limits) },
	office.EPUBType: func(r request, body []byte) (extract.Document, error) { return office.EPUB(body, r.Limits) },

	office.TextType: readODF, office.SpreadsheetType: readODF, office.PresentationType: readODF,
}

func readODF(r request, body []byte) (extract.Document, error) {
	return office.ODF(body, r.Type, r.Limits)
}

// engine is the PDF reader of this process. It is created for the first PDF, because creating it takes longer than
// reading most documents. Each document is read in an instance of its own.
var engine *pdf.Engine

func readPDF(r request, body []byte) (doc extract.Document, err error) {
	if engine == nil {
		if engine, err = pdf.Open(r.CacheDir); err != nil {
			return extract.Document{}, err
		}
	}
	return engine.Extract(body, pdf.Options{BaseURL: r.BaseURL, Limits: r.Limits})
}

// request is the line of JSON that precedes a document's body on the standard input of a reader.
type request struct {
	Type     string
	Size     int // size of the body, in bytes
	BaseURL  string
	CacheDir string // the same in all requests to one reader
	Limits   extract.Limits
}

// answer is a reader's answer: one line of JSON.
type answer struct {
	Document *extract.Document `json:",omitempty"`
	Kind     fault.Kind        `json:",omitempty"`
	Error    string            `json:",omitempty"`
	// Large reports that the reader has used so much memory that the next document might not have enough.
	Large bool `json:",omitempty"`
}

// Main does nothing in an ordinary process. In a process that was started to read documents, Main reads documents and
// then ends the process. It must be the first call in main, before flags, settings and threads.
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

// serve reads documents until the input ends. It returns an error only if the connection to the parent fails.
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

// cleanUp removes the files of this process and their folder, because nobody else removes them if the parent is gone.
func cleanUp() {
	if engine != nil {
		engine.Close()
	}
	_ = os.Remove(os.TempDir()) // fails if the folder is not empty
}

// reply reads the document that follows a request line.
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
