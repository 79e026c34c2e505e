package terminal

import (
	"os"
	"strings"

	"golang.org/x/term"
)

// Screen describes what an output can show. The zero value is for a file or a pipe.
type Screen struct {
	Terminal bool
	Color    bool // a terminal whose user has not turned colors off
	Width    int  // in columns; 0 for a file or a pipe
}

// ScreenOf examines f. It honors NO_COLOR as https://no-color.org asks: any value turns colors off.
func ScreenOf(f *os.File, getenv func(string) string) Screen {
	if !term.IsTerminal(int(f.Fd())) {
		return Screen{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	return Screen{Terminal: true, Color: getenv("NO_COLOR") == "" && getenv("TERM") != "dumb", Width: width}
}

// Bold makes text stand out where the screen has colors.
func (s Screen) Bold(text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[1m" + text + "\x1b[0m"
}

// Render shows the highlights of a text from [Markup]: in bold when the screen has colors, and otherwise in «…».
func (s Screen) Render(marked string) string {
	on, off := "«", "»"
	if s.Color {
		on, off = "\x1b[1m", "\x1b[0m"
	}
	return strings.NewReplacer(string(highlightOn), on, string(highlightOff), off).Replace(marked)
}
