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

// childArgument makes this executable a reader of one document, with the memory that it may use, in
// bytes, behind it. With "warm" and a folder behind it, it compiles the PDF reader into that folder
// instead.
const childArgument = "read-document"

// readers are the heavy formats.
var readers = map[string]func(request, []byte) (extract.Document, error){
	pdf.MediaType: func(r request, body []byte) (extract.Document, error) {
		return pdf.Extract(body, pdf.Options{BaseURL: r.BaseURL, CacheDir: r.CacheDir, Limits: r.Limits})
	},
	sheet.MediaType: func(r request, body []byte) (extract.Document, error) { return sheet.Extract(body, r.Limits) },
	docxType:        func(r request, body []byte) (extract.Document, error) { return ooxml.Docx(body, r.Limits) },
	pptxType:        func(r request, body []byte) (extract.Document, error) { return ooxml.Pptx(body, r.Limits) },
}

// request is what a reader is told before the body: one line of JSON.
type request struct {
	Type     string
	BaseURL  string
	CacheDir string
	Limits   extract.Limits
}

// answer is what a reader says: one line of JSON.
type answer struct {
	Document *extract.Document `json:",omitempty"`
	Kind     fault.Kind        `json:",omitempty"`
	Error    string            `json:",omitempty"`
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
			exit(child(os.Stdin, os.Stdout))
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

// child reads one document. Its error is about the connection to the parent.
func child(in io.Reader, out io.Writer) error {
	const maxRequest = 64 << 10
	buffered := bufio.NewReaderSize(in, maxRequest)
	line, err := buffered.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("no request: %w", err)
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	body, err := io.ReadAll(io.LimitReader(buffered, maxBody+1))
	if err != nil {
		return err
	}
	read := readers[r.Type]
	if read == nil || len(body) > maxBody {
		return errors.New("not a document for this reader")
	}
	doc, err := read(r, body)
	a := answer{Document: &doc}
	if err != nil {
		a = answer{Kind: fault.KindOf(err), Error: err.Error()}
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e.Encode(a)
}
