package cli

import (
	"io"
	"os"

	"github.com/schollz/progressbar/v3"
)

// fileProgress is a bar over the bytes of a file, on a terminal only.
func (a *App) fileProgress(file *os.File) *progressbar.ProgressBar {
	info, err := file.Stat()
	if !a.Shows || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return progressbar.NewOptions64(info.Size(), append(a.barOptions(), progressbar.OptionShowBytes(true))...)
}

// barOptions are what every bar of the program has in common.
func (a *App) barOptions() []progressbar.Option {
	return []progressbar.Option{
		progressbar.OptionSetWriter(a.Err),
		progressbar.OptionSetWidth(30),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionEnableColorCodes(a.variable("NO_COLOR") == ""),
	}
}

// watched reads through r and moves the bar; without a bar it is r.
func watched(r io.Reader, bar *progressbar.ProgressBar) io.Reader {
	if bar == nil {
		return r
	}
	return io.TeeReader(r, bar)
}
