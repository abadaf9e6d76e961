package cluster

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var onlySLURM = flag.Bool("slurm", false, "leave out the tests that find the same with every SLURM and OpenSSH")

// sameEverywhere are the tests that -slurm leaves out: what they look at (the terminal, files, the driver, the web
// page) does not depend on the versions of SLURM and OpenSSH.
var sameEverywhere = []string{
	"TestADetachedTmuxGetsFewReports", "TestAPasteEndsNothing", "TestARecordingEndsWithTheNodesAsTheyWere",
	"TestBoards", "TestDeadLinkIsNotTheDriver", "TestGPUPage", "TestHangingDriver", "TestHangsNameTheRank",
	"TestKillLeavesNothing", "TestListOfABusyNode", "TestLogsThatAreNotRead", "TestLongFaults", "TestMissingGPU",
	"TestNews", "TestOldDriver", "TestOtherCards", "TestPastOfANode", "TestPlacesOfAnotherUser", "TestPowerOff",
	"TestPrintedOnceFromTwoSamples", "TestProgramOfTheLibrary", "TestQuitLeavesNothing", "TestQuitWithAFrozenNode",
	"TestReadOnlyPastTheScreen", "TestReadings", "TestRealJobs", "TestRecordAndReplay", "TestRelease", "TestServe",
	"TestSettingsAndLog", "TestSettingsPage", "TestSignalDialog", "TestSignalToANodeThatIsGone",
	"TestSignalsGiveTheTerminalBack", "TestStoppedForAWhile", "TestThisHost", "TestTimeZone", "TestTwoPrograms",
	"TestTwoVersions", "TestUsage",
}

// leaveOut removes the tests of sameEverywhere from all of them, if -slurm is set. A name that no test has is an error.
func leaveOut(all []string) ([]string, error) {
	for _, name := range sameEverywhere {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("sameEverywhere has %q, which is no test", name)
		}
	}
	if !*onlySLURM {
		return all, nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		return slices.Contains(sameEverywhere, name)
	}), nil
}

// skipSameEverywhere lets this process leave out the tests of sameEverywhere.
func skipSameEverywhere() error {
	if !*onlySLURM {
		return nil
	}
	return flag.Set("test.skip", "^("+strings.Join(sameEverywhere, "|")+")$")
}

// rootOf is where this process sees the files of a host, also of one with the tree of another Debian release.
func rootOf(t *testing.T, host string) string {
	t.Helper()
	_, status, _ := strings.Cut("\n"+do(t, "status"), "\n"+host+" ")
	_, pid, found := strings.Cut(status, "up, pid 1 is ")
	if !found {
		t.Fatalf("%s is not up", host)
	}
	return "/proc/" + strings.Fields(pid)[0] + "/root"
}
