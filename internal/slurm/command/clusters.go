package command

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// clustersVariable is the variable that chooses which clusters SLURM's commands ask. We let them ask one but not
// several, since the jobs and nodes of different clusters may have the same names.
const clustersVariable = "SLURM_CLUSTERS"

// isOneCluster reports whether a value of SLURM_CLUSTERS names one cluster.
func isOneCluster(value string) bool { return strings.TrimSpace(value) != "" && !namesSeveral(value) }

// namesSeveral reports whether a value of SLURM_CLUSTERS names several clusters.
func namesSeveral(value string) bool {
	return strings.Contains(value, ",") || strings.EqualFold(strings.TrimSpace(value), "all")
}

// droppedMark begins the first line of a command's standard error if SLURM_CLUSTERS names several clusters on the
// command's host. The variable's value follows it.
const droppedMark = "nvnodetop dropped " + clustersVariable + "="

// cutDropped returns the value of SLURM_CLUSTERS if it was dropped, and the command's own messages.
func cutDropped(stderr []byte) (value string, words []byte) {
	rest, dropped := bytes.CutPrefix(stderr, []byte(droppedMark))
	if !dropped {
		return "", stderr
	}
	line, words, _ := bytes.Cut(rest, []byte("\n"))
	return string(line), words
}

// Note says which cluster the command with this standard error asked, if SLURM_CLUSTERS names several; otherwise it is
// empty.
func Note(stderr []byte) string {
	value, _ := cutDropped(stderr)
	if value == "" {
		return ""
	}
	first, _, several := strings.Cut(strings.Trim(value, " ,"), ",")
	if !several || strconv.Quote(first) != `"`+first+`"` {
		first = "NAME"
	}
	return fmt.Sprintf("%s=%.80q names several clusters: only this host's own is asked (ClusterName of slurm.conf); "+
		"for another one: %s=%s nvnodetop", clustersVariable, value, clustersVariable, first)
}
