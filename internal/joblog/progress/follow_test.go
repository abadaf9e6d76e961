package progress

import (
	"strings"
	"testing"
)

// Of several kinds of lines, those count that say how far the work of the program is.
func TestWhichLineCounts(t *testing.T) {
	const (
		training   = "\r 48%|████▊     | 1500/3126 [52:29<55:15,  2.04s/it]"
		evaluation = "\r 20%|██        | 24/120 [00:06<00:23,  4.15it/s]"
	)
	for _, tc := range []struct{ name, log, want string }{
		{"a rank a little behind another", "[rank0]: step 100/900 loss 1\n[rank1]: step 99/900 loss 9\n",
			"general   run 100 900 - - - - - 1 - - 0.111111"},
		{"an evaluation below the training", training + "\n" + evaluation + "\x1b[A",
			"tqdm log  run 1500 3126 - - - 2.04 - - - - 0.479846 55m15s run"},
		{"a bar of another length", training + "\n" + evaluation + "\n",
			"tqdm log  run 1500 3126 - - - 2.04 - - - - 0.479846 55m15s run"},
		{"the next part of the work", "\r100%|███| 120/120 [00:06<00:00,  4.00it/s]\n" + training + "\r",
			"tqdm log  run 1500 3126 - - - 2.04 - - - - 0.479846 55m15s run"},
		{"a bar that jumps after a resume", "Continuing training from global step 1200\n\r  0%|     | 0/3000 [00:00<?, ?it/s]" +
			"\r 40%|████      | 1202/3000 [00:05<00:08, 201.85it/s]\r", "tqdm   run 1202 3000 - 1200 - - - - - - 0.400667"},
		{"an evaluation at the end of Keras", "Epoch 10/10\n469/469 ━━━━━━━━━━ 5s 10ms/step - loss: 0.3 - val_loss: 0.2\n" +
			"79/79 ━━━━━━━━━━ 1s 10ms/step - loss: 0.41\n", "Keras log  epoch 469 469 10 - 10 0.01 - 0.3 - - 1"},
		{"a short bar of unknown work", "Frobnicate:  41%|███  | 41/100 [00:10<00:14,  4.10it/s]\r", "   unknown - - - - - - - - - - -"},
		{"a long bar of unknown work", "Frobnicate:  41%|███  | 41/100 [01:10<01:40,  1.70s/it]\r",
			"tqdm log  run 41 100 - - - 1.7 - - - - 0.41 1m40s run"},
		{"a long bar of files", "Files:  41%|███  | 41/100 [01:10<01:40,  1.70s/file]\r", "   unknown - - - - - - - - - - -"},
		{"a narrow terminal", "training:   0%|| 0/400 [00:00<?, ?it/s]\rtraining:  74%|▋| 295/400 [01:22<00:30,\r",
			"tqdm   run 295 400 - - - - - - - - 0.7375 30s run"},
		{"batches without a total", "322batch [00:02, 155.25batch/s]\r", "tqdm log  run 322 - - - - 0.00644122 - - - - -"},
		{"a verb in -ing that is work", "Fine-tuning:  40%|███▉  | 1199/3000 [00:05<00:08, 212.03step/s]\r",
			"tqdm log  run 1199 3000 - - - 0.00471631 - - - - 0.399667 8s run"},
		{"steps that begin again", "epoch 1/2 step 100/100 loss 1\nepoch 2/2 step 60/100 loss 1\n",
			"general   epoch 60 100 2 - 2 - - 1 - - 0.8"},
		{"steps of an unknown number of epochs", "epoch 1 step 100/100 loss 1\nepoch 2 step 60/100 loss 1\n",
			"general   epoch 60 100 - - 2 - - 1 - - -"},
		{"a total in the head of the log", "total steps: 1000\nstep 10 loss 0.3\n", "general   run 10 1000 - - - - - 0.3 - - 0.01"},
		{"a configuration alone", "max_steps=10000 epochs=3 lr=3e-4\n", "   unknown - - - - - - - - - - -"},
		{"a line with a loss beside a bar", training + "\n{'loss': 0.5, 'epoch': 1.44}\n",
			"tqdm log  run 1500 3126 - - 1.44 2.04 - 0.5 - - 0.479846 55m15s run"},
		{"another total beside a bar", training + "\ntotal steps: 99999\n",
			"tqdm log  run 1500 3126 - - - 2.04 - - - - 0.479846 55m15s run"},
		{"a bar that is silent from now on", training + "\n" + strings.Repeat("step 7 loss 3\n", maxOthers+1),
			"general   run 7 - - - - - - 3 - - -"},
		{"a loop within the steps", "     iteration #  3     ecut=    80.00 Ry     beta= 0.30\n" +
			"     number of bfgs steps    =   6\n     iteration #  1     ecut=    80.00 Ry     beta= 0.30\n",
			"Quantum ESPRESSO   run 6 - - - - - - - - - -"},
	} {
		if got := describe(read(tc.log)); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, tc.want)
		}
	}
}
