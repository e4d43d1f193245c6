import { durationOfSlurm } from "@tessera/wire/slurm-time";
import { usageFailure } from "../failure.ts";

/** An option of another program: what it is called here, and how its value is written here. */
interface Meaning {
  readonly here: string;
  /** The value for our option. Throws where the value means something that ours does not. */
  readonly value?: (text: string, all: readonly string[]) => string;
  /** Takes no value. */
  readonly plain?: true;
}

type Meanings = Readonly<Record<string, Meaning>>;

const time: Meaning = { here: "--max-time", value: timeValue };
const gpus: Meaning = { here: "--gpus", value: (text) => modelAndCount(text) };

/** Options of sbatch, srun, sky launch and docker run on commands that describe a job. */
const ofJobs: Meanings = {
  "-N": { here: "--nodes" },
  "--num-nodes": { here: "--nodes" },
  "--num_nodes": { here: "--nodes" },
  "-n": { here: "--members" },
  "--ntasks": { here: "--members" },
  "-G": { here: "--gpus", value: gpusInAll },
  "--gres": { here: "--gpus", value: gresValue },
  "--gpus-per-node": gpus,
  "--gpus-per-task": gpus,
  "--accelerators": gpus,
  "-J": { here: "--name" },
  "--job-name": { here: "--name" },
  "-t": time,
  "--time": time,
  "--timeout": time,
  "--time-limit": time,
  "--walltime": time,
  "-c": { here: "--cpus" },
  "--cpus-per-task": { here: "--cpus" },
  "--mem": { here: "--memory", value: sizeValue },
  "-A": { here: "--project" },
  "--account": { here: "--project" },
  "-e": { here: "--env", value: envValue },
  "--dependency": { here: "--after", value: dependencyValue },
  "--retries": { here: "--retry" },
  "--max-retries": { here: "--retry" },
  "-D": { here: "--workdir" },
  "--chdir": { here: "--workdir" },
  "--use-spot": { here: "--preemptible", plain: true },
  "--spot": { here: "--preemptible", plain: true },
};

/** Options of squeue on the list of jobs. */
const ofLists: Meanings = {
  "-u": { here: "--user" },
  "-t": { here: "--state", value: stateValue },
  "--states": { here: "--state", value: stateValue },
};

const ofLogs: Meanings = { "-n": { here: "--tail" }, "--lines": { here: "--tail" } };

/** By the options that a command has: `--gpus` is for one that describes a job, `--state` for a list of jobs. */
function meaningsFor(known: ReadonlySet<string>): Meanings {
  if (known.has("--gpus")) return ofJobs;
  if (known.has("--tail")) return ofLogs;
  return known.has("--state") ? ofLists : {};
}

/** Replaces options of other programs by ours; `known` are the command's own, which are left as they are. */
export function translateOptions(args: readonly string[], known: ReadonlySet<string>): readonly string[] {
  const meanings = meaningsFor(known);
  const translated: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index]!;
    const { option, glued } = apart(arg);
    const meaning = known.has(option) || !Object.hasOwn(meanings, option) ? undefined : meanings[option];
    if (meaning === undefined || !known.has(meaning.here)) translated.push(arg);
    else if (meaning.plain) translated.push(meaning.here);
    else {
      const text = glued ?? args[index + 1];
      if (text === undefined) throw usageFailure(`${option} needs a value`, `it is ${meaning.here} here`);
      if (glued === undefined) index += 1;
      translated.push(`${meaning.here}=${meaning.value?.(text, args) ?? text}`);
    }
  }
  return translated;
}

/** `--time=1:00:00`, `-N2`: the option, and the value that is written in the same word. */
function apart(arg: string): { option: string; glued?: string } {
  if (arg.startsWith("--")) {
    const equals = arg.indexOf("=");
    return equals < 0 ? { option: arg } : { option: arg.slice(0, equals), glued: arg.slice(equals + 1) };
  }
  if (!/^-[a-zA-Z]./.test(arg)) return { option: arg };
  return { option: arg.slice(0, 2), glued: arg.slice(2).replace(/^=/, "") };
}

function timeValue(text: string): string {
  if (/^\d+$/.test(text))
    throw usageFailure(`a time needs a unit, got "${text}"`, `write --max-time ${text}m for minutes, or ${text}s`);
  return durationOfSlurm(text) ?? text;
}

/** SkyPilot and Slurm write `h100:8`; models are in capitals here. */
function modelAndCount(text: string): string {
  const [model = "", count] = text.split(":");
  return count === undefined ? text : `${model.toUpperCase()}:${count}`;
}

function gresValue(text: string): string {
  const [kind, ...rest] = text.split(":");
  if (kind !== "gpu")
    throw usageFailure(`--gres ${text} asks for something else than GPUs`, "--gpus MODEL:COUNT asks for GPUs");
  return rest.length === 0 ? "1" : modelAndCount(rest.join(":"));
}

/** Slurm's -G counts the GPUs of the whole job; --gpus counts those of each node. */
function gpusInAll(text: string, all: readonly string[]): string {
  const nodes = Number(givenFor(all, ["-N", "--nodes", "--num-nodes", "-n", "--members"]) ?? 1);
  const count = Number(text.split(":").at(-1));
  if (nodes === 1 || !Number.isInteger(nodes) || !Number.isInteger(count)) return modelAndCount(text);
  if (count % nodes !== 0)
    throw usageFailure(
      `${count} GPUs cannot be shared out over ${nodes} nodes evenly`,
      "--gpus is the number for each node",
    );
  const each = String(count / nodes);
  return text.includes(":") ? modelAndCount(text.replace(/\d+$/, each)) : each;
}

function givenFor(args: readonly string[], options: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const { option, glued } = apart(arg);
    if (options.includes(option)) return glued ?? args[index + 1];
  }
  return undefined;
}

/** Slurm's G is a GiB. */
function sizeValue(text: string): string {
  return /^\d+[KMGT]$/i.test(text) ? `${text.toUpperCase()}iB` : text;
}

function envValue(text: string): string {
  if (/^[A-Za-z_]\w*(=|$)/.test(text)) return text;
  throw usageFailure(
    `-e sets an environment variable, and "${text}" is none`,
    "write -e NAME=value; what a job writes is kept: tess logs JOB",
  );
}

function dependencyValue(text: string): string {
  const [, kind, job] = /^(afterok|afterany|after):([^:,]+)$/.exec(text) ?? [];
  if (kind === "afterok") return job!;
  if (kind === "afterany") return `${job}:ended`;
  throw usageFailure(`--dependency ${text} has no equal here`, "use --after JOB, or --after JOB:ended");
}

const slurmStates: Readonly<Record<string, string>> = {
  pd: "waiting",
  pending: "waiting",
  r: "running",
  cg: "stopping",
  completing: "stopping",
  cf: "starting",
  configuring: "starting",
};

function stateValue(text: string): string {
  const lower = text.toLowerCase();
  return Object.hasOwn(slurmStates, lower) ? slurmStates[lower]! : lower;
}

/** What to say about options that have no equal. */
const hints: Readonly<Record<string, string>> = {
  "--partition": "there are no partitions here: name the GPUs with --gpus MODEL:COUNT and the project with -p",
  "--qos": "there are no QOS here: use --priority low, normal or high",
  "--constraint": "name the GPUs with --gpus MODEL:COUNT, or ask for --gpu-memory",
  "-C": "name the GPUs with --gpus MODEL:COUNT, or ask for --gpu-memory",
  "--ntasks-per-node": "each member is one process: start more with torchrun --nproc-per-node",
  "--nodelist": "nodes are chosen for you; tess node cordon NODE keeps one free",
  "--exclude": "nodes are chosen for you; tess node cordon NODE keeps one free",
  "--exclusive": "ask for all GPUs of a node with --gpus all",
  "--begin": "use --not-before",
  "--signal": "write checkpoint: {signal: USR1, grace: 2m} in a job file",
  "--requeue": "use --retry COUNT; a job that was preempted always waits again",
  "--error": "what a job writes is kept: tess logs JOB",
  "--mail-type": "tess wait JOB ends when the job does, with its exit code",
  "--mail-user": "tess wait JOB ends when the job does, with its exit code",
  "--pty": "use tess shell --gpus 1 for a terminal",
  "-it": "use tess shell --gpus 1 for a terminal",
  "-i": "use tess shell --gpus 1 for a terminal",
  "--rm": "nothing is left behind: leave it out",
  "-v": "write mounts: in a job file",
  "--volume": "write mounts: in a job file",
  "--cloud": "tess gpus shows what there is: leave it out",
  "--region": "tess gpus shows what there is: leave it out",
  "--namespace": "use -p PROJECT",
  "--me": "use --user NAME; tess whoami says yours",
  "--users": "use --user NAME",
  "--force": "tess cancel JOB asks the job to end and kills what is left after its grace",
};

/** What is said about an option that does not exist; undefined where nothing is known about it. */
export function hintForOption(option: string): string | undefined {
  return Object.hasOwn(hints, option) ? hints[option] : undefined;
}

/** Our name for an option of another program, for a command that does not have it. */
export function ourOption(option: string): string | undefined {
  return Object.hasOwn(ofJobs, option) ? ofJobs[option]?.here : undefined;
}
