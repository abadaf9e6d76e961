package uitest

import (
	"slices"
	"time"

	"github.com/nvnodetop/nvnodetop/internal/cluster"
	"github.com/nvnodetop/nvnodetop/internal/wire"
	"github.com/nvnodetop/nvnodetop/internal/wire/reach"
)

// DoorsFixture has a node to which no transport leads.
func DoorsFixture() *cluster.Snapshot {
	s := Fixture()
	n := s.Nodes["gpu-n04"]
	n.Route, n.Steps = reach.Route{Door: "openssh", Stages: []reach.Stage{"ssh", "probe", "driver", "stream"}},
		reached("ssh", reach.StepFailed, "permission denied (publickey)")
	n.Failure = &reach.Failure{
		Class: reach.ClassAuth, Stage: "ssh", Short: "permission denied", Detail: "publickey,hostbased",
		Words:   "alice@gpu-n04: Permission denied (publickey,hostbased).",
		Meaning: "The node accepts none of the logins that OpenSSH can make without asking you.",
		Hints:   []string{"see what is tried: ssh -v gpu-n04 true"},
		Doors: []reach.Tried{
			{Door: "ssh", Class: reach.ClassAuth, Summary: "permission denied (publickey,hostbased)",
				Hint: "check that your public key is in ~/.ssh/authorized_keys on gpu-n04"},
			{Door: "control", Class: reach.ClassNoDoor, Summary: "no ControlMaster is running"},
			{Door: "openssh", Class: reach.ClassAuth, Summary: "permission denied (publickey,hostbased)",
				Hint: "see what is tried: ssh -v gpu-n04 true"},
		},
	}
	for i := range n.Attempts {
		n.Attempts[i].Door, n.Attempts[i].Summary = []string{"openssh", "ssh"}[i%2],
			"permission denied (publickey,hostbased)"
	}
	return s
}

// PassedFixture has a node that only a step reaches, since its host key has changed, and where not all can be seen.
func PassedFixture() *cluster.Snapshot {
	s := Fixture()
	n := s.Nodes["gpu-n02"]
	hello := *n.Hello
	hello.Build, hello.System, hello.Program = "1.0.0", "linux/amd64",
		"/home/alice/.cache/nvnodetop/nvnodetop-probe-0123456789abcdef"
	n.Hello, n.Clocked, n.Offset = &hello, true, -95*time.Second
	n.Listed, n.Processes = true, append(slices.Clone(n.Processes),
		wire.Process{PID: 4711, Identity: wire.Identity{Foreign: true}})
	n.Route = reach.Route{Door: "srun", Stages: n.Route.Stages, Passed: &reach.Tried{
		Door: "ssh", Class: reach.ClassHostKeyChanged, Summary: "host key changed",
		Hint: "ask your admins whether gpu-n02's key was changed (known: /etc/ssh/ssh_known_hosts:7)",
	}}
	return s
}
