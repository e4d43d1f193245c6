import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { JobSpecBody } from "@tessera/wire";
import { recogniseDocument, recogniseText } from "@tessera/wire/elsewhere";
import { Check } from "typebox/value";
import { parse, parseAllDocuments } from "yaml";
import { temporaryFolder } from "../testing/folder.ts";
import { runTess } from "../testing/terminal.ts";
import * as samples from "./samples.fixture.ts";

function jobOf(text: string): { kind: string; job: Record<string, unknown>; left: string } {
  const found =
    recogniseText(text) ??
    parseAllDocuments(text)
      .map((each) => recogniseDocument(each.toJS()))
      .findLast((each) => each);
  assert.ok(found, text);
  const job = Object.fromEntries(found.fields.map(({ field, value }) => [field, value]));
  return { kind: found.kind, job, left: found.left.join("\n") };
}

test("an sbatch script is a job with its nodes, GPUs, time and signal", () => {
  const { kind, job, left } = jobOf(samples.sbatch);
  assert.equal(kind, "an sbatch script (Slurm)");
  assert.deepEqual(job, {
    name: "llama-ft",
    project: "vision",
    nodes: 2,
    gpus: "H100:8",
    cpus: 12,
    memory: "512GiB",
    max_time: "36h",
    checkpoint: { signal: "SIGUSR1", grace: "120s" },
    array: "0-9%2",
    run: "source ~/venv/bin/activate\nexport NCCL_DEBUG=WARN\npython train.py --rank $SLURM_PROCID",
  });
  assert.match(left, /--partition=gpu: not needed/);
  assert.match(left, /--output=.*: not needed, tess logs/);
  assert.match(left, /module load cuda\/12\.4: there are no modules/);
  assert.match(left, /--ntasks-per-node=8: run: torchrun --nproc-per-node 8/);
});

test("several sbatch options in a line, with a bare number of minutes, are read as sbatch does", () => {
  const { job, left } = jobOf(samples.oneLineSbatch);
  assert.deepEqual(job, {
    name: "my-job",
    nodes: 4,
    gpus: "A100:8",
    max_time: "90m",
    after: "4711",
    run: "./solver input.dat",
  });
  assert.match(left, /--exclusive: gpus: all/);
  assert.match(left, /--ntasks=32: run: torchrun --nproc-per-node 8/);
});

test("a SkyPilot task is a job with its accelerators and nodes", () => {
  const { kind, job, left } = jobOf(samples.skyPilot);
  assert.equal(kind, "a SkyPilot task");
  assert.deepEqual(job, {
    name: "llama-ft",
    nodes: 2,
    gpus: ["A100:8", "H100:8"],
    cpus: 32,
    memory: "256GiB",
    preemptible: true,
    workdir: ".",
    env: { MODEL: "llama-3-8b" },
    setup: "pip install -r requirements.txt\n",
    run: "torchrun --nnodes $SKYPILOT_NUM_NODES train.py --model $MODEL\n",
  });
  assert.match(left, /file_mounts: mounts/);
});

test("a dstack task is a job with its GPUs, sizes and environment", () => {
  const { kind, job, left } = jobOf(samples.dstack);
  assert.equal(kind, "a dstack task");
  assert.deepEqual(job, {
    name: "train-distrib",
    nodes: 2,
    gpus: "H100:8",
    gpu_memory: "80GB",
    cpus: 16,
    memory: "64GB",
    shm: "24GB",
    max_time: "2h",
    preemptible: true,
    env: { NCCL_DEBUG: "INFO" },
    run: "pip install -r requirements.txt\ntorchrun --nproc-per-node=$DSTACK_GPUS_PER_NODE train.py",
  });
  assert.match(left, /\$DSTACK_GPUS_PER_NODE: it is \$TESS_GPUS here/);
});

test("Kubernetes Jobs, JobSets and Pods are jobs with the GPUs of their container", () => {
  const job = jobOf(samples.kubernetesJob);
  assert.equal(job.kind, "a Kubernetes Job");
  assert.deepEqual(job.job, {
    name: "trainer",
    project: "vision",
    nodes: 2,
    gpus: "H100:8",
    cpus: 32,
    memory: "256GiB",
    max_time: "7200s",
    retry: 3,
    env: { NCCL_DEBUG: "WARN" },
    secrets: ["HF_TOKEN"],
    run: "torchrun --nproc-per-node 8 train.py",
  });
  assert.match(job.left, /image nvcr\.io\/nvidia\/pytorch:25\.01-py3/);
  assert.deepEqual(jobOf(samples.kubernetesJobSet).job, {
    name: "pretrain",
    nodes: 4,
    gpus: 8,
    cpus: 1.5,
    run: "python train.py --config 'big model.yaml'",
  });
  assert.deepEqual(jobOf(samples.kubernetesPod).job, { name: "cuda-test", gpus: 1, run: "nvidia-smi" });
});

test("a docker compose file is a job for its first service", () => {
  const { kind, job, left } = jobOf(samples.compose);
  assert.equal(kind, "a docker compose file");
  assert.deepEqual(job, {
    name: "trainer",
    gpus: 2,
    shm: "8GiB",
    workdir: "/workspace",
    env: { NCCL_DEBUG: "WARN" },
    run: "python train.py --epochs 3",
  });
  assert.match(left, /tensorboard: each service is a job of its own/);
});

test("what is suggested has the shape of a job file", () => {
  for (const text of Object.values(samples)) assert.ok(Check(JobSpecBody, jobOf(text).job), text);
});

test("a job of ours is not taken for another's, even with a field from elsewhere", () => {
  const ours = [
    "run: nvidia-smi",
    "{run: x, gpus: 1, resources: {cpus: 2}}",
    "{run: x, nodes: 2, num_nodes: 2}",
    "{type: service, run: serve}",
    "{name: a, type: train, run: x, env: {A: b}}",
    "just text",
  ];
  for (const text of ours) assert.equal(recogniseText(text) ?? recogniseDocument(parse(text)), undefined, text);
});

test("tess run shows the job that a foreign file would be, and ends with 65", async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "train.sbatch"), samples.sbatch);
  writeFileSync(join(cwd, "jobset.yaml"), samples.kubernetesJobSet);
  const { code, err } = await runTess(["sbatch", "train.sbatch"], { cwd });
  assert.equal(code, 65);
  assert.match(err, /^tess: train\.sbatch is an sbatch script \(Slurm\), not a job file of Tessera\n/);
  assert.match(err, /^ {4}gpus: H100:8 +# #SBATCH --gpus-per-node=h100:8$/m);
  assert.match(err, /^ {4}run: \|- +# the script.*\n {6}source ~\/venv/m);
  const set = await runTess(["run", "jobset.yaml", "-o", "json"], { cwd });
  const { error } = JSON.parse(set.err);
  assert.equal(error.code, "foreign-file");
  assert.equal(error.job.nodes, 4, "the ConfigMap before it is not what is shown");
});

test("a script is told how to be run", async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, "train.py"), "import os\nprint(os.environ)\n");
  writeFileSync(join(cwd, "go.sh"), "#!/bin/sh\necho hello\n");
  assert.match((await runTess(["run", "train.py"], { cwd })).err, /tess run -- python3 train\.py runs it/);
  assert.match((await runTess(["run", "go.sh"], { cwd })).err, /tess run -- sh go\.sh runs it/);
  mkdirSync(join(cwd, "empty"));
  assert.match((await runTess(["run", "empty"], { cwd })).err, /empty is a folder, not a file/);
});
