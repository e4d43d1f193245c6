"""Adds up a gibibyte over all GPUs of the node, and compares the bus bandwidth with that of the model."""
import os
import time

from _check import answer, threshold

BYTES = 1 << 30
ROUNDS = 10


def member(rank, size, port, queue):
    import torch
    import torch.distributed as dist

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=size)
    values = torch.ones(BYTES // 4, device="cuda")
    dist.all_reduce(values)
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(ROUNDS):
        values.fill_(1)
        dist.all_reduce(values)
    torch.cuda.synchronize()
    seconds = (time.perf_counter() - began) / ROUNDS
    if rank == 0:
        queue.put((seconds, bool((values == size).all())))
    dist.destroy_process_group()


def main():
    try:
        import torch
        import torch.multiprocessing as processes
    except ImportError:
        answer("skipped", "torch is not installed here")
    size = torch.cuda.device_count()
    if size < 2:
        answer("skipped", "there are not several GPUs here")
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    context = processes.get_context("spawn")
    queue = context.Queue()
    members = [context.Process(target=member, args=(rank, size, port, queue)) for rank in range(size)]
    for each in members:
        each.start()
    for each in members:
        each.join()
    if any(each.exitcode != 0 for each in members):
        answer("failed", "a member of the all-reduce ended with an error")
    seconds, right = queue.get()
    rate = BYTES / seconds * 2 * (size - 1) / size / 1e9
    measured = f"{rate:.0f} GB/s of bus bandwidth over {size} GPUs"
    if not right:
        answer("failed", "the sum is wrong", measured)
    least = threshold("busGBps")
    if least is None or size < 8:
        answer("skipped", "there is no threshold for this number of GPUs", measured)
    answer("passed" if rate >= least else "failed", "1 GiB over all GPUs", measured, f"at least {least} GB/s")


if __name__ == "__main__":
    main()
