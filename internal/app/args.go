package app

import "strconv"

// pairs are nvitop's flags that take two numbers behind them, "--gpu-util-thresh 10 75". The flags of this program take one value.
var pairs = map[string]bool{"--gpu-util-thresh": true, "--mem-util-thresh": true}

// joinPairs rewrites such flags: "--gpu-util-thresh=10,75". A third number is POLL.
func joinPairs(args []string) []string {
	var out []string
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--":
			return append(out, args[i:]...)
		case pairs[args[i]] && i+2 < len(args) && isNumber(args[i+1]) && isNumber(args[i+2]):
			out = append(out, args[i]+"="+args[i+1]+","+args[i+2])
			i += 2
		default:
			out = append(out, args[i])
		}
	}
	return out
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}
