import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openServer, until } from "../places/server.js";

const here = { name: "here", root: true, command: (words) => words };
const load = new URL("./python/load.py", import.meta.url).pathname;

/** What jobs need and a job's own environment does not have: where the driver's library and PyTorch are. */
const jobEnv = Object.fromEntries(
  ["LD_LIBRARY_PATH", "PATH"].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
);

/** By their trust group. What passes between tenants of none is scrubbed. */
const tenants = { ada: undefined, ben: "lab", cyd: undefined };

/** A real server on the GPU of this machine, with a pool that is cut as jobs need it, and trusted tenants that share no group: each hand-over is scrubbed. */
export async function openLab(say) {
  const server = await openServer({ place: here, args: [], name: "prove-gpu" });
  copyFileSync(load, join(server.work, "load.py"));
  const python = execFileSync("sh", ["-c", "command -v python3"], { encoding: "utf8" }).trim();
  const lab = { server, say, python, ...asker(server, python) };
  await lab.must("POST", "/v1/pools", { name: "all", labels: { engine: "local" }, mode: "any" });
  for (const [path, trustGroup] of Object.entries(tenants)) {
    await lab.must("POST", "/v1/accounts", { path, trust: "trusted", ...(trustGroup && { trustGroup }) });
  }
  return lab;
}

function asker(server, python) {
  const must = async (method, path, body) => {
    const { status, json, text } = await server.api(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 400)}`);
    return json;
  };
  const job = async (id) => must("GET", `/v1/jobs/${id}`);
  const lines = async (id) => {
    const { text } = await server.api("GET", `/v1/jobs/${id}/logs`);
    const entries = text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line).text ?? "");
    return entries.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
  };
  let count = 0;
  return {
    must,
    job,
    /** Whether the engine shares GPUs in this way. */
    async offers(isolation) {
      const ask = { project: "ben", name: "ask", gpus: 0.5, run: "true", isolation };
      return (await server.api("POST", "/v1/jobs/dry-run", ask)).status < 300;
    },
    /** What the program of a job printed so far. */
    lines,
    /** Submits a job that runs the load program, for a tenant. */
    async submit(project, gpus, words, more = {}) {
      const run = `exec ${python} ${server.work}/load.py ${words.join(" ")}`;
      const name = `${words[0]}-${++count}`;
      const body = { project, name, gpus, run, env: jobEnv, max_time: "10m", ...more };
      return (await must("POST", "/v1/jobs", body)).id;
    },
    /** Waits until a job has printed something for which `pick` has an answer. */
    async said(id, what, pick, msMax = 90_000) {
      return until(`${what}: ${id}`, msMax, async () => {
        const found = (await lines(id)).map(pick).find((each) => each !== undefined && each !== false);
        if (found !== undefined) return found;
        const { state, outcome, detail } = await job(id);
        if (state === "ended") {
          const late = (await lines(id)).map(pick).find((each) => each !== undefined && each !== false);
          if (late !== undefined) return late;
          const { text } = await server.api("GET", `/v1/jobs/${id}/logs`);
          throw new Error(`${what}: ${id} ${outcome}: ${detail} ${text.slice(-800)}`);
        }
        await sleep(150);
        return undefined;
      });
    },
    /** Waits until a job is in one of these states. */
    async reaches(id, states, msMax = 60_000) {
      const look = async () => {
        const found = await job(id);
        return states.includes(found.state) && found;
      };
      return until(`${id} is ${states.join(" or ")}`, msMax, look).catch(async (error) => {
        const { state, detail, reason, attempts } = await job(id);
        throw new Error(`${error.message}; it is ${JSON.stringify({ state, detail, reason, attempts })}`);
      });
    },
    /** Waits until an attempt of a job has ended. */
    async hasAttempt(id) {
      const look = async () => {
        const found = await job(id);
        return (found.attempts ?? []).length > 0 && found;
      };
      return until(`an attempt of ${id} has ended`, 60_000, look);
    },
    /** Ends jobs and waits until they are gone. */
    async end(...ids) {
      for (const id of ids) await server.api("POST", `/v1/jobs/${id}/cancel`, {});
      for (const id of ids) await this.reaches(id, ["ended"], 60_000);
    },
    /** Runs the load program inside a running job. */
    async inside(id, ...words) {
      const out = await server.tess("exec", id, "--", python, `${server.work}/load.py`, ...words);
      return out
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line));
    },
    /** What the engine reported of a lease that lives: kind and words, by the clock of this machine. */
    reports(lease) {
      const text = readFileSync(join(server.data, "engine", "leases", lease, "reports.ndjson"), "utf8");
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    },
  };
}

export async function smi(...words) {
  try {
    const { stdout } = await promisify(execFile)(process.env.TESSERA_NVIDIA_SMI ?? "nvidia-smi", words);
    return { code: 0, text: stdout };
  } catch (error) {
    return { code: error.code, text: `${error.stdout ?? ""}${error.stderr ?? ""}` };
  }
}

/** Nothing cut, MIG off, no process on the GPU, whatever happened before. */
export async function makeWhole() {
  for (let round = 0; round < 20; round++) {
    await smi("mig", "-dci");
    await smi("mig", "-dgi");
    const { text } = await smi("-i", "0", "-mig", "0");
    const mode = await smi("--query-gpu=mig.mode.current", "--format=csv,noheader", "-i", "0");
    if (mode.text.trim() === "Disabled") break;
    if (!text.includes("In use")) break;
    await sleep(500);
  }
  const mode = (await smi("--query-gpu=mig.mode.current", "--format=csv,noheader", "-i", "0")).text.trim();
  const apps = (await smi("--query-compute-apps=pid,used_memory,process_name", "--format=csv,noheader")).text.trim();
  const instances = (await smi("-L")).text.split("\n").filter((line) => /^\s+MIG /.test(line)).length;
  return { mode, instances, processes: apps === "" ? 0 : apps.split("\n").length };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export const round = (value, digits = 3) => Number(value.toFixed(digits));

/** A step that cannot be tried here: it counts neither as passed nor as failed. */
export class NotRun extends Error {}
