package cli

import (
	"github.com/spf13/cobra"

	"github.com/headrace/headrace/cmd/headrace/internal/config"
	"github.com/headrace/headrace/cmd/headrace/internal/output"
)

// settingView is a key and its value as the command line shows them.
type settingView struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	From    string `json:"from"`
	Unit    string `json:"unit"`
	Default string `json:"default"`
	Help    string `json:"help"`
}

var settingColumns = []output.Column[settingView]{
	{Head: "KEY", Cell: func(v settingView) string { return v.Key }},
	{Head: "VALUE", Cell: func(v settingView) string { return v.Value }},
	{Head: "FROM", Cell: func(v settingView) string { return v.From }},
}

// checkedView is what `config check` has to say.
type checkedView struct {
	OK  bool `json:"ok"`
	Set int  `json:"set"`
}

var checkedColumns = []output.Column[checkedView]{
	{Head: "CONFIGURATION", Cell: func(checkedView) string { return "ok" }},
	{Head: "KEYS SET", Cell: func(v checkedView) string { return output.Count(v.Set) }},
}

func (a *App) config() *cobra.Command {
	c := &cobra.Command{Use: "config", Short: "Check and show what a server would run with"}
	c.AddCommand(
		a.configCommand("check", "Say whether a server could run with this configuration", a.checkSettings),
		a.configCommand("print", "Show every key with its value and where that comes from", a.printSettings),
		a.configCommand("template", "Write a configuration file that explains every key", func(s []config.Setting) error {
			return config.WriteFile(a.Out, s)
		}),
	)
	return c
}

// configCommand is a command that does something with the settings that `serve` would
// have with the same flags.
func (a *App) configCommand(name, short string, do func([]config.Setting) error) *cobra.Command {
	var file string
	c := &cobra.Command{Use: name, Short: short}
	config.DefineFlags(c.Flags())
	c.Flags().StringVar(&file, "config", "", "read the configuration from this YAML file")
	c.RunE = func(c *cobra.Command, _ []string) error {
		settings, err := config.Settings(config.Sources{File: file, Environ: a.Environ, Flags: c.Flags()})
		if err != nil {
			return usageError{err}
		}
		return do(settings)
	}
	return c
}

func (a *App) checkSettings(settings []config.Setting) error {
	checked := checkedView{OK: true}
	for _, s := range settings {
		if s.From != config.FromDefault {
			checked.Set++
		}
	}
	return output.One(a.printer(), checked, checkedColumns)
}

func (a *App) printSettings(settings []config.Setting) error {
	views := make([]settingView, len(settings))
	for i, s := range settings {
		views[i] = settingView{Key: s.Name, Value: s.Value, From: s.From, Unit: s.Unit, Default: s.Default, Help: s.Help}
	}
	return output.List(a.printer(), views, settingColumns)
}
