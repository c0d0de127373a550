package broker

import (
	"errors"
	"strings"
	"testing"
)

func TestNameIsCanonical(t *testing.T) {
	for text, want := range map[string]Name{
		"orders":                   "default/orders",
		"shop/orders":              "shop/orders",
		"a.b_c~d%e+f-g":            "default/a.b_c~d%e+f-g",
		"default/orders":           "default/orders",
		"Xyz/" + long(255):         Name("Xyz/" + long(255)),
		"headrace/not.reserved":    "headrace/not.reserved",
		"headracer/headrace-thing": "headracer/headrace-thing",
	} {
		got, err := ParseName(text)
		if err != nil || got != want {
			t.Errorf("ParseName(%q) = %q, %v; want %q", text, got, err, want)
		}
		if again, err := ParseName(string(got)); err != nil || again != got {
			t.Errorf("ParseName(%q) = %q, %v: not stable", got, again, err)
		}
		if string(got) != got.Namespace()+"/"+got.Base() {
			t.Errorf("%q is not %q and %q", got, got.Namespace(), got.Base())
		}
	}
}

func TestIllegalNameIsRefused(t *testing.T) {
	for _, text := range []string{
		"", "ab", "/abc", "abc/", "ab/abc", "abc/ab", "abc/def/ghi", "1abc", "_abc", "a c", "aбc",
		"abc\x00", "abc\n", long(256), "headrace.x", "headrace.x/orders", "shop/headrace.orders", "abc*",
	} {
		if got, err := ParseName(text); !errors.Is(err, ErrInvalidName) {
			t.Errorf("ParseName(%q) = %q, %v; want ErrInvalidName", text, got, err)
		}
	}
}

func FuzzParseName(f *testing.F) {
	for _, seed := range []string{"orders", "shop/orders", "headrace.x", "a/b/c", "", "/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		name, err := ParseName(text)
		if err != nil {
			return
		}
		if again, err := ParseName(string(name)); err != nil || again != name {
			t.Errorf("%q became %q, then %q, %v", text, name, again, err)
		}
		if strings.Count(string(name), "/") != 1 {
			t.Errorf("%q became %q", text, name)
		}
	})
}

func long(n int) string { return "a" + strings.Repeat("b", n-1) }
