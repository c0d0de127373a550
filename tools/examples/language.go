package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// language is one that the examples are written in and that is installed here.
type language struct {
	name string
	// command is what runs an idea.
	command func(idea string) ([]string, error)
}

// setUp makes a language ready: it builds what has to be built.
type setUp func(ctx context.Context, root, work string) (language, error)

var languages = []struct {
	name  string
	setUp setUp
}{
	{"go", setUpGo},
	{"java", setUpJava},
	{"python", setUpPython},
}

// preparation is what can be run, and what is said of what cannot.
type preparation struct {
	ready   []language
	missing []string
}

// prepare makes every language ready that is installed; only narrows it to one.
func prepare(ctx context.Context, root, work, only string) (preparation, error) {
	var p preparation
	for _, l := range languages {
		if only != "" && only != l.name {
			continue
		}
		if missing := missing(ctx, root, l.name); missing != "" {
			p.missing = append(p.missing, missing)
			continue
		}
		ready, err := l.setUp(ctx, root, work)
		if err != nil {
			return p, fmt.Errorf("%s: %w", l.name, err)
		}
		p.ready = append(p.ready, ready)
	}
	if len(p.ready)+len(p.missing) == 0 {
		return p, fmt.Errorf("no such language: %q", only)
	}
	return p, nil
}

// missing says what a language lacks here, or nothing. Go is what this runs on.
func missing(ctx context.Context, root, language string) string {
	if language == "go" {
		return ""
	}
	says, err := output(ctx, root, "tools/has", language)
	if err == nil {
		return ""
	}
	if says == "" {
		return err.Error()
	}
	return says
}

func setUpGo(ctx context.Context, root, work string) (language, error) {
	bin := filepath.Join(work, "bin") + string(filepath.Separator)
	_, err := output(ctx, root, "go", "build", "-o", bin, "./examples/go/...")
	return language{"go", func(idea string) ([]string, error) {
		return []string{bin + idea}, nil
	}}, err
}

func setUpJava(ctx context.Context, root, _ string) (language, error) {
	classPath, err := output(ctx, root, "tools/java-examples")
	return language{"java", func(idea string) ([]string, error) {
		class, err := mainClass(root, idea)
		// They live for a second: what makes long runs fast only costs here.
		return []string{"java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classPath, class}, err
	}}, err
}

// mainClass is the one class in the folder of an idea.
func mainClass(root, idea string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(root, "examples", "java", idea, "*.java"))
	if err == nil && len(paths) != 1 {
		err = fmt.Errorf("%s has %d Java files, not one", idea, len(paths))
	}
	if err != nil {
		return "", err
	}
	return idea + "." + strings.TrimSuffix(filepath.Base(paths[0]), ".java"), nil
}

func setUpPython(ctx context.Context, root, _ string) (language, error) {
	environment, err := output(ctx, root, "tools/python-sdk", "requirements")
	return language{"python", func(idea string) ([]string, error) {
		script := filepath.Join(root, "examples", "python", idea, idea+".py")
		return []string{filepath.Join(environment, "bin", "python"), script}, nil
	}}, err
}

// output runs a program in root and returns what it prints, without the last end
// of a line.
func output(ctx context.Context, root, name string, args ...string) (string, error) {
	if strings.HasPrefix(name, "tools/") {
		name = filepath.Join(root, name)
	}
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = root
	command.Stderr = os.Stderr
	out, err := command.Output()
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		err = fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return string(bytes.TrimRight(out, "\n")), err
}
