"""A worker of the real torchrun."""
import os
import pathlib
import runpy
import sys

sys.argv = ["save.py", f"rank{os.environ['LOCAL_RANK']}"]
runpy.run_path(str(pathlib.Path(__file__).with_name("save.py")))
