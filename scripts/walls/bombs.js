import { setTimeout as sleep } from "node:timers/promises";

/**
 * What a job can use up, each as one command. They go on until they are stopped: what a limit ends is started again by
 * its own loop, or by another job.
 */
const bombs = {
  memory: "while :; do tail /dev/zero; done",
  cpu: "for i in $(seq 64); do while :; do :; done & done; wait",
  fork: "bash -c 'f() { f | f & }; while :; do f; sleep 0.1; done'",
  disk: "dd if=/dev/zero of=fill bs=1M; sleep 600",
  log: "yes 'a line of a log that somebody forgot to turn off'",
  inodes: `perl -e 'mkdir "d$_" for 0..999; for (my $i = 0; ; $i++) { open(my $f, ">", "d".($i % 1000)."/$i"); }'`,
  files: `perl -e 'for (1..200) { last unless fork } my @open; while (1) { open(my $f, "<", "/dev/null") or select(undef, undef, undef, 0.1); push @open, $f }'`,
  shm: "while :; do dd if=/dev/zero of=/dev/shm/fill bs=1M; rm -f /dev/shm/fill; done",
};

/** As many members as a tenant could have on this fleet, each with a bomb. */
const members = 4;
/** Less than a shared machine has free, and enough to keep a disk busy. */
const scratch = "4GiB";
const callEveryMs = 25;
const settleMs = 2_000;
/** Figures of another tenant's calls may grow by this factor. */
const ratioMax = 2;

/**
 * Lets one tenant throw each bomb while another calls the API, and compares the slowest hundredth of the calls with those
 * of the same server without it.
 */
export async function proveBombs({ openServer, place, say, seconds = 20, only = Object.keys(bombs) }) {
  const server = await openServer({ place, name: "tess-bombs" });
  try {
    for (const tenant of ["calm", "bomber"]) await server.tess("account", "create", tenant);
    await server.tess("account", "edit", "bomber", "--scratch", scratch);
    const calm = await server.person("calm-person", "member", "calm");
    const bomber = await server.person("bomb-thrower", "member", "bomber");
    await callFor(server, calm, settleMs);
    const results = [];
    for (const [name, run] of Object.entries(bombs).filter(([each]) => only.includes(each))) {
      const without = await callFor(server, calm, seconds * 1_000);
      const bomb = new Bomb(server, bomber, name, run);
      await bomb.start();
      const during = await callFor(server, calm, seconds * 1_000);
      const seen = await bomb.end();
      const result = judge(name, without, during, seen);
      say(
        `${result.held ? "held  " : "BROKEN"} bomb ${name.padEnd(6)} p99 ${result.p99Without} ms without, ${result.p99With} ms with (${result.ratio}x), ${during.failed} failed; ${seen}`,
      );
      results.push(result);
      await sleep(settleMs);
    }
    return results;
  } finally {
    await server.close();
  }
}

function judge(name, without, during, seen) {
  const [p99Without, p99With] = [without, during].map(({ latencies }) => percentile(latencies, 0.99));
  const ratio = Math.round((100 * p99With) / p99Without) / 100;
  const held = ratio <= ratioMax && during.failed === 0;
  return { name, p99Without, p99With, ratio, calls: during.latencies.length, failed: during.failed, held, seen };
}

function percentile(latencies, part) {
  const sorted = latencies.toSorted((a, b) => a - b);
  return Math.round(100 * (sorted[Math.ceil(part * sorted.length) - 1] ?? Number.POSITIVE_INFINITY)) / 100;
}

const liveStates = new Set(["waiting", "starting", "running", "stopping"]);

/** Members of one tenant that throw a bomb; those that a limit ends are followed by others. */
class Bomb {
  #server;
  #token;
  #name;
  #run;
  #thrown = 0;
  #stopped = false;
  #loop = Promise.resolve();

  constructor(server, token, name, run) {
    this.#server = server;
    this.#token = token;
    this.#name = name;
    this.#run = run;
  }

  async start() {
    await this.#throw(members);
    this.#loop = this.#again();
    await sleep(settleMs);
  }

  async #throw(count) {
    for (let i = 0; i < count; i += 1) {
      this.#thrown += 1;
      const body = { project: "bomber", name: `${this.#name}-${this.#thrown}`, run: this.#run, gpus: 1 };
      const { status, text } = await this.#server.api("POST", "/v1/jobs", body, this.#token);
      if (status >= 300) throw new Error(`the bomb was not taken: ${text}`);
    }
  }

  async #again() {
    while (!this.#stopped) {
      await sleep(1_000);
      const live = (await this.#live()).length;
      if (!this.#stopped && live < members) await this.#throw(members - live);
    }
  }

  async #live() {
    const { json } = await this.#server.api("GET", "/v1/jobs?project=bomber&limit=100", undefined, this.#token);
    const isOwn = ({ name }) => name.startsWith(`${this.#name}-`);
    return (json?.items ?? []).filter((job) => isOwn(job) && liveStates.has(job.state));
  }

  /** Ends what is left, and says how the first of them ended. */
  async end() {
    this.#stopped = true;
    await this.#loop;
    const left = await this.#live();
    for (const { id } of left) await this.#server.api("POST", `/v1/jobs/${id}/cancel`, {}, this.#token);
    // The next figures must not be those of what this bomb left behind.
    for (let i = 0; i < 600 && (await this.#live()).length > 0; i += 1) await sleep(100);
    return `${this.#thrown} thrown, ${this.#thrown - left.length} ended by a limit`;
  }
}

let calls = 0;

/** Calls as a person at work does: mostly reading, sometimes submitting a job. One after the other, at a steady pace. */
async function callFor(server, token, ms) {
  const latencies = [];
  let failed = 0;
  const until = performance.now() + ms;
  for (let at = performance.now(); at < until; at += callEveryMs) {
    const waitMs = at - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const beganAt = performance.now();
    const { status } = await call(server, token, ++calls).catch(() => ({ status: 0 }));
    latencies.push(performance.now() - beganAt);
    if (status === 0 || status >= 400) failed += 1;
    at = Math.max(at, performance.now() - callEveryMs);
  }
  return { latencies, failed };
}

function call(server, token, number) {
  const kind = number % 10;
  if (kind === 3) {
    const body = { project: "calm", name: `waits-${number}`, run: "true", gpus: 1, not_before: "2099-01-01T00:00:00Z" };
    return server.api("POST", "/v1/jobs", body, token);
  }
  if (kind === 7) return server.api("GET", "/v1/accounts", undefined, token);
  return server.api("GET", "/v1/jobs?limit=50", undefined, token);
}
