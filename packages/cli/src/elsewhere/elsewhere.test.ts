import assert from "node:assert/strict";
import test from "node:test";
import { commands } from "../commands/index.ts";
import { turnRound } from "../grammar.ts";
import { StandIn } from "../testing/stand-in.ts";
import { runTess } from "../testing/terminal.ts";
import { createdJob } from "../testing/things.ts";
import { maySuggest, translateCommand } from "./commands.ts";

const typed = (line: string) => turnRound(translateCommand(line.split(" "))).join(" ");

test("commands of other programs mean ours", () => {
  const same: [string, string][] = [
    ["submit job.yaml", "run --detach job.yaml"],
    ["sbatch job.yaml", "run --detach job.yaml"],
    ["srun --gpus 1", "run --gpus 1"],
    ["squeue -u ana", "ps --all-projects -u ana"],
    ["jobs", "jobs get"],
    ["job", "job get"],
    ["status", "ps"],
    ["status llama-ft", "job describe llama-ft"],
    ["kill llama-ft", "cancel llama-ft"],
    ["scancel llama-ft", "cancel llama-ft"],
    ["rm llama-ft", "cancel llama-ft"],
    ["sinfo", "node get"],
    ["nodes", "nodes get"],
    ["node get", "node get"],
    ["quotas", "quotas get"],
    ["prices show", "price show"],
    ["policies get", "policy get"],
    ["log llama-ft", "logs llama-ft"],
    ["inspect llama-ft", "job describe llama-ft"],
    ["job cancel llama-ft", "cancel llama-ft"],
    ["jobs kill llama-ft", "cancel llama-ft"],
    ["job logs llama-ft", "logs llama-ft"],
    ["job get llama-ft", "job get llama-ft"],
    ["salloc --gpus 1", "shell --gpus 1"],
    ["restart llama-ft", "requeue llama-ft"],
    ["resubmit llama-ft", "rerun llama-ft"],
    ["--data /d squeue", "--data /d ps --all-projects"],
  ];
  for (const [line, ours] of same) assert.equal(typed(line), ours, line);
});

test("what cannot be the same gets the right hint, and never a command that destroys", async () => {
  const cases: [string[], RegExp][] = [
    [["htop"], /use tess top .* tess ps -w/],
    [["scontrol"], /tess describe job/],
    [["run", "--partition", "gpu", "--", "x"], /no partitions here.*--gpus MODEL:COUNT/],
    [["run", "--mail-type=END", "--", "x"], /tess wait JOB/],
    [["run", "-t", "90", "--", "x"], /needs a unit, got "90"[\s\S]*--max-time 90m/],
    [["run", "--max-time", "90", "--", "x"], /--max-time 90 has no unit[\s\S]*90s, 90m or 90h/],
    [["run", "-e", "err/log.txt", "--", "x"], /tess logs JOB/],
    [["run", "-o", "out.log", "--", "x"], /what a job writes is kept: tess logs JOB > out\.log/],
    [["run", "-N", "3", "-G", "8", "--", "x"], /8 GPUs cannot be shared out over 3 nodes/],
    [["ps", "--time", "1h"], /it is --max-time on tess run/],
    [["kill", "-9", "x"], /after its grace/],
    [["cancle", "x"], /did you mean cancel\?/],
    [["stp", "x"], /tess help lists all commands/],
  ];
  for (const [argv, expected] of cases) {
    const { code, err } = await runTess(argv, { env: { HOME: "/nonexistent", TESS_SERVER: "http://127.0.0.1:1" } });
    assert.equal(code, 2, argv.join(" "));
    assert.match(err, expected, argv.join(" "));
  }
  for (const word of ["top", "kil", "dow", "sto", "re"]) {
    for (const { name, aliases = [] } of commands) {
      if (["cancel", "stop", "delete"].includes(name)) assert.equal(maySuggest(word, name), false, `${word} ${name}`);
      for (const alias of aliases) if (alias === "stop") assert.equal(maySuggest(word, alias), false);
    }
  }
});

test("options of other programs arrive as fields", async (t) => {
  const server = await StandIn.start(t);
  server.on("submitJob", () => createdJob());
  const specOf = async (line: string) => {
    const { code, err } = await runTess([...line.split(" "), "--", "train"], { env: server.env });
    assert.equal(code, 0, err);
    const { run, ...spec } = server.requestsTo("submitJob").at(-1)!.body as Record<string, unknown>;
    assert.equal(run, "train");
    return spec;
  };
  assert.deepEqual(await specOf("sbatch -N 2 -n4 -J ft -t 1-12:30:00 --mem=64G -c 8 --account lab --gres=gpu:h100:8"), {
    name: "ft",
    nodes: 2,
    members: 4,
    max_time: "36h30m",
    memory: "64GiB",
    cpus: 8,
    project: "lab",
    gpus: "H100:8",
  });
  assert.deepEqual(await specOf("submit -N 2 -G 16 --time=01:30:00 -e A=b -e C=d --dependency=afterok:job_7"), {
    name: "train",
    nodes: 2,
    gpus: 8,
    max_time: "1h30m",
    env: { A: "b", C: "d" },
    after: ["job_7"],
  });
  assert.deepEqual(await specOf("launch -d --num-nodes 2 --gpus A100:8 --use-spot --max-time 02:00:00"), {
    name: "train",
    nodes: 2,
    gpus: "A100:8",
    preemptible: true,
    max_time: "02:00:00",
  });
});

test("options of squeue filter the list of jobs", async (t) => {
  const server = await StandIn.start(t);
  server.on("listJobs", () => ({ items: [] }));
  assert.equal((await runTess(["squeue", "-u", "ana", "-t", "PENDING"], { env: server.env })).code, 0);
  const { user, state } = server.requestsTo("listJobs")[0]!.query;
  assert.deepEqual({ user, state }, { user: "ana", state: "waiting" });
});
