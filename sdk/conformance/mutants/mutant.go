package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mutant is one fault of an SDK.
type mutant struct {
	language, place string
	// name says what is broken.
	name string
	// file is where, from the root of the repository; old stands there once, and new is
	// put in its place.
	file, old, new string
	// scenarios are those that are to notice.
	scenarios []string
}

// places are where each SDK is broken.
var places = []string{"credit", "window", "settle numbers", "resume", "extension", "key order"}

// mutants are all of them.
var mutants = slices.Concat(goMutants, javaMutants, pythonMutants)

// errPlace is returned when a text does not stand in its file exactly once.
var errPlace = errors.New("the text does not stand there once")

// apply gives the text of the mutant's file, broken.
func (m *mutant) apply(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return "", fmt.Errorf("%s: %w: %q, %d times", m.file, errPlace, m.old, n)
	}
	return strings.Replace(string(text), m.old, m.new, 1), nil
}
