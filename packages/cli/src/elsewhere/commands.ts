import { commandNamed } from "../commands/index.ts";
import { usageFailure } from "../failure.ts";
import { operandsOf } from "../grammar.ts";
import { nounNamed } from "../nouns/index.ts";

/** Commands of Slurm, SkyPilot, kubectl, docker and dstack that there are here under another name. */
const sameHere: Readonly<Record<string, readonly string[]>> = {
  submit: ["run", "--detach"],
  sbatch: ["run", "--detach"],
  srun: ["run"],
  salloc: ["shell"],
  squeue: ["ps", "--all-projects"],
  list: ["ps"],
  ls: ["ps"],
  sacct: ["ps", "--all"],
  history: ["ps", "--all"],
  inspect: ["describe"],
  show: ["describe"],
  info: ["describe"],
  kill: ["cancel"],
  scancel: ["cancel"],
  rm: ["cancel"],
  sinfo: ["node", "get"],
  restart: ["requeue"],
  resubmit: ["rerun"],
  pause: ["suspend"],
  sattach: ["attach"],
};

/** What to say where nothing here does quite the same. */
const hints: Readonly<Record<string, string>> = {
  htop: "use tess top to see what GPUs do, or tess ps -w to watch jobs",
  gpustat: "use tess gpus",
  "nvidia-smi": "use tess gpus; inside a job: tess run --gpus 1 -- nvidia-smi",
  retry: "use tess rerun JOB; tess run --retry 2 tries again by itself",
  start: "use tess run to start a job; npm start or tess server starts the control plane",
  up: "use npm start or tess server for the control plane, tess node up NODE for a node",
  down: "use tess cancel JOB for a job, tess node down NODE for a node",
  scontrol: "use tess describe job NAME, tess hold, tess release, or tess node drain",
  sacctmgr: "use tess account, tess user and tess role",
  sshare: "use tess quota",
  sprio: "use tess explain JOB",
  seff: "use tess describe job NAME, or tess usage --by job",
  offer: "use tess gpus, or tess estimate JOB.yaml",
  check: "use tess run JOB.yaml --dry-run",
  validate: "use tess run JOB.yaml --dry-run",
  partition: "there are no partitions here: name the GPUs with --gpus MODEL:COUNT and the project with -p",
  cluster: "a cluster is a context here: tess config get-contexts",
  auth: "use tess login",
};

/** What is said about a command that does not exist; undefined where nothing is known about the word. */
export function hintForCommand(word: string): string | undefined {
  const singular = word.replace(/s$/, "");
  return Object.hasOwn(hints, word) ? hints[word] : Object.hasOwn(hints, singular) ? hints[singular] : undefined;
}

/** Replaces a command of another program by the one that does it here. Real commands are left as they are. */
export function translateCommand(args: readonly string[]): readonly string[] {
  const [first, second] = operandsOf(args);
  const word = first === undefined ? undefined : args[first];
  if (first === undefined || word === undefined) return args;
  if (commandNamed(word) !== undefined) return withoutJob(args, word, first, second);
  const signal = word === "kill" ? args.find((arg) => /^-(\d+|(SIG)?(KILL|TERM|INT|HUP))$/.test(arg)) : undefined;
  if (signal !== undefined)
    throw usageFailure(
      `a job cannot be sent ${signal}`,
      "tess cancel JOB asks it to end, and kills it after its grace",
    );
  if (word === "status") return args.toSpliced(first, 1, second === undefined ? "ps" : "describe");
  const here = Object.hasOwn(sameHere, word) ? sameHere[word] : undefined;
  if (here !== undefined) return args.toSpliced(first, 1, ...here);
  const other = otherNumber(word);
  return other === undefined ? args : args.with(first, other);
}

/** `tess job cancel X` is `tess cancel X`. */
function withoutJob(args: readonly string[], word: string, first: number, second: number | undefined) {
  if (nounNamed(word) !== "job" || second === undefined) return args;
  const rest = args.toSpliced(first, 1);
  const inner = translateCommand(rest);
  const [verb] = operandsOf(inner);
  const entry = verb === undefined ? undefined : commandNamed(inner[verb]!);
  return entry?.group === "Jobs:" && entry.name !== "job" ? inner : args;
}

/** `prices` for `price`, `log` for `logs`. */
function otherNumber(word: string): string | undefined {
  const others = [`${word}s`, word.replace(/s$/, ""), word.replace(/ies$/, "y")];
  return others.find((each) => each !== word && commandNamed(each) !== undefined);
}

/** Commands that end or remove something. */
const destructive = new Set(
  "cancel stop kill rm scancel delete erase revoke drain down unbind disable suspend requeue".split(" "),
);

/**
 * Whether a command may be suggested for a word that was mistyped. One that destroys is only suggested for a slip in a
 * longer word (`cancle`): `top` is not `stop`.
 */
export function maySuggest(typed: string, name: string): boolean {
  return !destructive.has(name) || (typed.length >= 5 && name.length >= 5);
}
