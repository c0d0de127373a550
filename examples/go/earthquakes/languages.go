package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// The languages that services are written in.
const (
	goLanguage     = "Go"
	javaLanguage   = "Java"
	pythonLanguage = "Python"
)

// buildTimeout is how long a language's service may take to build: the first time
// there may be something to download.
const buildTimeout = 5 * time.Minute

// errLeftOut is returned when a language was asked for by name and is not there.
var errLeftOut = errors.New("a language is left out")

// command makes the command line that runs a program, without its settings.
type command func(program string) []string

// builder makes a language ready, and says why it cannot.
type builder struct {
	language string
	build    func(ctx context.Context) (command, error)
}

// builders are those of all languages.
var builders = []builder{{goLanguage, buildGo}, {javaLanguage, buildJava}, {pythonLanguage, buildPython}}

// learn makes ready what the demo can use of the languages, and says what it leaves
// out, and why. What was asked for by name it does not leave out; nothing asked for
// means what is there.
func (d *demo) learn(ctx context.Context, from []builder, wanted string) error {
	d.commands = map[string]command{}
	asked := strings.FieldsFunc(strings.ToLower(wanted), func(r rune) bool { return r == ',' })
	if wanted != "" {
		from = slices.DeleteFunc(slices.Clone(from), func(b builder) bool {
			return !slices.Contains(asked, strings.ToLower(b.language))
		})
	}
	commands, errs := buildAll(ctx, from)
	var leftOut error
	for i, b := range from {
		if errs[i] != nil {
			d.progress.sayf("%s is left out: %v", b.language, errs[i])
			leftOut = fmt.Errorf("%w: %s", errLeftOut, b.language)
			continue
		}
		d.commands[b.language] = commands[i]
	}
	d.cast = whole.in(func(language string) bool { return d.commands[language] != nil })
	if wanted != "" && leftOut != nil {
		return leftOut
	}
	if len(d.commands) == 0 || len(asked) > len(from) {
		return fmt.Errorf("%w: %q", errLeftOut, wanted)
	}
	return nil
}

// buildAll builds the languages side by side.
func buildAll(ctx context.Context, from []builder) ([]command, []error) {
	ctx, cancel := context.WithTimeoutCause(ctx, buildTimeout, fmt.Errorf("it took more than %s", buildTimeout))
	defer cancel()
	commands, errs := make([]command, len(from)), make([]error, len(from))
	var building sync.WaitGroup
	for i, b := range from {
		building.Go(func() { commands[i], errs[i] = b.build(ctx) })
	}
	building.Wait()
	return commands, errs
}

// buildGo has nothing to build: this program is the services in Go, too.
func buildGo(context.Context) (command, error) {
	self, err := os.Executable()
	return func(program string) []string { return []string{self, program} }, err
}

func buildJava(ctx context.Context) (command, error) {
	root, err := tools(ctx, "java")
	if err != nil {
		return nil, err
	}
	classPath, err := output(ctx, filepath.Join(root, "tools", "java-examples"))
	return func(program string) []string {
		class := "earthquakes." + strings.ToUpper(program[:1]) + program[1:]
		return []string{"java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classPath, class}
	}, err
}

func buildPython(ctx context.Context) (command, error) {
	root, err := tools(ctx, "python")
	if err != nil {
		return nil, err
	}
	environment, err := output(ctx, filepath.Join(root, "tools", "python-sdk"), "requirements")
	return func(program string) []string {
		script := filepath.Join(root, "examples", "python", "earthquakes", program+".py")
		return []string{filepath.Join(environment, "bin", "python"), script}
	}, err
}

// tools returns the top of the repository if a language is installed, and else what
// it needs.
func tools(ctx context.Context, language string) (root string, err error) {
	root, err = output(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/headrace/headrace")
	if err != nil {
		return "", err
	}
	needs, err := output(ctx, filepath.Join(root, "tools", "has"), language)
	if err != nil && needs != "" {
		err = errors.New(needs)
	}
	return root, err
}

// output runs a program and returns what it prints.
func output(ctx context.Context, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	var complaints bytes.Buffer
	c.Stderr = &complaints
	out, err := c.Output()
	if err != nil {
		err = errors.Join(context.Cause(ctx), fmt.Errorf("%s: %w: %s", filepath.Base(name), err, complaint(complaints.String())))
	}
	return strings.TrimSpace(string(out)), err
}

// complaint is the line that tells most: what the first says that speaks of an
// error, or else the last.
func complaint(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for _, line := range lines {
		if _, what, found := strings.Cut(line, "ERROR"); found {
			return strings.TrimLeft(what, "]: ")
		}
	}
	return lines[len(lines)-1]
}
