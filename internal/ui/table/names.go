package table

// names are the columns by which rows can be sorted, by their names.
var names = map[string]col{
	"gpu": colGPU, "pid": colPID, "user": colUser, "rank": colRank, "gpu_mem": colGPUMem, "sm": colSM,
	"mem_rw": colMemRW, "cpu": colCPU, "host_mem": colHostMem, "time": colTime, "state": colState,
	"threads": colThreads, "command": colCommand, "rss": colRSS, "program": colProgram, "node": colNode,
	"job": colJob, "name": colJobName, "partition": colPartition, "nodes": colNodes, "gpus": colGPUs,
	"util": colUtil, "lowest": colLowest, "power": colPower, "problems": colHealth, "procs": colProcs,
}
