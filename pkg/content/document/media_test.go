package document

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/tidemark/tidemark/pkg/content/extract/mail"
	"github.com/tidemark/tidemark/pkg/content/extract/office"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// archive is a ZIP file with parts of these names.
func archive(t testing.TB, names ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range names {
		p, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write(bytes.Repeat([]byte("padding "), 1000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestA17MediaType(t *testing.T) {
	const types, ole = "[Content_Types].xml", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
	docx := archive(t, types, "_rels/.rels", "docProps/app.xml", "word/document.xml")
	nested := archive(t, "letters/a.docx")
	for _, c := range []struct {
		name, declared string
		body           []byte
		want           string
	}{
		{"a PDF", "application/pdf", []byte("%PDF-1.7"), "application/pdf"},
		{"a PDF, whatever is declared", "text/html; charset=utf-8", []byte("%PDF-1.7"), "application/pdf"},
		{"a PDF behind noise", "application/pdf", []byte("\r\nnoise %PDF-1.7"), "application/pdf"},
		{"noise that speaks of PDFs", "text/html", []byte("<p>A PDF begins with %PDF-1.7"), "text/html"},
		{"an error page for a PDF", "application/pdf", []byte("<!doctype html><p>Gone"), "text/html"},
		{"nothing for a PDF", "application/pdf", nil, "application/pdf"},
		{"bytes for a PDF", "application/pdf", []byte{0, 1, 2}, "application/pdf"},
		{"DOCX as bytes", "application/octet-stream", docx, docxType},
		{"DOCX as old Word", "application/msword", docx, docxType},
		{"DOCX as ZIP", "application/zip", docx, docxType},
		{"PPTX without a type", "", archive(t, types, "ppt/presentation.xml"), pptxType},
		{"XLSX", office.XLSXType, archive(t, types, "xl/workbook.xml"), office.XLSXType},
		{"XLSB", "", archive(t, types, "xl/workbook.bin"), xlsbType},
		{"an archive of folders called word", "application/zip", archive(t, "word/list.txt"), "application/zip"},
		{"an archive of letters", "application/zip", nested, "application/zip"},
		{"an error page for a DOCX", docxType, []byte("<html><p>Gone"), "text/html"},
		{"old Word", "application/msword", []byte(ole), "application/msword"},
		{"a compound file as DOCX", docxType, []byte(ole), oleType},
		{"a picture as bytes", "binary/octet-stream", []byte("\x89PNG\r\n\x1a\n"), "image/png"},
		{"text without a type", "", []byte("High water at noon."), octets},
		{"a type that says something", "image/svg+xml", []byte("<svg>"), "image/svg+xml"},
		{"a mail", "message/rfc822", []byte("High water at noon."), mail.MediaType},
		{"a mail as bytes", "application/octet-stream",
			[]byte("Received: by mx\r\n\twith SMTP\r\nFROM: a\r\nDate: b\r\n\r\nc"), mail.MediaType},
		{"a mail as text", "text/plain", []byte("From: a\nDate: b\nMessage-ID: c\n\nd"), "text/plain"},
		{"a note", "", []byte("From: a\nDate: b\n\nMessage-ID: c"), octets},
		{"a log", "", []byte("Date: a\nFrom: b\nReceived: c\nready\n"), octets},
		{"a broken parameter", "Application/PDF; =", []byte("%PDF-1.7"), "application/pdf"},
	} {
		if got, err := mediaType(c.declared, c.body, "https://port.example/a"); got != c.want || err != nil {
			t.Errorf("%s: have %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// A17: the type of a file in a folder is that of its name's extension.
func TestA17MediaTypeByName(t *testing.T) {
	broken := archive(t, "[Content_Types].xml", "word/document.xml")[:200]
	for _, c := range []struct {
		name, declared, file string
		body                 []byte
		want                 string
	}{
		{"a broken DOCX", "", "a.docx", broken, docxType},
		{"a broken DOCX to be downloaded", "application/octet-stream", "a.DOCX", broken, docxType},
		{"a broken DOCX of another type", "application/zip", "a.docx", broken, "application/zip"},
		{"an archive that is no PPTX", "", "a.pptx", archive(t, "a.txt"), pptxType},
		{"a PDF without its mark", "", "a.pdf", []byte{0, 1, 2}, "application/pdf"},
		{"a PDF that is a workbook", "", "a.pdf", archive(t, "[Content_Types].xml", "xl/workbook.xml"), office.XLSXType},
		{"a PDF that is a page", "", "a.pdf", []byte("<!doctype html><p>Gone"), "text/html"},
		{"a mail without a date", "", "a.eml", []byte("From: a\nSubject: b\n\nc"), mail.MediaType},
		{"text", "", "a.txt", []byte("High water at noon."), octets},
	} {
		if got, err := mediaType(c.declared, c.body, "https://port.example/b/"+c.file+"?download=1"); got != c.want ||
			err != nil {
			t.Errorf("%s: have %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

func FuzzMediaType(f *testing.F) {
	f.Add("application/pdf", []byte("%PDF-1.7"))
	f.Add("", archive(f, "[Content_Types].xml", "xl/workbook.xml"))
	f.Add("text/html", []byte("PK\x03\x04PK\x05\x06"))
	f.Add("", []byte("From: a\nDate: b\nMessage-ID: c\n\nd"))
	f.Add("application/msword", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))
	f.Fuzz(func(t *testing.T, declared string, body []byte) {
		got, err := mediaType(declared, body, "")
		if err == nil && strings.ContainsAny(got, ";\n ") && got != web.DeclaredType(declared) {
			t.Errorf("mediaType(%q, %q) = %q", declared, body, got)
		}
	})
}

// TestX7MediaType checks that what is declared as text, but is a picture or an archive, is that (X7).
func TestX7MediaType(t *testing.T) {
	jpeg, png := "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"
	docx := archive(t, "[Content_Types].xml", "word/document.xml")
	for _, c := range []struct{ declared, body, want string }{
		{"text/html; charset=utf-8", jpeg, "image/jpeg"},
		{"text/html", png, "image/png"},
		{"text/html", "GIF89a\x01\x00\x01\x00", "image/gif"},
		{"text/html", string(archive(t, "a.txt")), "application/zip"},
		{"text/html", string(docx), docxType},
		{"html", string(docx), docxType},
		{"text/html", "\x1f\x8b\x08\x00\x00\x00\x00\x00", "application/gzip"},
		{"text/html", "%PDF-1.7", "application/pdf"},
		{"text/html", "\r\n%PDF-1.7", "text/html"}, // only a page that speaks of it
		{"html", "\r\n%PDF-1.7", "application/pdf"},
		{"application/json", jpeg, "image/jpeg"},
		{"text/xml", png, "image/png"},
		{"text/plain", jpeg, "image/jpeg"},
		{"text/plain", "<!doctype html><p>x", "text/plain"},
		{"text/html", "<!doctype html><p>\x00x", "text/html"},
		{"application/vnd.google-earth.kmz", string(archive(t, "doc.kml")), "application/vnd.google-earth.kmz"},
	} {
		if got, err := mediaType(c.declared, []byte(c.body), "https://port.example/a"); got != c.want || err != nil {
			t.Errorf("%s %.12q: have %q, %v, want %q", c.declared, c.body, got, err, c.want)
		}
	}
}
