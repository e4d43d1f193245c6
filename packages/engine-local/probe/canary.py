"""Marks or searches the memory of the one CUDA device that is visible, with the CUDA driver alone.

plant PATTERN: fills what is free with the pattern (32 hex digits). look PATTERN: allocates what is free and counts the
pattern in samples spread over all of it. Prints one JSON object; ends with 1 and a reason where it cannot.
"""
import ctypes
import json
import struct
import sys

SAMPLE = 4 << 20
SAMPLES = 64


def main():
    act, pattern = sys.argv[1], bytes.fromhex(sys.argv[2])
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        sys.exit("there is no CUDA driver here")

    def call(name, *args):
        code = getattr(cuda, name)(*args)
        if code != 0:
            sys.exit(f"{name} answered {code}")

    device, context = ctypes.c_int(), ctypes.c_void_p()
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
    call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    # One allocation of everything may fail for want of a contiguous range: as large as it will go.
    size, start = free.value >> 21 << 21, ctypes.c_uint64()
    while size > SAMPLE and cuda.cuMemAlloc_v2(ctypes.byref(start), ctypes.c_size_t(size)) != 0:
        size = size * 31 // 32 >> 21 << 21
    if act == "plant":
        # The first word of the pattern everywhere, then the whole pattern at the head of each sample.
        (word,) = struct.unpack("<I", pattern[:4])
        call("cuMemsetD32_v2", start, ctypes.c_uint32(word), ctypes.c_size_t(size // 4))
        block = pattern * (SAMPLE // len(pattern))
        for offset in offsets(size):
            call("cuMemcpyHtoD_v2", ctypes.c_uint64(start.value + offset), block, ctypes.c_size_t(SAMPLE))
        call("cuCtxSynchronize")
        hits = 0
    else:
        buffer = ctypes.create_string_buffer(SAMPLE)
        hits = 0
        for offset in offsets(size):
            call("cuMemcpyDtoH_v2", buffer, ctypes.c_uint64(start.value + offset), ctypes.c_size_t(SAMPLE))
            hits += buffer.raw.count(pattern) + buffer.raw.count(pattern[:4] * 4)
    read = len(list(offsets(size))) * SAMPLE
    print(json.dumps({"hits": hits, "readMiB": read >> 20, "totalMiB": total.value >> 20}))


def offsets(size):
    step = max(SAMPLE, size // SAMPLES >> 21 << 21)
    return range(0, max(0, size - SAMPLE + 1), step)


main()
