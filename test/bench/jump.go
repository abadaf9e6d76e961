package main

import (
	"fmt"

	"github.com/nvnodetop/nvnodetop/test/bench/rig"
)

// measureJump times the starts with all nodes behind one jump host, the login node itself.
func measureJump(o options, program string) error {
	defer func() { _ = rig.AsAlice("rm -f ~/.ssh/config") }()
	if err := rig.AsAlice(`printf 'Host node*\n ProxyJump login\n' >~/.ssh/config`); err != nil {
		return err
	}
	fmt.Printf("%d nodes behind one jump host, %d rounds\n\n", o.nodes, o.rounds)
	var rounds []figures
	for range o.rounds {
		f, err := timeStarts(o, program, "--transport", "ssh")
		if err != nil {
			return err
		}
		rounds = append(rounds, f)
	}
	report(starts, []string{"ssh"}, [][]figures{rounds}, false)
	return nil
}
