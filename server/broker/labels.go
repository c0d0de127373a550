package broker

import "strconv"

// Bounds of labels.
const (
	MaxLabels          = 64
	MaxLabelKeyBytes   = 256
	MaxLabelValueBytes = 1024
	// MaxLabelsBytes bounds all keys and values of one resource together: a stored
	// definition stays inline in the store.
	MaxLabelsBytes = 2048
)

// validateLabels says whether labels are within their bounds.
func validateLabels(labels map[string]string) error {
	if len(labels) > MaxLabels {
		return invalidField("labels", "at most "+strconv.Itoa(MaxLabels))
	}
	total := 0
	for key, value := range labels {
		switch {
		case len(key) < 1 || len(key) > MaxLabelKeyBytes:
			return invalidField("labels", "a key has 1 to 256 bytes")
		case len(value) > MaxLabelValueBytes:
			return invalidField("labels", "a value has at most 1,024 bytes")
		}
		total += len(key) + len(value)
	}
	if total > MaxLabelsBytes {
		return invalidField("labels", "at most 2,048 bytes together")
	}
	return nil
}
