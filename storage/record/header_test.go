package record

import (
	"errors"
	"testing"

	"github.com/headrace/headrace/storage"
)

// TestHeaderHashCoversEveryField: the chain breaks when anything differs.
func TestHeaderHashCoversEveryField(t *testing.T) {
	base := sampleHeader
	for name, change := range map[string]func(*Header){
		"number":   func(h *Header) { h.Number++ },
		"epoch":    func(h *Header) { h.Epoch++ },
		"previous": func(h *Header) { h.Previous++ },
		"ops":      func(h *Header) { h.Ops++ },
		"messages": func(h *Header) { h.Messages++ },
	} {
		h := base
		change(&h)
		if h.Hash() == base.Hash() {
			t.Errorf("hash does not cover %s", name)
		}
	}
}

// TestHeaderInAnotherSlotIsDataLoss: the checksum fits and the number does not.
func TestHeaderInAnotherSlotIsDataLoss(t *testing.T) {
	key := AppendBatchKey(nil, sampleHeader.Number+1)
	if _, err := DecodeHeader(key, AppendHeader(nil, key, &sampleHeader)); !errors.Is(err, storage.ErrDataLoss) {
		t.Errorf("got %v", err)
	}
}
