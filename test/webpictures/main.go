// Command webpictures makes pictures of the pages of nvnodetop serve, as a phone and a desktop show them, in light and
// dark, and fails if a page complains or is wider than the window. scripts/webpictures builds it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nvnodetop/nvnodetop/test/chromium"
)

// pages are the addresses behind "#/" in the demo, by the names of their pictures.
var pages = []struct{ name, address string }{
	{"jobs", "jobs"}, {"job", "job/48211"}, {"nodes", "nodes"}, {"node", "node/gpu-n02"}, {"failed", "node/gpu-n64"},
	{"shared", "node/gpu-s11"}, {"gpu", "gpu/gpu-n02/3"},
	{"problems", "problems"}, {"processes", "processes"}, {"ranks", "ranks"}, {"users", "users"},
	{"stacks", "stacks/48211"}, {"cluster", "cluster"},
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: webpictures DIRECTORY ADDRESS, as nvnodetop serve --demo 64x8 prints it")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "webpictures:", err)
		os.Exit(1)
	}
}

func run(dir, address string) error {
	b, err := chromium.Start(context.Background())
	if err != nil {
		return err
	}
	defer b.Close()
	if err := errors.Join(os.MkdirAll(dir, 0o755), b.Open(address)); err != nil { // signs in
		return err
	}
	base, _, _ := strings.Cut(address, "?")
	var faults []error
	for _, l := range []chromium.Look{{Width: 390, Height: 844}, {Width: 390, Height: 844, Dark: true},
		{Width: 1440, Height: 900}, {Width: 1440, Height: 900, Dark: true}} {
		for _, p := range pages {
			faults = append(faults, picture(b, l, base+"#/"+p.address, filepath.Join(dir, nameOf(p.name, l))))
		}
	}
	return errors.Join(faults...)
}

func nameOf(page string, l chromium.Look) string {
	colors := "light"
	if l.Dark {
		colors = "dark"
	}
	return fmt.Sprintf("%s-%d-%s.png", page, l.Width, colors)
}

// picture makes one picture, and returns the faults of the page.
func picture(b *chromium.Browser, l chromium.Look, url, file string) error {
	if err := errors.Join(b.See(l), b.Open("about:blank"), b.Open(url),
		b.Wait("document.querySelector('main section')"), b.Picture(file)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	fmt.Println(file)
	complaints, err := b.Complaints()
	for _, c := range complaints {
		err = errors.Join(err, fmt.Errorf("%s: %s", file, c))
	}
	var wide int
	if err := b.Eval("document.documentElement.scrollWidth", &wide); err != nil || wide > l.Width {
		return errors.Join(err, fmt.Errorf("%s is %d pixels wide", file, wide))
	}
	return err
}
