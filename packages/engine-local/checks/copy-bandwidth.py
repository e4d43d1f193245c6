"""Copies between host and GPU and inside the GPU, and compares the rates with those of the model."""
import ctypes
import time

from _check import Cuda, answer, threshold

SIZE = 1 << 30
ROUNDS = 8


def main():
    cuda = Cuda()
    if cuda.free() < 3 * SIZE:
        answer("skipped", "less than 3 GiB of GPU memory are free")
    one, other, host = cuda.allocate(SIZE), cuda.allocate(SIZE), cuda.pinned(SIZE)
    size = ctypes.c_size_t(SIZE)

    def rate(copy, moved):
        copy()
        cuda.synchronize()
        began = time.perf_counter()
        for _ in range(ROUNDS):
            copy()
        cuda.synchronize()
        return moved * SIZE * ROUNDS / (time.perf_counter() - began) / 1e9

    to_gpu = rate(lambda: cuda.call("cuMemcpyHtoD_v2", ctypes.c_uint64(one), host, size), 1)
    to_host = rate(lambda: cuda.call("cuMemcpyDtoH_v2", host, ctypes.c_uint64(one), size), 1)
    # A byte that is copied inside the GPU is read and written.
    inside = rate(lambda: cuda.call("cuMemcpyDtoD_v2", ctypes.c_uint64(other), ctypes.c_uint64(one), size), 2)
    measured = f"{to_gpu:.1f} GB/s to the GPU, {to_host:.1f} GB/s from it, {inside:.0f} GB/s inside"
    bus, memory = threshold("pcieGBps"), threshold("memoryGBps")
    if bus is None and memory is None:
        answer("skipped", "there is no threshold for this model", measured)
    expected = f"at least {bus} GB/s and {memory} GB/s"
    good = min(to_gpu, to_host) >= (bus or 0) and inside >= (memory or 0)
    answer("passed" if good else "failed", "copies of 1 GiB", measured, expected)


main()
