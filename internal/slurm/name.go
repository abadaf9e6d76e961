package slurm

import (
	"cmp"
	"os"
	"regexp"
)

var clusterName = regexp.MustCompile(`(?im)^[ \t]*ClusterName[ \t]*=[ \t]*([^\s#]+)`)

// ClusterName returns the name of the cluster in SLURM's configuration on this host; if there is none, otherwise.
func ClusterName(otherwise string) string {
	for _, path := range []string{os.Getenv("SLURM_CONF"), "/etc/slurm/slurm.conf", "/run/slurm/conf/slurm.conf"} {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if m := clusterName.FindSubmatch(text); m != nil {
			return string(m[1])
		}
	}
	return cmp.Or(os.Getenv("SLURM_CLUSTER_NAME"), otherwise)
}
