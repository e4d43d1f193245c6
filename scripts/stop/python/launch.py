"""Like torchrun: starts workers, passes a signal on, waits until they have ended."""
import pathlib
import signal
import subprocess
import sys
import time

script = pathlib.Path(__file__).with_name("save.py")
workers = [subprocess.Popen([sys.executable, script, f"rank{rank}"]) for rank in range(2)]


def pass_on(number, frame):
    for worker in workers:
        worker.send_signal(number)


signal.signal(signal.SIGTERM, pass_on)
while any(worker.poll() is None for worker in workers):
    time.sleep(0.05)
sys.exit(max(worker.returncode for worker in workers))
