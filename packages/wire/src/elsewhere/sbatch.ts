import { Draft, type ForeignFile, gpusOf, modelOf, nameOf } from "./foreign.ts";
import { durationOfSlurm } from "./slurm-time.ts";

const shortOptions: Readonly<Record<string, string>> = {
  "-N": "--nodes",
  "-n": "--ntasks",
  "-G": "--gpus",
  "-J": "--job-name",
  "-t": "--time",
  "-c": "--cpus-per-task",
  "-p": "--partition",
  "-A": "--account",
  "-o": "--output",
  "-e": "--error",
  "-a": "--array",
  "-D": "--chdir",
  "-d": "--dependency",
  "-C": "--constraint",
  "-q": "--qos",
  "-w": "--nodelist",
};

/** Whether a text is a script with directives for sbatch. */
export function isSbatch(text: string): boolean {
  return /^#SBATCH\s/m.test(text) || (text.startsWith("#!") && /^\s*srun\s/m.test(text));
}

export function readSbatch(text: string): ForeignFile {
  const draft = new Draft("an sbatch script (Slurm)");
  const given = directivesOf(text);
  const nodes = countOf(given.get("--nodes"));
  if (nodes !== undefined && nodes > 1) draft.put("nodes", nodes, from(given, "--nodes"));
  putGpus(draft, given, nodes ?? 1);
  putTasks(draft, given, nodes);
  draft.put("name", nameOf(given.get("--job-name")), from(given, "--job-name"));
  draft.put("project", given.get("--account"), from(given, "--account"));
  draft.put("cpus", countOf(given.get("--cpus-per-task")), from(given, "--cpus-per-task"));
  draft.put("memory", sizeOf(given.get("--mem")), from(given, "--mem"));
  draft.put("max_time", timeOf(given.get("--time")), from(given, "--time"));
  draft.put("array", arrayOf(given.get("--array")), from(given, "--array"));
  draft.put("workdir", given.get("--chdir"), from(given, "--chdir"));
  putAfter(draft, given);
  putSignal(draft, given);
  if (given.has("--requeue")) draft.put("retry", 1, "#SBATCH --requeue");
  for (const [option, instead] of withoutField) {
    if (given.has(option)) draft.leave(from(given, option), instead);
  }
  const { run, modules } = bodyOf(text);
  if (modules.length > 0) draft.leave(modules.join(", "), "there are no modules here: use setup, or a venv");
  draft.put("run", run, "the script; srun is not needed, each node starts it");
  return draft.done();
}

const withoutField: readonly (readonly [string, string])[] = [
  ["--partition", "not needed, GPUs are named by model"],
  ["--qos", "priority: low, normal or high"],
  ["--output", "not needed, tess logs JOB shows the output"],
  ["--error", "not needed, tess logs JOB shows the output"],
  ["--constraint", "gpus: MODEL:COUNT, or gpu_memory"],
  ["--nodelist", "not needed, nodes are chosen"],
  ["--mail-type", "tess wait JOB ends when the job does"],
  ["--exclusive", "gpus: all"],
];

/** The options of the directives by their long names; the first one of a kind counts, as with sbatch. */
function directivesOf(text: string): Map<string, string> {
  const given = new Map<string, string>();
  const add = (option: string, value: string) => {
    const long = shortOptions[option] ?? option;
    if (!given.has(long)) given.set(long, value);
  };
  for (const [, line = ""] of text.matchAll(/^#SBATCH\s+(.*)$/gm)) {
    const words = line.replace(/\s#.*$/, "").match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? [];
    for (let index = 0; index < words.length; index += 1) {
      const word = words[index]!.replaceAll(/["']/g, "");
      const [, option, value] = /^(--[\w-]+)=(.*)$/.exec(word) ?? /^(-[A-Za-z])(.+)$/.exec(word) ?? [];
      if (option !== undefined && (!word.startsWith("--") || word.includes("="))) add(option, value ?? "");
      else if (/^-/.test(word)) {
        const next = words[index + 1];
        const takes = next !== undefined && !next.startsWith("-");
        add(word, takes ? next.replaceAll(/["']/g, "") : "");
        if (takes) index += 1;
      }
    }
  }
  return given;
}

function from(given: ReadonlyMap<string, string>, option: string): string {
  const value = given.get(option);
  return value ? `#SBATCH ${option}=${value}` : `#SBATCH ${option}`;
}

function putGpus(draft: Draft, given: ReadonlyMap<string, string>, nodes: number): void {
  for (const option of ["--gpus-per-node", "--gpus-per-task", "--gres", "--gpus"]) {
    const value = given.get(option);
    if (value === undefined) continue;
    const parts = (option === "--gres" ? value.replace(/^gpu:?/, "") : value).split(":").filter((part) => part !== "");
    const count = Number(parts.at(-1) ?? 1);
    const model = parts.length > 1 || Number.isNaN(count) ? modelOf(parts[0]!) : undefined;
    const all = Number.isNaN(count) ? 1 : count;
    const each = option === "--gpus" ? Math.ceil(all / nodes) : all;
    draft.put("gpus", gpusOf(model, each), from(given, option));
    return;
  }
}

/** Slurm starts a task for each GPU; here a member is one process that starts the others. */
function putTasks(draft: Draft, given: ReadonlyMap<string, string>, nodes: number | undefined): void {
  const perNode = countOf(given.get("--ntasks-per-node"));
  const tasks = countOf(given.get("--ntasks"));
  if (perNode !== undefined && perNode > 1)
    draft.leave(from(given, "--ntasks-per-node"), `run: torchrun --nproc-per-node ${perNode} … starts them`);
  else if (tasks !== undefined && tasks > 1 && nodes === undefined)
    draft.put("members", tasks, from(given, "--ntasks"));
  else if (tasks !== undefined && nodes !== undefined && tasks > nodes)
    draft.leave(from(given, "--ntasks"), `run: torchrun --nproc-per-node ${Math.ceil(tasks / nodes)} … starts them`);
}

function putAfter(draft: Draft, given: ReadonlyMap<string, string>): void {
  const [, kind, job] = /^(afterok|afterany):([^:,]+)/.exec(given.get("--dependency") ?? "") ?? [];
  if (job === undefined) return;
  draft.put("after", kind === "afterok" ? job : { job, when: "ended" }, from(given, "--dependency"));
}

/** `B:USR1@120`: this signal, two minutes before the end. */
function putSignal(draft: Draft, given: ReadonlyMap<string, string>): void {
  const [, signal, seconds = "60"] =
    /^(?:[BR]+:)?(?:SIG)?([A-Z0-9]+)(?:@(\d+))?$/.exec(given.get("--signal") ?? "") ?? [];
  if (signal !== undefined)
    draft.put("checkpoint", { signal: `SIG${signal}`, grace: `${seconds}s` }, from(given, "--signal"));
}

function countOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+/.test(text) ? Number.parseInt(text, 10) : undefined;
}

/** In an sbatch script a bare number is minutes. */
function timeOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : /^\d+$/.test(text) ? `${text}m` : durationOfSlurm(text);
}

function sizeOf(text: string | undefined): string | undefined {
  const [, count, unit = "M"] = /^(\d+)([KMGT]?)B?$/i.exec(text ?? "") ?? [];
  return count === undefined || count === "0" ? undefined : `${count}${unit.toUpperCase()}iB`;
}

function arrayOf(text: string | undefined): string | undefined {
  return text !== undefined && /^\d+-\d+(:\d+)?(%\d+)?$/.test(text) ? text : undefined;
}

function bodyOf(text: string): { run: string; modules: readonly string[] } {
  const lines = text.split(/\r?\n/).filter((line) => !/^#!|^#SBATCH/.test(line));
  const modules = lines.filter((line) => /^\s*module\s/.test(line)).map((line) => line.trim());
  const rest = lines.filter((line) => !/^\s*module\s/.test(line)).map(withoutSrun);
  return { run: rest.join("\n").trim(), modules };
}

/** Without `srun` and its options; those of one letter that take a value take the next word along. */
function withoutSrun(line: string): string {
  return line.replace(/^(\s*)srun\s+((-[nNcGtpJAwxoeidD]\s+\S+|-\S+)\s+)*/, "$1");
}
