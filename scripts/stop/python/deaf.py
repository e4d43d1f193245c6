"""Does not listen: it must live until its grace is over, and not longer."""
import os
import signal
import time

if os.environ["TESS_ATTEMPT"] == "1":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up at 0 deaf", flush=True)
while True:
    time.sleep(0.1)
