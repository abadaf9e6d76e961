package advice

import "github.com/nvnodetop/nvnodetop/internal/wire/reach"

// Stages of this door.
const (
	StageName    reach.Stage = "name"     // resolve the host name
	StageTCP     reach.Stage = "TCP"      // connect, through a jump host or a ProxyCommand if so configured
	StageSSH     reach.Stage = "ssh"      // protocol version and key exchange
	StageHostKey reach.Stage = "host key" // compare it with known_hosts
	StageLogin   reach.Stage = "login"    // authenticate
)
