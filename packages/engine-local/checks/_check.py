"""What the checks share: how they answer, their thresholds, and the CUDA driver by ctypes."""
import ctypes
import json
import os
import subprocess
import sys

CODES = {"passed": 0, "failed": 1, "skipped": 77}


def answer(result, text, measured=None, expected=None):
    """Prints the one line that a check answers with, and ends."""
    said = {"result": result, "text": text, "measured": measured, "expected": expected}
    print(json.dumps({key: value for key, value in said.items() if value is not None}), flush=True)
    sys.exit(CODES[result])


def threshold(name):
    """The threshold of this GPU model; without one there is nothing to compare with."""
    limits = json.loads(os.environ.get("TESSERA_CHECK_LIMITS", "{}"))
    return limits.get(name)


class Cuda:
    """The one visible device, through the driver alone: no toolkit is needed."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError:
            answer("skipped", "there is no CUDA driver here")
        count, device, self.context = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p()
        if self.library.cuInit(0) != 0 or self.library.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
            self.closed()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuCtxCreate_v2", ctypes.byref(self.context), 0, device)

    def closed(self):
        """A GPU whose MIG mode is on can be opened by instance only, which is no fault of it."""
        asked = ["nvidia-smi", "--query-gpu=mig.mode.current", "--format=csv,noheader", "-i", os.environ.get("CUDA_VISIBLE_DEVICES", "0")]
        try:
            said = subprocess.run(asked, capture_output=True, text=True, timeout=60).stdout
        except (OSError, subprocess.TimeoutExpired):
            said = ""
        if said.strip() == "Enabled":
            answer("skipped", "its MIG mode is on: it is checked when it is whole again")
        answer("failed", "the driver opens no GPU")

    def function(self, text, name):
        module, entry = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), text)
        self.call("cuModuleGetFunction", ctypes.byref(entry), module, name)
        return entry

    def launch(self, entry, blocks, threads, *values):
        sizes = [ctypes.c_uint(size) for size in (blocks, 1, 1, threads, 1, 1, 0)]
        places = [ctypes.cast(ctypes.byref(value), ctypes.c_void_p) for value in values]
        self.call("cuLaunchKernel", entry, *sizes, None, (ctypes.c_void_p * len(places))(*places), None)

    def read(self, start, size):
        buffer = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", buffer, ctypes.c_uint64(start), ctypes.c_size_t(size))
        return buffer.raw

    def call(self, name, *args):
        code = getattr(self.library, name)(*args)
        if code == 2:
            answer("skipped", f"{name}: there is not enough free GPU memory")
        if code != 0:
            answer("failed", f"{name} answered {code}")

    def free(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def allocate(self, size):
        start = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(start), ctypes.c_size_t(size))
        return start.value

    def pinned(self, size):
        start = ctypes.c_void_p()
        self.call("cuMemAllocHost_v2", ctypes.byref(start), ctypes.c_size_t(size))
        return start

    def fill(self, start, word, size):
        self.call("cuMemsetD32_v2", ctypes.c_uint64(start), ctypes.c_uint32(word), ctypes.c_size_t(size // 4))

    def synchronize(self):
        self.call("cuCtxSynchronize")
