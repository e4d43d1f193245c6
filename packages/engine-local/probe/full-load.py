"""What the driver's sampler reads of the one visible MIG instance while all of its multiprocessors are at work.

full-load.py GPU_UUID GPU_INSTANCE: puts every multiprocessor to work for half a second, through the CUDA driver alone, and
samples the instance meanwhile (NVML, GPM). Prints one JSON object; ends with 1 and a reason where it cannot.
"""
import ctypes
import json
import sys
import time

SPIN_MS = 500
# The load needs a moment to reach all multiprocessors, and the driver asks for a tenth of a second between two samples.
BEFORE_MS, BETWEEN_MS = 80, 300
MULTIPROCESSORS = 16
SM_ACTIVITY = 2
HEAD_BYTES, METRIC_BYTES, METRICS_MAX = 24, 40, 512

SPIN = b"""
.version 6.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 ns)
{
  .reg .u64 %rd<4>;
  .reg .pred %p1;
  ld.param.u64 %rd1, [ns];
  mov.u64 %rd2, %globaltimer;
  add.u64 %rd2, %rd2, %rd1;
again:
  mov.u64 %rd3, %globaltimer;
  setp.lt.u64 %p1, %rd3, %rd2;
  @%p1 bra again;
  ret;
}
\0"""


def library(name):
    try:
        return ctypes.CDLL(name)
    except OSError:
        sys.exit(f"{name} is not here")


def must(code, name):
    if code != 0:
        sys.exit(f"{name} answered {code}")


class Sampler:
    """One GPU instance, as the driver's library sees it."""

    def __init__(self, gpu, instance):
        self.nvml, self.instance, self.device = library("libnvidia-ml.so.1"), instance, ctypes.c_void_p()
        self.call("nvmlInit_v2")
        self.call("nvmlDeviceGetHandleByUUID", gpu.encode(), ctypes.byref(self.device))
        support = (ctypes.c_uint * 2)(1, 0)
        if self.nvml.nvmlGpmQueryDeviceSupport(self.device, support) != 0 or support[1] == 0:
            sys.exit("this GPU cannot be sampled by instance")

    def call(self, name, *args):
        must(getattr(self.nvml, name)(*args), name)

    def sample(self):
        sample = ctypes.c_void_p()
        self.call("nvmlGpmSampleAlloc", ctypes.byref(sample))
        self.call("nvmlGpmMigSampleGet", self.device, ctypes.c_uint(self.instance), sample)
        return sample

    def activity(self, one, other):
        ask = bytearray(HEAD_BYTES + METRICS_MAX * METRIC_BYTES)
        whole = (ctypes.c_char * len(ask)).from_buffer(ask)
        for at, kind, value in (
            (0, ctypes.c_uint, 1),
            (4, ctypes.c_uint, 1),
            (8, ctypes.c_uint64, one.value),
            (16, ctypes.c_uint64, other.value),
            (HEAD_BYTES, ctypes.c_uint, SM_ACTIVITY),
        ):
            kind.from_buffer(ask, at).value = value
        self.call("nvmlGpmMetricsGet", whole)
        must(ctypes.c_uint.from_buffer(ask, HEAD_BYTES + 4).value, "the metric")
        return ctypes.c_double.from_buffer(ask, HEAD_BYTES + 8).value


def spin():
    """Starts the load, and answers how many multiprocessors it runs on and how to wait for its end."""
    cuda = library("libcuda.so.1")

    def call(name, *args):
        must(getattr(cuda, name)(*args), name)

    device, context, count = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_int()
    module, entry = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    call("cuDeviceGetAttribute", ctypes.byref(count), MULTIPROCESSORS, device)
    call("cuModuleLoadData", ctypes.byref(module), SPIN)
    call("cuModuleGetFunction", ctypes.byref(entry), module, b"spin")
    ns = ctypes.c_uint64(SPIN_MS * 1_000_000)
    given = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(ns), ctypes.c_void_p))
    sizes = [ctypes.c_uint(size) for size in (4 * count.value, 1, 1, 256, 1, 1, 0)]
    call("cuLaunchKernel", entry, *sizes, None, given, None)
    return count.value, lambda: call("cuCtxSynchronize")


def main():
    sampler = Sampler(sys.argv[1], int(sys.argv[2]))
    count, wait = spin()
    time.sleep(BEFORE_MS / 1000)
    one = sampler.sample()
    time.sleep(BETWEEN_MS / 1000)
    other = sampler.sample()
    wait()
    print(json.dumps({"multiprocessors": count, "percent": sampler.activity(one, other)}))


main()
