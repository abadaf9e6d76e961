package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/nvnodetop/nvnodetop/internal/lib/text"
)

// textValue is a value from the environment or the command line, which have only text.
type textValue string

// storeValid returns a function that stores a value if it is good, and reports whether it is.
func storeValid[T any](to *T) func(value T, good bool) bool {
	return func(value T, good bool) bool {
		if good {
			*to = value
		}
		return good
	}
}

func asString(v any, good func(string) bool) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, good(v)
	case textValue:
		return string(v), good(string(v))
	}
	return "", false
}

func asBool(v any) (value, ok bool) {
	switch v := v.(type) {
	case bool:
		return v, true
	case textValue:
		b, err := strconv.ParseBool(string(v))
		return b, err == nil
	}
	return false, false
}

func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	case textValue:
		n, err := strconv.ParseFloat(string(v), 64)
		return n, err == nil
	}
	return 0, false
}

func asTime(v any) (time.Duration, bool) {
	if seconds, ok := asNumber(v); ok {
		const most = 1e9 // excludes NaN too
		return time.Duration(seconds * float64(time.Second)), seconds >= 0 && seconds < most
	}
	word, _ := asString(v, func(string) bool { return true })
	d, err := time.ParseDuration(word)
	return d, err == nil
}

// asList reads a list of strings. In text commas separate them.
func asList(v any) (list []string, ok bool) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			s, is := item.(string)
			if !is {
				return nil, false
			}
			list = append(list, s)
		}
		return list, true
	case textValue:
		for item := range strings.SplitSeq(string(v), ",") {
			list = append(list, strings.TrimSpace(item))
		}
		return list, true
	}
	return nil, false
}

func isNotPrintable(r rune) bool { return !unicode.IsPrint(r) }

// shortDuration is d without zero parts: "10m" for 10m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func formatNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// tomlString returns a string in TOML; empty for an empty string.
func tomlString(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(strings.ToValidUTF8(s, "\ufffd")) // settings are printable: the same escapes as in TOML
}

// most is the length of a value in an error.
const most = 40

// describeValue describes a value, for an error.
func describeValue(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "a table"
	case []any:
		return describeList(v)
	case string:
		return strconv.Quote(text.Cut(v, most))
	case textValue:
		return strconv.Quote(text.Cut(string(v), most))
	}
	return text.Cut(fmt.Sprint(v), most)
}

// describeList describes a list. Only numbers are quoted, since a text may be a secret.
func describeList(list []any) string {
	var items []string
	for _, item := range list {
		if n, is := asNumber(item); is {
			items = append(items, formatNumber(n))
		}
	}
	if len(items) == 0 || len(items) < len(list) {
		return "a list"
	}
	return text.Cut("["+strings.Join(items, ", ")+"]", most)
}

// IsSetting reports whether there is a setting with that key.
func IsSetting(key string) bool { return findSetting(key) != nil }

// Words returns the words that the setting of a flag accepts; nil: it also accepts other values.
func Words(flag string) []string {
	if s := findSetting(flag); s != nil {
		return s.among
	}
	return nil
}
