// Package realgpu tests scripts/realgpu without a GPU: on the fake NVML of scripts/fakenvml, which a fake nvidia-smi
// and a stub of pynvml read too, and with loads that change its scenario (loads). Each verdict is seen right and wrong.
// The loads for a real GPU run on stubs of CUDA and torch, which shows that they start, and no more.
package realgpu
