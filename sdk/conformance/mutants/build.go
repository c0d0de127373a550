package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// build makes a driver over the broken SDK in dir, and gives the command that runs it,
// where sound is that of the sound one.
func (m *mutant) build(root, dir, sound string) ([]string, error) {
	text, err := m.apply(root)
	if err != nil {
		return nil, err
	}
	switch m.language {
	case "go":
		return m.buildGo(root, dir, text)
	case "java":
		return m.buildJava(root, dir, text, sound)
	default:
		return m.buildPython(root, dir, text, sound)
	}
}

func write(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o600)
}

// call runs a command, and makes what it says a part of the error.
func call(root, name string, args ...string) error {
	command := exec.Command(name, args...) //nolint:noctx // It ends by itself.
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w:\n%s", name, err, output)
	}
	return nil
}

// buildGo builds the driver with the broken file laid over the sound one.
func (m *mutant) buildGo(root, dir, text string) ([]string, error) {
	broken, overlay, driver := filepath.Join(dir, "broken.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "driver")
	laid, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(root, m.file): broken}})
	if err != nil {
		return nil, err
	}
	if err := write(broken, text); err != nil {
		return nil, err
	}
	if err := write(overlay, string(laid)); err != nil {
		return nil, err
	}
	return []string{driver}, call(root, "go", "build", "-overlay", overlay, "-o", driver, "./sdk/conformance/drivers/go")
}

// buildJava compiles the client with the broken file, and puts that before the sound
// one.
func (m *mutant) buildJava(root, dir, text, sound string) ([]string, error) {
	source, classes := filepath.Join(dir, "source"), filepath.Join(dir, "classes")
	if err := os.CopyFS(source, os.DirFS(filepath.Join(root, javaSource))); err != nil {
		return nil, err
	}
	if err := write(filepath.Join(source, strings.TrimPrefix(m.file, javaSource)), text); err != nil {
		return nil, err
	}
	before, path, _ := strings.Cut(sound, " -cp ")
	path, after, _ := strings.Cut(path, " ")
	args := []string{"-nowarn", "-cp", path, "-d", classes}
	err := filepath.WalkDir(source, func(file string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(file, ".java") {
			args = append(args, file)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return strings.Fields(before + " -cp " + classes + ":" + path + " " + after), call(root, "javac", args...)
}

// buildPython copies the package with the broken file, and has that imported.
func (m *mutant) buildPython(root, dir, text, sound string) ([]string, error) {
	pkg := filepath.Join(dir, "headrace")
	for from, to := range map[string]string{pythonSource: pkg, "gen/python/headrace/v1": filepath.Join(pkg, "v1")} {
		if err := os.CopyFS(to, os.DirFS(filepath.Join(root, from))); err != nil {
			return nil, err
		}
	}
	err := write(filepath.Join(pkg, strings.TrimPrefix(m.file, pythonSource)), text)
	return append([]string{"env", "PYTHONPATH=" + dir}, strings.Fields(sound)...), err
}
