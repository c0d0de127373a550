// Package scenarios holds the scenarios, as data.
package scenarios

import "embed"

// Files are the scenarios' files.
//
//go:embed *.yaml
var Files embed.FS
