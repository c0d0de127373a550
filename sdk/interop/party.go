package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// partyTimeout ends a party that hangs, at the full size, too.
const partyTimeout = 30 * time.Minute

// party is the thin program of one language.
type party struct {
	language string
	command  []string
}

// plan is what a party is told: a line each.
type plan struct {
	lines []string
}

func (p *plan) add(words ...any) {
	texts := make([]string, len(words))
	for i, word := range words {
		texts[i] = fmt.Sprint(word)
	}
	p.lines = append(p.lines, strings.Join(texts, "\t")+"\n")
}

// carryOut has the party do what a plan says, and returns when it is done.
func (p party) carryOut(ctx context.Context, do, address, dir string, plan plan) error {
	path := filepath.Join(dir, p.language+"."+do)
	if err := os.WriteFile(path, []byte(strings.Join(plan.lines, "")), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, partyTimeout, fmt.Errorf("it did not end within %s", partyTimeout))
	defer cancel()
	command := exec.CommandContext(ctx, p.command[0], append(p.command[1:len(p.command):len(p.command)], do, address, path)...)
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("%s, told to %s: %w, %w\n%s", p.language, do, err, context.Cause(ctx), out)
	}
	return nil
}
