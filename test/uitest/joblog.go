package uitest

import (
	"fmt"
	"strings"
)

// ALog is the log of a job with a rank that has crashed.
var ALog = func() string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "2026-11-20 18:21:%02d step %d  loss 1.%03d  412.7 samples/s\n", i, 1200+i, 900-i)
	}
	return b.String() + "gpu-n02:4182:4201 [2] NCCL WARN socketProgress: connection closed by gpu-n03\n" +
		"[rank12]: Traceback (most recent call last):\n" +
		"[rank12]:   File \"/home/alice/llm/train.py\", line 418, in <module>\n" +
		"[rank12]:     loss.backward()\n" +
		"[rank12]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 4 has a total " +
		"capacity of 79.15 GiB of which 1.31 GiB is free.\n" +
		"srun: error: gpu-n02: task 12: Exited with exit code 1\n" +
		" 42%|████▏     | 420/1000 [10:02<13:51,  1.43s/it]\r 43%|████▎     | 430/1000 [10:16<13:37,  1.43s/it]"
}()
