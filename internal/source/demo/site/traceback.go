package site

// Traceback is the end of the log of a failed job: one rank read a truncated file, and the other lost its connection.
const Traceback = `[rank1]: Traceback (most recent call last):
[rank1]:   File "/home/alice/eval/run.py", line 212, in <module>
[rank1]:     main(parse_args())
[rank1]:   File "/home/alice/eval/run.py", line 148, in main
[rank1]:     for batch in read_tasks(args.tasks):
[rank1]:   File "/home/alice/eval/tasks.py", line 63, in read_tasks
[rank1]:     yield json.loads(line)
[rank1]:   File "/usr/lib/python3.12/json/decoder.py", line 355, in raw_decode
[rank1]:     raise JSONDecodeError("Expecting value", s, err.value) from None
[rank1]: json.decoder.JSONDecodeError: Expecting value: line 1 column 8193 (char 8192)
[rank0]: Traceback (most recent call last):
[rank0]:   File "/home/alice/eval/run.py", line 171, in main
[rank0]:     dist.all_gather_object(answers, mine)
[rank0]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.2.0.14]:41822
srun: error: gpu-n05: task 1: Exited with exit code 3
`
