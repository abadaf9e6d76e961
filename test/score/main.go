// Command score prints the findings of nvnodetop for the jobs of package shapes: found, late, missed, and false.
// scripts/score runs it. It exits with 1 if a shape is judged wrongly that is not known to be.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/nvnodetop/nvnodetop/test/shapes"
)

func main() {
	seed := flag.Uint64("seed", 1, "of the noise, and of when things happen")
	seeds := flag.Int("seeds", 1, "how many seeds to play, from that one on")
	only := flag.String("only", "", "play only the shapes whose names begin like one of these, separated by commas")
	say := flag.Bool("say", false, "print the sentences that are wrong")
	flag.Parse()
	verdicts := judge(selected(*only), *seed, *seeds)
	if len(verdicts) == 0 {
		fmt.Fprintf(os.Stderr, "score: no shape begins with %q\n", *only)
		os.Exit(2)
	}
	table(os.Stdout, verdicts, *say)
	for i := range verdicts {
		if _, known := shapes.Known[verdicts[i].Name]; !known && !verdicts[i].Good() {
			os.Exit(1)
		}
	}
}

func selected(only string) (chosen []shapes.Shape) {
	for _, s := range shapes.All() {
		for prefix := range strings.SplitSeq(only, ",") {
			if strings.HasPrefix(s.Name, prefix) {
				chosen = append(chosen, s)
				break
			}
		}
	}
	return chosen
}

// judge plays shapes with a number of seeds, as many at once as there are processors.
func judge(chosen []shapes.Shape, seed uint64, seeds int) []shapes.Verdict {
	verdicts := make([]shapes.Verdict, len(chosen))
	next := make(chan int)
	var players sync.WaitGroup
	for range runtime.NumCPU() {
		players.Go(func() {
			for i := range next {
				verdicts[i] = shapes.Judge(chosen[i], shapes.Play(chosen[i], seed))
				for more := 1; more < seeds; more++ {
					verdicts[i].Add(shapes.Judge(chosen[i], shapes.Play(chosen[i], seed+uint64(more))))
				}
			}
		})
	}
	for i := range chosen {
		next <- i
	}
	close(next)
	players.Wait()
	return verdicts
}
