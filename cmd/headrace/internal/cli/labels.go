package cli

import (
	"slices"
	"strings"
)

// parseLabels reads labels written as key=value.
func parseLabels(texts []string) (map[string]string, error) {
	labels := make(map[string]string, len(texts))
	for _, text := range texts {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			return nil, usagef("label %q is not key=value", text)
		}
		labels[key] = value
	}
	return labels, nil
}

// labelText writes labels as key=value, in order of their keys.
func labelText(labels map[string]string) string {
	var pairs []string
	for key, value := range labels {
		pairs = append(pairs, key+"="+value)
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}
