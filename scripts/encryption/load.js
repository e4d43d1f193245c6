import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { canaries, hidden } from "./stand.js";

/** Work for an installation that goes on whatever happens to its server, and remembers what it was promised. */
export class Load {
  #stand;
  #stopped = false;
  #loops = [];
  #number = 0;
  /** Jobs that were acknowledged, and the secret that each was to see. */
  jobs = [];
  backups = [];
  /** Values of the secret that were acknowledged, the last one last. */
  secrets = [];
  refused = 0;

  constructor(stand) {
    this.#stand = stand;
  }

  async setSecret() {
    const value = `${canaries.secret}-${this.secrets.length}`;
    const done = await this.#stand.tess(["secret", "set", "TOKEN", "--account", "local"], { input: value });
    if (done.code === 0) this.secrets.push(value);
    else this.refused += 1;
  }

  /** A job with code of its own, which uses the secret, writes a log and leaves a result. */
  async submit(lines = 1) {
    const number = this.#number++;
    const project = join(this.#stand.folder, `project-${number}`);
    mkdirSync(project);
    writeFileSync(join(project, "train.py"), `# ${canaries.code} ${number}\n`);
    const write = `for i in $(seq 1 ${lines}); do echo ${hidden(canaries.log)} $i; sleep 0.1; done`;
    const spec = {
      name: `${canaries.name}-${number}`,
      run: `: ${canaries.command}; ${write}; echo "with \${TOKEN#canary-}"; (cat train.py; echo ${hidden(canaries.output)}) > out.txt`,
      env: { GREETING: canaries.environment },
      ...{ gpus: 1, workdir: ".", secrets: ["TOKEN"], outputs: { result: "out.txt" } },
    };
    const file = join(project, "job.yaml");
    writeFileSync(file, JSON.stringify(spec));
    const known = this.secrets.length;
    const done = await this.#stand.tess(["run", file, "--detach", "-o", "name"], { cwd: project });
    rmSync(project, { recursive: true });
    const id = done.out.trim().split("\n").at(-1);
    if (done.code !== 0 || !id.startsWith("job_")) this.refused += 1;
    else this.jobs.push({ id, number, lines, known });
  }

  async backup() {
    const file = join(this.#stand.folder, `backup-${this.backups.length}`);
    await this.#stand.admin(["backup", file]);
    this.backups.push(file);
  }

  async read() {
    const job = this.jobs[Math.floor(Math.random() * this.jobs.length)];
    if (job !== undefined) await this.#stand.tess(["logs", job.id]);
  }

  start(everyMs = { submit: 500, setSecret: 4_000, read: 2_000, backup: 15_000 }) {
    for (const [act, ms] of Object.entries(everyMs)) this.#loops.push(this.#loop(() => this[act](), ms));
  }

  async #loop(act, ms) {
    while (!this.#stopped) {
      await act();
      for (let left = ms; left > 0 && !this.#stopped; left -= 100) await sleep(100);
    }
  }

  async stop() {
    this.#stopped = true;
    await Promise.all(this.#loops);
  }

  /** Waits for all jobs and reads everything that they left; returns what is not as it should be. */
  async faults() {
    const faults = [];
    for (const job of this.jobs) {
      const fault = await this.#faultOf(job);
      if (fault !== undefined) faults.push(`${job.id}: ${fault}`);
    }
    return faults;
  }

  async #faultOf({ id, number, lines, known }) {
    await this.#stand.tess(["wait", id]);
    const log = await this.#stand.tess(["logs", id]);
    const read = log.out.split("\n").filter((line) => line.includes(canaries.log));
    const wanted = Array.from({ length: lines }, (_, i) => `${canaries.log} ${i + 1}`);
    if (wanted.some((line, i) => !read[i]?.endsWith(line)) || read.length !== lines)
      return `${read.length} of ${lines} log lines: ${(log.err || log.out).slice(0, 300)}`;
    const seen = /with (secret-\S+)/.exec(log.out)?.[1];
    if (!this.secrets.slice(known - 1).some((value) => value === `canary-${seen}`)) return `saw the secret ${seen}`;
    const to = join(this.#stand.folder, "copied");
    rmSync(to, { force: true, recursive: true });
    const copied = await this.#stand.tess(["cp", `${id}:out.txt`, to]);
    if (copied.code !== 0) return `no output: ${copied.err.slice(0, 300)}`;
    const output = readFileSync(to, "utf8");
    return output.includes(`${canaries.code} ${number}`) && output.includes(canaries.output)
      ? undefined
      : "another output";
  }
}
