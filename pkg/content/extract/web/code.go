package web

import (
	"path"
	"strings"

	"github.com/tidemark/tidemark/pkg/content/extract"
	"github.com/tidemark/tidemark/pkg/content/extract/blocks"
)

// codeByName are the languages of code and of configuration, by the extension of a file's name.
var codeByName = map[string]string{
	".go": "go", ".py": "python", ".rb": "ruby", ".rs": "rust", ".java": "java", ".kt": "kotlin", ".scala": "scala",
	".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".hpp": "c++", ".cs": "c#", ".swift": "swift", ".m": "objective-c",
	".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "jsx", ".ts": "typescript", ".tsx": "tsx",
	".php": "php", ".pl": "perl", ".pm": "perl", ".r": "r", ".lua": "lua", ".jl": "julia", ".ex": "elixir",
	".exs": "elixir", ".erl": "erlang", ".hs": "haskell", ".ml": "ocaml", ".clj": "clojure", ".lisp": "lisp",
	".el": "lisp", ".dart": "dart", ".sh": "sh", ".bash": "sh", ".zsh": "sh", ".ps1": "powershell", ".bat": "batch",
	".sql": "sql", ".css": "css", ".scss": "scss", ".less": "less", ".vue": "vue", ".tf": "terraform",
	".bicep": "bicep", ".proto": "protobuf", ".graphql": "graphql", ".yaml": "yaml", ".yml": "yaml", ".toml": "toml",
	".ini": "ini", ".cfg": "ini", ".conf": "ini", ".properties": "properties", ".env": "sh", ".dockerfile": "dockerfile",
	".mk": "make", ".cmake": "cmake", ".gradle": "groovy", ".tex": "latex", ".bib": "bibtex", ".diff": "diff",
	".patch": "diff", ".asm": "asm", ".s": "asm", ".zig": "zig", ".nix": "nix", ".jsonc": "json", ".json5": "json",
}

// codeTypes are media types of code, without "text/", "application/" and "x-", where they differ from the name of the
// language.
var codeTypes = map[string]string{
	"ecmascript": "javascript", "c++src": "c++", "csrc": "c", "chdr": "c", "java-source": "java", "shellscript": "sh",
	"python-script": "python", "script.python": "python", "httpd-php": "php", "yml": "yaml", "patch": "diff",
	"csh": "sh", "rustsrc": "rust", "gosrc": "go", "tex": "latex",
}

// codeOf returns the language of a media type of code, or "". Parameter declared is in lower case.
func codeOf(declared string) string {
	top, name, _ := strings.Cut(declared, "/")
	if top != "text" && top != "application" {
		return ""
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "x-"), "vnd.")
	if language := codeTypes[name]; language != "" {
		return language
	}
	for _, language := range codeByName {
		if language == name {
			return name
		}
	}
	return ""
}

// languageByName returns the language of a file with this name, or "".
func languageByName(urlPath string) string {
	if base := path.Base(urlPath); base == "Dockerfile" || base == "Makefile" {
		return strings.ToLower(strings.TrimSuffix(base, "file"))
	}
	return codeByName[strings.ToLower(path.Ext(urlPath))]
}

// readCode returns the reader of a text that is kept as it is written: all of it is one listing, and white space at
// the beginning of a line counts.
func readCode(language string) func(page) extract.Document {
	return func(p page) extract.Document {
		text, charset := decode(p.body, p.contentType, false)
		return listing(string(text), language, charset)
	}
}

func listing(text, language, charset string) extract.Document {
	doc := extract.Document{Charset: charset, Exact: true}
	if text = blocks.TrimCode(newlines.Replace(text)); strings.TrimSpace(text) != "" {
		doc.Blocks = []extract.Block{{Kind: extract.Code, Language: language, Text: text}}
	}
	doc.Text = extract.Join(doc.Blocks)
	doc.VisibleText = joinLines(doc.Blocks)
	return doc
}
