"""Trainers that a program has forked and waits for. The program does not handle the signal; each trainer does."""
import multiprocessing
import pathlib
import runpy
import sys


def work(rank):
    sys.argv = ["save.py", f"worker{rank}"]
    runpy.run_path(str(pathlib.Path(__file__).with_name("save.py")))


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    workers = [multiprocessing.Process(target=work, args=[rank]) for rank in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
