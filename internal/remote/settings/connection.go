package settings

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// setConnection sets how to connect, and the limits of the connection.
func (t *Settings) setConnection(o options) {
	t.KexAlgorithms, t.Ciphers, t.MACs = listAlgorithms(o, "kexalgorithms"), listAlgorithms(o, "ciphers"),
		listAlgorithms(o, "macs")
	t.PubkeyAcceptedAlgorithms = listAlgorithms(o, "pubkeyacceptedalgorithms")
	if t.PubkeyAcceptedAlgorithms == nil { // the name before OpenSSH 8.5
		t.PubkeyAcceptedAlgorithms = listAlgorithms(o, "pubkeyacceptedkeytypes")
	}
	t.NoKeys = slices.Contains([]string{"no", "false"}, strings.ToLower(o.firstValue("pubkeyauthentication")))
	if family := strings.ToLower(o.firstValue("addressfamily")); family != "any" {
		t.AddressFamily = family
	}
	t.BindAddress, t.BindInterface = o.valueUnlessNone("bindaddress"), o.valueUnlessNone("bindinterface")
	t.ConnectTimeout = parseTime(o.valueUnlessNone("connecttimeout"))
	limit, _, _ := strings.Cut(o.firstValue("rekeylimit"), " ")
	t.RekeyLimit = bytesOf(limit)
}

// parseTime reads a time as ssh prints it or as the files have it, such as 90, 30s or 1m30s; 0: there is none.
func parseTime(s string) time.Duration {
	if n, err := strconv.ParseUint(s, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	d, err := time.ParseDuration(strings.ToLower(s))
	if err != nil {
		return 0
	}
	return d
}

// bytesOf reads a size such as 512M; 0: there is none, or it is the default.
func bytesOf(s string) uint64 {
	shift := 0
	if s != "" {
		shift = 10 * (1 + strings.IndexByte("KMG", strings.ToUpper(s)[len(s)-1]))
	}
	n, err := strconv.ParseUint(strings.TrimRight(s, "kKmMgG"), 10, 32)
	if err != nil {
		return 0
	}
	return n << shift
}

// onlyOpenSSH lists the options that are set and that only OpenSSH's client obeys. If a login fails because of one,
// OpenSSH may succeed.
func (o options) onlyOpenSSH() []string {
	var set []string
	add := func(is bool, words string) {
		if is {
			set = append(set, words+" (OpenSSH obeys it: --transport openssh)")
		}
	}
	provider, dns := o.valueUnlessNone("pkcs11provider"), strings.ToLower(o.valueUnlessNone("verifyhostkeydns"))
	add(provider != "", "PKCS11Provider "+provider)
	add(dns == "yes" || dns == "true", "VerifyHostKeyDNS yes")
	return set
}
