package smi

import "github.com/nvnodetop/nvnodetop/internal/wire"

// mark begins the introduction.
const mark = "nvnodetop-smi/1"

// script runs the program that is the first line of its input: a script may not contain "$!".
const script = "read -r s && eval \"$s\""

// stepd prints the command lines of the daemons of the job's steps, if the job's cgroup is named by a SLUID: they
// contain the job's number.
const stepd = "j=$(sed -n 's,^0::\\(/.*/s[0-9A-Z]\\{13\\}\\)\\(/.*\\)*$,\\1,p' /proc/self/cgroup); " +
	"m=$(sed -n 's,^[^ ]* \\([^ ]*\\) cgroup2 .*,\\1,p' /proc/mounts | head -n 1); " +
	"[ -z \"$j\" ] || for p in $(cat \"$m$j\"/step_*/slurm/cgroup.procs 2>/dev/null); do " +
	"echo \"stepd $(tr '\\0' ' ' 2>/dev/null <\"/proc/$p/cmdline\")\"; done; "

// program introduces the node, and then takes commands from its input, one per line: "once 0 GPUS FIELDS" prints a line
// per GPU and "end STATUS", "look 0 GPUS FIELDS" prints the same lines with "look" before each, "loop MS GPUS FIELDS"
// prints them continuously until the next loop, "apps 0 GPUS" prints the processes and "done STATUS", and "alive ID"
// prints itself. GPUS are indices, or everyGPU. It obeys only lines with its own address, or with none. nvidia-smi
// prints its errors to standard output too.
//
// The loop runs in a shell of its own, which reports its end. watch ends the script when it has received nothing for a
// minute. It does so in another shell that kills the script, unless it is killed before, together with its sleep. That
// shell does not keep the output open. A third one stops and kills it: if the script is killed meanwhile, nothing stays
// stopped. born is when the script began: by then its PID may belong to another process.
const program = "unset LD_BIND_NOW; LC_ALL=C; export LC_ALL; " +
	"command -v nvidia-smi >/dev/null || PATH=$PATH:/usr/bin:/usr/local/bin:/usr/local/nvidia/bin; " +
	"command -v nvidia-smi >/dev/null || { echo \"no nvidia-smi in $PATH\" >&2; exit 127; }; " +
	"g=; w=; f=--format=csv,noheader,nounits; " +
	"stop() { kill $p 2>/dev/null; exit; }; " +
	"smi() { nvidia-smi ${i:+-i} ${i:+\"$i\"} \"$@\" $f 2>&1; }; " +
	"loop() { p=; trap stop TERM; nvidia-smi ${i:+-i} ${i:+\"$i\"} --query-gpu=\"$r\" $f --loop-ms=\"$a\" 2>&1 & " +
	"p=$!; wait $p; echo \"ended $?\"; }; " +
	"apps() { echo apps; smi --query-compute-apps=gpu_uuid,pid,used_gpu_memory,process_name; echo \"done $?\"; }; " +
	"look() { smi --query-gpu=\"$r\" </dev/null | sed 's/^/look /'; }; " +
	"unwatch() { [ -z \"$w\" ] || ( kill -STOP $w; pkill -P $w; kill -KILL $w ) 2>/dev/null; }; " +
	"over() { [ -z \"$g\" ] || kill $g; unwatch; exit; }; trap over HUP INT TERM PIPE; " +
	"born() { cut -d\" \" -f22 /proc/$$/stat; }; b=$(born); " +
	"watch() { unwatch; { sleep 60; [ \"$(born)\" != \"$b\" ] || kill $$; } >/dev/null 2>&1 </dev/null & w=$!; }; " +
	"watch; " +
	"echo " + mark + "; echo \"host $(uname -n)\"; echo \"kernel $(uname -r)\"; echo \"cpus $(grep -c ^processor " +
	"/proc/cpuinfo)\"; " +
	"cat /proc/self/cgroup /proc/driver/nvidia/gpus/*/information 2>/dev/null; " + stepd + "echo ready; " +
	"while read -r c a i r; do " +
	"case $c in @$" + wire.NameVariable + ") c=$a; a=$i; i=${r%% *}; r=${r#* };; @*) continue;; esac; watch; " +
	"case $i in " + everyGPU + ") i=;; esac; " +
	"case $c in " +
	"once) smi --query-gpu=\"$r\" </dev/null; echo \"end $?\";; " +
	"loop) [ -z \"$g\" ] || kill $g; loop & g=$!;; " +
	"look) look & ;; " +
	"apps) apps & ;; " +
	"alive) echo \"alive $a\";; " +
	"esac; done; over"
