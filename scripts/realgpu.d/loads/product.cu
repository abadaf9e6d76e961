// product.cu: products of small matrices on the tensor cores of the first GPU, without torch. It counts launches.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mma.h>

using namespace nvcuda;

__global__ void product(float *out, int rounds)
{
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4];
	wmma::fill_fragment(a, __float2half(0.5f));
	wmma::fill_fragment(b, __float2half(0.5f));
	for (auto &sum : sums)
		wmma::fill_fragment(sum, 0.0f);
	for (int i = 0; i < rounds; i++)
		for (auto &sum : sums) // independent of each other, so that the cores always have work
			wmma::mma_sync(sum, a, b, sum);
	for (auto &sum : sums)
		wmma::store_matrix_sync(out + blockIdx.x % 64 * 256, sum, 16, wmma::mem_row_major);
}

static void check(cudaError_t failed)
{
	if (!failed)
		return;
	fprintf(stderr, "%s\n", cudaGetErrorString(failed));
	exit(1);
}

int main()
{
	float *out;
	cudaDeviceProp gpu;
	cudaEvent_t ends[2];
	check(cudaGetDeviceProperties(&gpu, 0));
	check(cudaMalloc(&out, 64 * 256 * sizeof *out));
	for (cudaEvent_t &end : ends)
		check(cudaEventCreate(&end));
	printf("ready\n");
	for (long done = 0;; done++) {
		product<<<gpu.multiProcessorCount * 4, 256>>>(out, 20000);
		check(cudaGetLastError());
		check(cudaEventRecord(ends[done % 2]));
		if (done)
			check(cudaEventSynchronize(ends[(done - 1) % 2])); // there is always one ahead
		timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		printf("done %ld %.6f\n", done, now.tv_sec + now.tv_nsec / 1e9);
		fflush(stdout);
	}
}
