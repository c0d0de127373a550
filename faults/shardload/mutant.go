package shardload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// victimPackage is the victim's command.
const victimPackage = "github.com/headrace/headrace/faults/shardload/victim"

// Mutant is a store that is broken on purpose, by one change in its source.
type Mutant struct {
	// File is a path below the repository's root, From stands in it once.
	File, From, To string
}

// BuildMutant builds a victim whose store has the change, in a directory, and gives its
// path. Root is the path of the repository.
func BuildMutant(ctx context.Context, root, dir string, m Mutant) (binary string, err error) {
	original, err := filepath.Abs(filepath.Join(root, m.File))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	if strings.Count(string(text), m.From) != 1 {
		return "", fmt.Errorf("shardload: %s does not say %q once", m.File, m.From)
	}
	mutant, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{original: mutant}})
	if err != nil {
		return "", err
	}
	changed := strings.Replace(string(text), m.From, m.To, 1)
	if err := errors.Join(os.WriteFile(mutant, []byte(changed), 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "victim")
	c := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", binary, victimPackage)
	c.Dir = filepath.Join(root, "faults")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("shardload: build: %w\n%s", err, out)
	}
	return binary, nil
}
