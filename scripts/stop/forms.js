/**
 * The forms in which people write a command. `words` follow `--` of `tess run`; `block` is the field `run` of a job file.
 * `upMs` is how long it may take to come up on a busy machine. `saves` names what must be saved, each by a process of its own; a form without any does not listen to the signal.
 */
export const forms = {
  bare: { words: ["python3", "save.py"], saves: ["step"] },
  line: { words: ["echo a; python3 save.py"], saves: ["step"] },
  block: { block: "set -e\nexport MODE=train\necho begin\npython3 save.py\necho end\n", saves: ["step"] },
  exec: { words: ["exec python3 save.py"], saves: ["step"] },
  launcher: { words: ["python3", "launch.py"], saves: ["rank0", "rank1"] },
  tree: { words: ["python3 tree.py 3; true"], saves: ["step"] },
  orphan: { words: ["sh -c 'python3 save.py &'; sleep 1000"], saves: ["step"] },
  workers: { words: ["python3", "workers.py"], saves: ["worker0", "worker1"] },
  loader: { words: ["python3", "loader.py"], saves: ["loader"] },
  deaf: { words: ["echo a; python3 deaf.py"], saves: [] },
};

/** The real launcher of PyTorch, where it is installed. Without the redirects, torch 1.13 fails on Python 3.11; with `--standalone` two jobs would share a port. */
export function torchrun(program) {
  return {
    words: [
      program,
      "--rdzv_backend=c10d",
      "--rdzv_endpoint=localhost:0",
      "--nproc_per_node=2",
      "--redirects=1",
      "--tee=1",
      "torch_save.py",
    ],
    saves: ["rank0", "rank1"],
    env: { PYTHONUNBUFFERED: "1" },
    upMs: 20_000,
  };
}
