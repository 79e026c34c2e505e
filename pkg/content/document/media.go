package document

import (
	"bytes"
	"encoding/binary"
	"net/url"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
	"github.com/tidemark/tidemark/pkg/base/fault"
	"github.com/tidemark/tidemark/pkg/content/extract/mail"
	"github.com/tidemark/tidemark/pkg/content/extract/office"
	"github.com/tidemark/tidemark/pkg/content/extract/pdf"
	"github.com/tidemark/tidemark/pkg/content/extract/web"
)

// Media types that this file recognizes and that no package for reading documents defines.
const (
	docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	pptxType = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	xlsbType = "application/vnd.ms-excel.sheet.binary.macroenabled.12"
	oleType  = "application/x-ole-storage"
	octets   = "application/octet-stream"
)

// mediaType returns the media type by which a document is read. The rules, in this order:
//
//  1. A body that begins like a PDF, an Office file or a compound file is one, whatever type the server declares.
//     Servers often declare a wrong type for these formats, and no other format begins like them.
//  2. A body that is declared as PDF is a PDF if the PDF signature is within its first 1024 bytes. Without the
//     signature, the body is usually an error page that was sent instead of the document. The same applies to a body
//     that is declared as an Office file but does not have that format. If such a body is text, it is read as text.
//  3. A body that is declared as text but is a picture or an archive is that.
//  4. Any other specific declared type is trusted.
//  5. Otherwise the body decides, so that a picture is recorded as a picture. A mail is recognized by its header.
//
// If no specific type is declared, as for a file in a folder, the type of the file name extension counts as the
// declared type. So a broken document is reported as broken, and a mail needs no complete header.
//
// Errors: Blocked for a compound file with an encrypted package, which is an Office file with a password.
func mediaType(contentType string, body []byte, address string) (string, error) {
	declared := web.DeclaredType(contentType)
	if t := typeByName(address); t != "" && web.SaysNothing(declared) {
		declared = t
	}
	if bytes.HasPrefix(body, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
		return compoundType(body, declared)
	}
	if t := packageType(body); t != "" {
		return t, nil
	}
	if t := storedType(body); readers[t] != nil {
		return t, nil
	}
	if bytes.HasPrefix(body, []byte(office.RTFMagic)) {
		return office.RTFType, nil
	}
	mayBePDF := declared == pdf.MediaType || web.SaysNothing(declared)
	if at := bytes.Index(body[:min(len(body), 1024)], []byte("%PDF-")); at == 0 || at > 0 && mayBePDF {
		return pdf.MediaType, nil
	}
	if isOffice(declared) || declared == pdf.MediaType {
		if found := detect(body); strings.HasPrefix(found, "text/") && len(body) > 0 {
			return found, nil
		}
		return declared, nil
	}
	if web.IsText(declared) && web.IsBinary(body) {
		if found := detect(body); isPackedType(found) {
			return found, nil
		}
	}
	if web.SaysNothing(declared) {
		if found := detect(body); !strings.HasPrefix(found, "text/") {
			return found, nil
		}
		return octets, nil // package web recognizes the kind of text
	}
	return declared, nil
}

// typeByName returns the type of documents with the given file name extension, or "" for other names.
func typeByName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".pdf":
		return pdf.MediaType
	case ".docx":
		return docxType
	case ".pptx":
		return pptxType
	case ".xlsx":
		return office.XLSXType
	case ".odt":
		return office.TextType
	case ".ods":
		return office.SpreadsheetType
	case ".odp":
		return office.PresentationType
	case ".epub":
		return office.EPUBType
	case ".rtf":
		return office.RTFType
	case ".eml":
		return mail.MediaType
	}
	return ""
}

// isOffice reports whether a declared type is that of a document of an office program, or of a book.
func isOffice(declared string) bool {
	switch declared {
	case docxType, pptxType, office.XLSXType, office.TextType, office.SpreadsheetType, office.PresentationType,
		office.EPUBType,
		office.RTFType, "text/rtf":
		return true
	}
	return false
}

// isPackedType reports whether a type that [detect] found is that of a picture, a sound, or packed data.
func isPackedType(found string) bool {
	switch found {
	case "application/gzip", "application/zip", "application/zstd", "application/x-bzip2", "application/x-xz",
		"application/x-7z-compressed":
		return true
	}
	top, _, _ := strings.Cut(found, "/")
	return top == "image" || top == "audio" || top == "video" || top == "font"
}

// detect returns the type, without parameters, that a body appears to have.
func detect(body []byte) string {
	found, _, _ := strings.Cut(mimetype.Detect(body).String(), ";")
	if found == mail.MediaType && !isMail(body) {
		return "text/plain"
	}
	return found
}

// isMail reports whether a body has the header fields that every mail has (RFC 5322 §3.6), and a field that only mail
// programs write. The fields of every mail do not suffice: notes may also begin with "From:", and logs with "Date:".
func isMail(body []byte) bool {
	const most = 64 << 10
	known := map[string]bool{}
	for line := range bytes.Lines(body[:min(len(body), most)]) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		name, _, found := bytes.Cut(line, []byte(":"))
		if !found && line[0] != ' ' && line[0] != '\t' {
			return false
		}
		known[strings.ToLower(string(name))] = true
	}
	return known["from"] && known["date"] && (known["message-id"] || known["mime-version"] || known["received"])
}

// compoundType returns the type of a compound file: one of the Office formats before 2007, which this package does
// not read.
func compoundType(body []byte, declared string) (string, error) {
	const encrypted = "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"
	if bytes.Contains(body, []byte(encrypted)) {
		return "", fault.New(fault.Blocked, "the document is protected by a password")
	}
	if found := detect(body); found != oleType && found != octets {
		return found, nil
	}
	if readers[declared] != nil || web.SaysNothing(declared) || strings.HasPrefix(declared, "text/") {
		return oleType, nil
	}
	return declared, nil
}

// packageType recognizes Office files by the folder names in the directory of the archive (ZIP application note
// §4.3.12). It returns "" for other archives and other bodies.
func packageType(body []byte) string {
	const maxEntries = 10_000
	if !bytes.HasPrefix(body, []byte("PK\x03\x04")) {
		return ""
	}
	found, isPackage := "", false
	at := directory(body)
	for range maxEntries {
		if at < 0 || at+46 > len(body) || string(body[at:at+4]) != "PK\x01\x02" {
			break
		}
		size := func(offset int) int { return int(binary.LittleEndian.Uint16(body[at+offset:])) }
		name := string(body[at+46 : min(at+46+size(28), len(body))])
		isPackage = isPackage || name == "[Content_Types].xml"
		if t := partType(name); t != "" && found == "" {
			found = t
		}
		at += 46 + size(28) + size(30) + size(32)
	}
	if !isPackage {
		return ""
	}
	return found
}

// storedType returns the media type that the archives of OpenDocument and EPUB state in their first entry, which is not
// compressed; "" for other bodies.
func storedType(body []byte) string {
	const name = "mimetype"
	if !bytes.HasPrefix(body, []byte("PK\x03\x04")) || len(body) < 38 || string(body[30:38]) != name ||
		body[26] != byte(len(name)) {
		return ""
	}
	start := 38 + int(binary.LittleEndian.Uint16(body[28:]))
	end := min(len(body), start+100)
	if next := bytes.Index(body[min(start, end):end], []byte("PK")); next >= 0 {
		end = start + next
	}
	found := strings.TrimSpace(string(body[min(start, end):end]))
	return strings.TrimSuffix(found, "-template")
}

// directory returns the offset of an archive's directory, or -1.
func directory(body []byte) int {
	const endSize = 22
	end := bytes.LastIndex(body, []byte("PK\x05\x06"))
	if end < 0 || end+endSize > len(body) {
		return -1
	}
	return int(binary.LittleEndian.Uint32(body[end+16:]))
}

// partType returns the type of a document that has a part with this name.
func partType(name string) string {
	switch {
	case name == "xl/workbook.bin":
		return xlsbType
	case name == "xl/workbook.xml":
		return office.XLSXType
	case strings.HasPrefix(name, "word/"):
		return docxType
	case strings.HasPrefix(name, "ppt/"):
		return pptxType
	}
	return ""
}
