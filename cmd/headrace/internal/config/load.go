package config

import (
	"fmt"
	"sort"
	"strings"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

const (
	// envPrefix begins every variable that configures a server.
	envPrefix = "HEADRACE_SERVER_"
	// delimiter parts nested keys. Server is flat, so none of its keys has it.
	delimiter = "."
)

// Sources are where a server's configuration comes from.
type Sources struct {
	// File is the path of a YAML file; empty: none.
	File string
	// Environ lists variables as "NAME=value"; os.Environ in the program.
	Environ func() []string
	// Flags are those of DefineFlags, parsed; only the ones that were set count.
	Flags *pflag.FlagSet
}

// Load merges the sources over the defaults and checks the result.
func Load(s Sources) (Server, error) {
	merged := koanf.New(delimiter)
	for _, layer := range s.layers() {
		own, err := layer.load()
		if err == nil {
			err = merged.Merge(own)
		}
		if err != nil {
			return Server{}, err
		}
	}
	server := Default()
	if err := merged.Unmarshal("", &server); err != nil {
		return Server{}, fmt.Errorf("configuration: %w", err)
	}
	if err := server.Validate(); err != nil {
		return Server{}, fmt.Errorf("configuration: %w", err)
	}
	return server, nil
}

// layer is one source.
type layer struct {
	// name tells the source in errors.
	name     string
	provider koanf.Provider
	parser   koanf.Parser
	// spell turns a key into how the source writes it, for errors.
	spell func(Key) string
}

// layers lists the sources, the weakest first.
func (s Sources) layers() []layer {
	var layers []layer
	if s.File != "" {
		layers = append(layers, layer{s.File, file.Provider(s.File), yaml.Parser(), func(k Key) string { return k.Name }})
	}
	return append(layers,
		layer{"the environment", s.environment(), nil, Key.Variable},
		layer{"the command line", s.commandLine(), nil, Key.Flag},
	)
}

func (s Sources) environment() koanf.Provider {
	return env.Provider(delimiter, env.Opt{
		Prefix:      envPrefix,
		EnvironFunc: s.Environ,
		TransformFunc: func(name, value string) (string, any) {
			return strings.ToLower(strings.TrimPrefix(name, envPrefix)), value
		},
	})
}

func (s Sources) commandLine() koanf.Provider {
	known := map[string]string{}
	for _, k := range Keys() {
		known[k.Flag()] = k.Name
	}
	set := map[string]any{}
	s.Flags.Visit(func(f *pflag.Flag) {
		if name, ok := known[f.Name]; ok {
			set[name] = f.Value.String()
		}
	})
	return confmap.Provider(set, delimiter)
}

// load reads a source, and refuses keys that nobody knows.
func (l layer) load() (*koanf.Koanf, error) {
	own := koanf.New(delimiter)
	if err := own.Load(l.provider, l.parser); err != nil {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	return own, l.refuseUnknown(own.Keys())
}

func (l layer) refuseUnknown(found []string) error {
	known := map[string]bool{}
	var spelled []string
	for _, k := range Keys() {
		known[k.Name] = true
		spelled = append(spelled, l.spell(k))
	}
	sort.Strings(found)
	for _, name := range found {
		if !known[name] {
			return fmt.Errorf("%s: unknown key %q; there are %s", l.name, l.spell(Key{Name: name}), strings.Join(spelled, ", "))
		}
	}
	return nil
}
