package promises

import (
	"path/filepath"
	"testing"

	"github.com/nvnodetop/nvnodetop/test/stubs"
)

// commands are SLURM's commands, as far as the documents about jobs of the past and about free GPUs need them: a node
// of which one GPU is used and no job runs for the caller, and sacct's recorded answer.
var commands = map[string]string{
	"sinfo": "echo 'gpu*|up|gpu:a100:4|node01'",
	"scontrol": `printf '%s\n' 'NodeName=node01 Arch=x' '   Gres=gpu:a100:4' '   GresUsed=gpu:a100:1(IDX:2)' \
  '   State=MIXED+DRAIN+NOT_RESPONDING X=1' '   Reason=fan is loud [root@2026-11-23T16:20:11]'`,
	"squeue": `for a; do case $a in
  --format=%i\|%u*) echo '7|alice|gpu|2026-11-23T10:40:57|2026-11-24T10:40:57|gres:gpu:a100:1|node01' ;;
  --format=*) echo "${a#--format=}" | sed 's/%i/JOBID/; s/%t/ST/; s/%A/JOBID/' ;;
esac; done`,
	"sacct": `for a; do case $a in --delimiter=*) mark=${a#*=} ;; --jobs=*) id=${a#*=} ;; esac; done
while IFS= read -r line; do case $line in "${id-}"[.\|]* | "$line${id-}") printf '%s\n' "$line" ;; esac; done \
  <"$RECORDED" | sed "s/|MARK|/$mark/g"`,
}

// slurm returns a PATH with them.
func slurm(t *testing.T) string {
	t.Helper()
	recorded, err := filepath.Abs("../../internal/slurm/sacct/testdata/gpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, script := range commands {
		stubs.Write(t, dir, name, "PATH=/usr/bin:/bin RECORDED='"+recorded+"'\n"+script)
	}
	return dir
}
