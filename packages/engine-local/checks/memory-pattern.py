"""Writes patterns into the free memory of a GPU, reads all of it back, and counts what differs."""
import ctypes

from _check import Cuda, answer, threshold

BLOCK = 256 << 20
PATTERNS = (0x00000000, 0xFFFFFFFF, 0xAAAAAAAA, 0x55555555)


def main():
    cuda = Cuda()
    blocks = []
    # A tenth stays free: the context and others need some.
    left = cuda.free() * 9 // 10
    while left >= BLOCK:
        blocks.append(cuda.allocate(BLOCK))
        left -= BLOCK
    if not blocks:
        answer("skipped", "less than 256 MiB of GPU memory are free")
    host = cuda.pinned(BLOCK)
    wrong = 0
    for pattern in PATTERNS:
        expected = pattern.to_bytes(4, "little") * (BLOCK // 4)
        for start in blocks:
            cuda.fill(start, pattern, BLOCK)
        cuda.synchronize()
        for start in blocks:
            cuda.call("cuMemcpyDtoH_v2", host, ctypes.c_uint64(start), ctypes.c_size_t(BLOCK))
            if ctypes.string_at(host, BLOCK) != expected:
                wrong += 1
    most = threshold("errorsMax") or 0
    text = f"{len(PATTERNS)} patterns in {len(blocks) * BLOCK >> 20} MiB"
    measured, expected = f"{wrong} blocks of 256 MiB differ", f"at most {most}"
    answer("passed" if wrong <= most else "failed", text, measured, expected)


main()
