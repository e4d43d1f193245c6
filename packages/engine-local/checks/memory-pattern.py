"""Writes patterns into the free memory of a GPU, has the GPU read all of it back, and counts the words that differ."""
import ctypes

from _check import Cuda, answer, threshold

BLOCK = 256 << 20
PATTERNS = (0x00000000, 0xFFFFFFFF, 0xAAAAAAAA, 0x55555555)
BLOCKS, THREADS = 1024, 256

# Each thread reads every so many-th word of a block; the counter is of 64 bits.
DIFFER = b"""
.version 6.0
.target sm_70
.address_size 64
.visible .entry differ(.param .u64 start, .param .u64 words, .param .u32 pattern, .param .u64 counter)
{
  .reg .u64 %rd<8>;
  .reg .u32 %r<8>;
  .reg .pred %p<3>;
  ld.param.u64 %rd1, [start];
  ld.param.u64 %rd2, [words];
  ld.param.u32 %r1, [pattern];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mov.u32 %r5, %nctaid.x;
  mad.lo.u32 %r4, %r2, %r3, %r4;
  mul.lo.u32 %r5, %r3, %r5;
  cvt.u64.u32 %rd3, %r4;
  cvt.u64.u32 %rd4, %r5;
  mov.u64 %rd5, 0;
again:
  setp.ge.u64 %p1, %rd3, %rd2;
  @%p1 bra done;
  shl.b64 %rd6, %rd3, 2;
  add.u64 %rd6, %rd1, %rd6;
  ld.volatile.global.u32 %r6, [%rd6];
  setp.ne.u32 %p2, %r6, %r1;
  @%p2 add.u64 %rd5, %rd5, 1;
  add.u64 %rd3, %rd3, %rd4;
  bra again;
done:
  setp.eq.u64 %p1, %rd5, 0;
  @%p1 bra none;
  ld.param.u64 %rd7, [counter];
  red.global.add.u64 [%rd7], %rd5;
none:
  ret;
}
\0"""


def main():
    cuda = Cuda()
    counter = cuda.allocate(8)
    cuda.fill(counter, 0, 8)
    blocks = []
    # A tenth stays free: the context and others need some.
    left = cuda.free() * 9 // 10
    while left >= BLOCK:
        blocks.append(cuda.allocate(BLOCK))
        left -= BLOCK
    if not blocks:
        answer("skipped", "less than 256 MiB of GPU memory are free")
    differ = cuda.function(DIFFER, b"differ")

    def count(start, pattern):
        words = ctypes.c_uint64(BLOCK // 4)
        given = (ctypes.c_uint64(start), words, ctypes.c_uint32(pattern), ctypes.c_uint64(counter))
        cuda.launch(differ, BLOCKS, THREADS, *given)

    for pattern in PATTERNS:
        for start in blocks:
            cuda.fill(start, pattern, BLOCK)
        for start in blocks:
            count(start, pattern)
        cuda.synchronize()
    wrong = int.from_bytes(cuda.read(counter, 8), "little")
    # A count that cannot count finds nothing either: with another pattern all words of a block differ.
    count(blocks[0], PATTERNS[0])
    cuda.synchronize()
    if int.from_bytes(cuda.read(counter, 8), "little") - wrong != BLOCK // 4:
        answer("failed", "the GPU does not count what differs")
    most = threshold("errorsMax") or 0
    text = f"{len(PATTERNS)} patterns in {len(blocks) * BLOCK >> 20} MiB"
    measured, expected = f"{wrong} words differ", f"at most {most}"
    answer("passed" if wrong <= most else "failed", text, measured, expected)


main()
