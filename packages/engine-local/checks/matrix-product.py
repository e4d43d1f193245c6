"""Multiplies large matrices, compares the result with itself, and the rate with that of the model."""
import time

from _check import answer, threshold

SIZE = 8192
ROUNDS = 40


def main():
    try:
        import torch
    except ImportError:
        answer("skipped", "torch is not installed here")
    if not torch.cuda.is_available():
        answer("skipped", "torch sees no GPU")
    torch.manual_seed(1)
    one = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16)
    other = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.bfloat16)
    first = one @ other
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(ROUNDS):
        last = one @ other
    torch.cuda.synchronize()
    tflops = 2 * SIZE**3 * ROUNDS / (time.perf_counter() - began) / 1e12
    measured = f"{tflops:.0f} TFLOPS in bf16"
    # The same input must give the same bits: silent corruption shows here.
    if not torch.equal(first, last):
        answer("failed", "the same product gave two results", measured)
    least = threshold("bf16Tflops")
    if least is None:
        answer("skipped", "there is no threshold for this model", measured)
    answer("passed" if tflops >= least else "failed", f"{SIZE} x {SIZE}", measured, f"at least {least} TFLOPS")


main()
