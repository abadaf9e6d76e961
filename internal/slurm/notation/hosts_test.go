package notation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpandHosts(t *testing.T) {
	for _, tt := range []struct {
		list string
		want string
	}{
		{"login", "login"},
		{"node[01-03,07]", "node01 node02 node03 node07"},
		{"a[1-2]b[01-02],c,d[9-11]", "a1b01 a1b02 a2b01 a2b02 c d9 d10 d11"},
		{"n[1-2][1-2]", "n11 n12 n21 n22"},
		{"a[08-11]", "a08 a09 a10 a11"},
		{"a[8-010]", "a8 a9 a10"},
		{"a[1-2]-ib.site.org", "a1-ib.site.org a2-ib.site.org"},
		{"a,a[1,1]", "a a1 a1"},
		{" a , b ", "a b"},
		{"x[000000000000000000001-2]", "x000000000000000000001 x000000000000000000002"},
		{"10.77.1.[2-3]", "10.77.1.2 10.77.1.3"},
	} {
		got, err := ExpandHosts(tt.list)
		if err != nil {
			t.Errorf("ExpandHosts(%q): %v", tt.list, err)
		}
		if diff := cmp.Diff(strings.Fields(tt.want), got); diff != "" {
			t.Errorf("ExpandHosts(%q) (-want +got):\n%s", tt.list, diff)
		}
	}
}

func TestExpandHostsRefuses(t *testing.T) {
	for list, want := range map[string]string{
		"":                                    "empty",
		"a,,b":                                "empty",
		"a,":                                  "empty",
		"node[01-":                            "unmatched [",
		"node01]":                             "unmatched ]",
		"a[1[2]]":                             "nested brackets",
		"a[]":                                 "not a number",
		"a[1-]":                               "not a number",
		"a[-1]":                               "not a number",
		"a[1--2]":                             "not a number",
		"a[+1]":                               "not a number",
		"a[x]":                                "not a number",
		"a[3-1]":                              "descending",
		"a b":                                 "contains a space",
		"a[0-18446744073709551614]":           "more than 65536",
		"a[0-18446744073709551615]":           "not a number",
		"a[1-300][1-300]":                     "more than 65536",
		"a[1-40000],b[1-40000]":               "more than 65536",
		"a[1-40000,1-40000]":                  "more than 65536",
		strings.Repeat("a", 300):              "longer than 255",
		"a[" + strings.Repeat("0", 300) + "]": "not a number",
	} {
		hosts, err := ExpandHosts(list)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ExpandHosts(%.40q) = %d hosts, %v; want an error with %q", list, len(hosts), err, want)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("ExpandHosts(%.40q): the error has %d bytes", list, len(err.Error()))
		}
	}
}

func FuzzExpandHosts(f *testing.F) {
	for _, seed := range []string{"", "node[01-03,07]", "a[1-2]b[01-02],c", "a[", "]", "a[1-99999999]",
		"a[0-9][0-9][0-9][0-9][0-9]", " a "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, list string) {
		hosts, err := ExpandHosts(list)
		if (err == nil) != (len(hosts) > 0) {
			t.Fatalf("%d hosts and error %v", len(hosts), err)
		}
		if len(hosts) > MaxHosts {
			t.Fatalf("%d hosts", len(hosts))
		}
		for _, host := range hosts {
			if host == "" || strings.ContainsAny(host, "[], \t\r\n") {
				t.Fatalf("host %q", host)
			}
			again, err := ExpandHosts(host)
			if err != nil || len(again) != 1 || again[0] != host {
				t.Fatalf("a host of the list, expanded again: %q, %v", again, err)
			}
		}
	})
}

func TestBatches(t *testing.T) {
	for _, tt := range []struct {
		items []string
		want  [][]string
	}{
		{nil, nil},
		{[]string{"aaa", "bbb", "c"}, [][]string{{"aaa", "bbb"}, {"c"}}},
		{[]string{"longer than the limit", "a"}, [][]string{{"longer than the limit"}, {"a"}}},
	} {
		if diff := cmp.Diff(tt.want, splitBatches(tt.items, 9)); diff != "" {
			t.Errorf("batches(%q) (-want +got):\n%s", tt.items, diff)
		}
	}
}
