package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Key is one thing that a server can be told.
type Key struct {
	// Name is the key in the file.
	Name string
	// Unit is what its value is counted or chosen in.
	Unit string
	// Default is the value's text when nobody sets it.
	Default string
	// Help says what it means, in one sentence.
	Help string
}

// Flag is the key's name on the command line.
func (k Key) Flag() string { return strings.ReplaceAll(k.Name, "_", "-") }

// Variable is the key's name in the environment.
func (k Key) Variable() string { return envPrefix + strings.ToUpper(k.Name) }

// Keys lists every key in the order of Server's fields.
func Keys() []Key {
	defaults := reflect.ValueOf(Default())
	var keys []Key
	for i := range defaults.NumField() {
		field := defaults.Type().Field(i)
		keys = append(keys, Key{
			Name:    field.Tag.Get("koanf"),
			Unit:    field.Tag.Get("unit"),
			Default: fmt.Sprint(defaults.Field(i).Interface()),
			Help:    field.Tag.Get("help"),
		})
	}
	return keys
}

// DefineFlags adds a flag for each key, with its default and explanation.
func DefineFlags(flags *pflag.FlagSet) {
	defaults := reflect.ValueOf(Default())
	for i, k := range Keys() {
		defineFlag(flags, k, defaults.Field(i).Interface())
	}
}

func defineFlag(flags *pflag.FlagSet, k Key, value any) {
	switch v := value.(type) {
	case string:
		flags.String(k.Flag(), v, k.Help)
	case bool:
		flags.Bool(k.Flag(), v, k.Help)
	case int:
		flags.Int(k.Flag(), v, k.Help)
	case time.Duration:
		flags.Duration(k.Flag(), v, k.Help)
	case Bytes:
		flags.Var(&v, k.Flag(), k.Help)
	case BatchRanges:
		flags.Var(&v, k.Flag(), k.Help)
	default:
		panic(fmt.Sprintf("config: key %s has a type without a flag: %T", k.Name, value))
	}
}
