package cli

import (
	"runtime"

	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/output"
)

// versionView is what the binary is.
type versionView struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	System  string `json:"system"`
}

var versionColumns = []output.Column[versionView]{
	{Head: "headrace", Cell: func(v versionView) string { return v.Version }},
	{Head: "go", Cell: func(v versionView) string { return v.Go }},
	{Head: "system", Cell: func(v versionView) string { return v.System }},
}

func (a *App) version() *cobra.Command {
	c := &cobra.Command{Use: "version", Short: "Show the version"}
	c.RunE = func(*cobra.Command, []string) error {
		v := versionView{Version: a.Version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH}
		return output.One(a.printer(), v, versionColumns)
	}
	return c
}
