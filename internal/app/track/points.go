package track

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/nvnodetop/nvnodetop/internal/app/cli"
	"github.com/nvnodetop/nvnodetop/internal/output/track"
)

// checkPoints checks the name of the file of samples.
func (t *Options) checkPoints() error {
	switch {
	case !t.Changed("tracking-file"):
		if t.overwrite {
			return errors.New("--overwrite is for the file of --tracking-file")
		}
	case strings.HasSuffix(t.points, ".sqlite"):
		return errors.New("--tracking-file: track writes no SQLite: name a .csv, and import it with " +
			"sqlite3's .import")
	case !strings.HasSuffix(t.points, ".csv"):
		return fmt.Errorf("--tracking-file must end in .csv, not %q", t.points)
	}
	return nil
}

// pointFile is the file of samples; nil: there is none.
type pointFile struct {
	file *os.File
	csv  *track.CSV
	say  func(format string, args ...any)
}

// openPoints creates the file of samples. It does not touch an existing file, unless the user wants that.
func (t *Options) openPoints() (*pointFile, error) {
	if t.points == "" {
		return nil, nil
	}
	how := os.O_WRONLY | os.O_CREATE | syscall.O_NONBLOCK
	if t.overwrite {
		how |= os.O_TRUNC
	} else {
		how |= os.O_EXCL
	}
	f, err := os.OpenFile(t.points, how, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, cli.Usage("--tracking-file: %q exists: --overwrite replaces it", t.points)
	case err != nil:
		return nil, cli.Usage("--tracking-file: %w", err)
	}
	return &pointFile{f, track.NewCSV(f, t.units), t.Say}, nil
}

// writeSample writes a sample. It reports only one error: the command goes on.
func (p *pointFile) writeSample(t *track.Tracker) {
	if p != nil {
		if err := p.csv.Write(t); err != nil {
			p.say("--tracking-file: %v: no more samples are written", err)
		}
	}
}

func (p *pointFile) closeFile() {
	if p != nil {
		_ = p.file.Close() // write has reported its errors
	}
}

// maxConfig limits the file of --tconfig.
const maxConfig = 1 << 20

// inConfig are the options in gpu_tracker's file, by its names.
var inConfig = map[string]string{"sleep_time": cli.Interval, "ram_unit": "ram-unit", "gpu_ram_unit": "gpu-ram-unit",
	"time_unit": "time-unit", "n_expected_cores": "n-expected-cores", "gpu_uuids": "gpu-uuids",
	"disable_logs": "disable-logs", "process_id": "pid", "tracking_file": "tracking-file", "overwrite": "overwrite"}

// onlyTrackers are options for gpu_tracker's own process, which does not exist here.
var onlyTrackers = map[string]bool{"resource_usage_file": true, "n_join_attempts": true, "join_timeout": true}

// takeConfig uses those options in the file of --tconfig that the command line does not have.
func (t *Options) takeConfig() error {
	if !t.Changed("tconfig") {
		return nil
	}
	f, err := os.OpenFile(t.config, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return cli.Usage("--tconfig: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	var options map[string]any
	decoder := json.NewDecoder(io.LimitReader(f, maxConfig))
	decoder.UseNumber()
	if err := decoder.Decode(&options); err != nil {
		return cli.Usage("--tconfig: %q is not a JSON object of options: %w", t.config, err)
	}
	for key, value := range options {
		flag := inConfig[key]
		switch {
		case value == nil || onlyTrackers[key]:
		case key == "gpu_brand" && value == "nvidia":
		case flag == "":
			return cli.Usage("--tconfig: %q has the option %q, which track does not have", t.config, key)
		case t.Changed(flag):
		default:
			if err := t.flags.Set(flag, flagText(value)); err != nil {
				return cli.Usage("--tconfig: %q: %s: %v is not valid", t.config, key, value)
			}
		}
	}
	return nil
}

// flagText returns a JSON value in the form of the command line.
func flagText(value any) string {
	list, is := value.([]any)
	if !is {
		return fmt.Sprint(value)
	}
	var words []string
	for _, word := range list {
		words = append(words, fmt.Sprint(word))
	}
	return strings.Join(words, ",")
}
