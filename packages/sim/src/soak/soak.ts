import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { seededRandom } from "@tessera/engine-simulated";
import { check, type Told, type Verdict } from "./check.ts";
import { Client } from "./client.ts";
import { collect } from "./collect.ts";
import type { History } from "./history.ts";
import { Lenders, lentGpus, lentModel } from "./lenders.ts";
import { type KillPoint, killPoints, phaseOf, planKills, reclaimPoints } from "./plan.ts";
import { type ServerEnd, ServerProcess } from "./server-process.ts";
import { NoAnswer, Target } from "./target.ts";
import { makeTruthFolder, readTruth } from "./truth.ts";

export interface SoakAsk {
  readonly cycles: number;
  readonly seed: number;
  /** The database of a PostgreSQL; without one the embedded store is used. */
  readonly database?: string;
  readonly say: (text: string) => void;
}

export interface SoakReport extends Omit<Verdict, "faults"> {
  readonly cycles: number;
  readonly acknowledged: number;
  readonly killPoints: Readonly<Partial<Record<KillPoint, number>>>;
  readonly ran: number;
  /** Attempts that ended because another job had a right to the seats. */
  readonly taken: number;
  /** How often a server ended by itself because a busy machine did not let it renew its lease, and was started again. */
  readonly steppedDown: number;
  /** `tess admin verify` found nothing wrong. */
  readonly verified: boolean;
  /** A description of each fault. */
  readonly faults: readonly string[];
}

const clients = 6;
const acknowledgedPerCycle = 100;
const virtual = `4x8:H100,1x${lentGpus}:${lentModel}`;
const leaseSeconds = 6;
/** How a server ends that could not renew its lease in time. */
const exitOutage = 69;
const triesMax = 5;
/** Longer than this for anything is a hang. */
const patienceMs = 60_000;
/** A phase that does not come by under load within this time is left for another cycle. */
const phaseMsMax = 15_000;

/** Kills and restarts a real server under load, then compares the records of clients, jobs and server. */
export async function soak(ask: SoakAsk): Promise<SoakReport> {
  const run = new Soak(ask);
  try {
    return await run.all();
  } finally {
    run.clear();
  }
}

class Soak {
  readonly #ask: SoakAsk;
  readonly #random: () => number;
  readonly #data = mkdtempSync(join(tmpdir(), "tessera-soak-"));
  readonly #truth = makeTruthFolder();
  readonly #target = new Target();
  readonly #clients: Client[];
  readonly #lenders: Lenders;
  readonly #servers: ServerProcess[] = [];
  readonly #kills: Partial<Record<KillPoint, number>> = {};
  readonly #faults: string[] = [];
  #steppedDown = 0;

  constructor(ask: SoakAsk) {
    this.#ask = ask;
    this.#random = seededRandom(ask.seed);
    this.#clients = Array.from(
      { length: clients },
      (_, no) => new Client(no, this.#target, seededRandom(ask.seed * 1_000 + no), this.#truth),
    );
    this.#lenders = new Lenders(this.#target, seededRandom(ask.seed * 1_000 + clients), this.#truth);
  }

  async all(): Promise<SoakReport> {
    const { cycles, seed, database, say } = this.#ask;
    const points = killPoints.filter((point) => point !== "paused" || database !== undefined);
    const plan = planKills(cycles, points, seed);
    for (const point of [...points, ...reclaimPoints]) this.#kills[point] = 0;
    let server = await this.#start(plan[0]?.point);
    this.#target.token = readFileSync(join(this.#data, "owner.token"), "utf8").trim();
    for (const each of this.#load) await each.open();
    const work = Promise.all(this.#load.map((each) => each.work()));
    let cycle = 0;
    while (plan.length > 0) {
      const { point, first } = plan.shift()!;
      const began = performance.now();
      if (first) {
        cycle++;
        server = await this.#untilAcknowledged(server, this.#acknowledged + acknowledgedPerCycle, point);
      }
      const fell = await this.#kill(server, point);
      // A phase that did not come by is tried once more at the end.
      if (fell !== point) plan.push({ point, first: false });
      server = await this.#start(plan[0]?.point);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      say(`cycle ${cycle}: killed ${fell} after ${seconds} s; ${plan.length} kills to go`);
    }
    for (const { gate } of this.#load) gate.stop();
    await this.#patiently(work, "clients to come to an end");
    await this.#untilNothingLives(server);
    return this.#judge(server, cycles);
  }

  /** Leaves nothing behind, whatever happened. */
  clear(): void {
    for (const { gate } of this.#load) gate.stop();
    for (const server of this.#servers) {
      if (!server.alive) continue;
      server.signal("SIGKILL");
    }
    this.#target.clear();
    for (const folder of [this.#data, this.#truth]) rmSync(folder, { recursive: true, force: true });
  }

  get #load(): readonly (Client | Lenders)[] {
    return [...this.#clients, this.#lenders];
  }

  get #histories(): readonly History[] {
    return this.#load.flatMap((each) => each.histories);
  }

  get #acknowledged(): number {
    return this.#histories.reduce((sum, history) => sum + history.acknowledged, 0);
  }

  /** Starts a server that will end itself in the phase of `point`, where that is a phase, once it is armed. */
  async #start(point: KillPoint | undefined): Promise<ServerProcess> {
    const phase = point === undefined || point === "adopting" ? undefined : phaseOf[point];
    // A reclaim takes a second or two; the other phases come by many times in one.
    const passesMax = reclaimPoints.some((each) => each === point) ? 2 : 10;
    const at = `${phase}:${1 + this.#below(passesMax)}`;
    const armedBy = join(this.#data, `armed-${this.#servers.length}`);
    for (let tries = 1; ; tries++) {
      const server = this.#spawn(phase === undefined ? undefined : { at, armedBy });
      const url = await this.#patiently(server.url, "the server to be ready");
      if (url !== undefined) {
        this.#target.set(url);
        return server;
      }
      if (!this.#hasSteppedDown(await server.ended) || tries === triesMax) {
        throw new Error(`the server ended before it was ready:\n${server.said.join("\n")}`);
      }
    }
  }

  /** Whether this is how a server ends that lost its lease; that is no fault of its own. */
  #hasSteppedDown({ code }: ServerEnd): boolean {
    const stepped = this.#ask.database !== undefined && code === exitOutage;
    if (stepped) this.#steppedDown++;
    return stepped;
  }

  #spawn(crash?: { at: string; armedBy?: string }): ServerProcess {
    const { database } = this.#ask;
    const server = new ServerProcess({
      data: this.#data,
      virtual,
      ...(database !== undefined && { database, leaseSeconds }),
      ...(crash && { crash }),
    });
    this.#servers.push(server);
    return server;
  }

  async #untilAcknowledged(server: ServerProcess, count: number, point: KillPoint): Promise<ServerProcess> {
    let current = server;
    const reached = async () => {
      while (this.#acknowledged < count) {
        if (!current.alive) {
          this.#target.clear();
          if (!this.#hasSteppedDown(await current.ended)) {
            this.#faults.push(`the server ended by itself:\n${current.said.slice(-10).join("\n")}`);
          }
          current = await this.#start(point);
        }
        await sleep(10);
      }
    };
    await this.#patiently(reached(), `${count - this.#acknowledged} more acknowledged commands`);
    return current;
  }

  /** Ends the server at `point`; returns where it really fell. */
  async #kill(server: ServerProcess, point: KillPoint): Promise<KillPoint> {
    const fell = await this.#killAt(server, point);
    this.#kills[fell] = (this.#kills[fell] ?? 0) + 1;
    return fell;
  }

  async #killAt(server: ServerProcess, point: KillPoint): Promise<KillPoint> {
    switch (point) {
      case "idle":
        for (const { gate } of this.#load) gate.pause();
        await this.#untilNothingRuns(server);
        await this.#killNow(server);
        for (const { gate } of this.#load) gate.resume();
        return point;
      case "anywhere":
        await sleep(this.#random() * 500);
        await this.#killNow(server);
        return point;
      case "adopting":
        await sleep(this.#random() * 500);
        await this.#killNow(server);
        this.#kills.anywhere = (this.#kills.anywhere ?? 0) + 1;
        return (await this.#dieWhileAdopting()) ? point : "anywhere";
      case "paused":
        return this.#pauseBeyondLease(server);
      default:
        return (await this.#dieInPhase(server)) ? point : "anywhere";
    }
  }

  async #killNow(server: ServerProcess): Promise<void> {
    this.#target.clear();
    await server.end("SIGKILL");
  }

  /** Arms the server and waits until it has ended itself; ends it from outside when the phase does not come by. */
  async #dieInPhase(server: ServerProcess): Promise<boolean> {
    server.arm();
    const ended = await Promise.race([server.ended, sleep(phaseMsMax).then(() => undefined)]);
    this.#target.clear();
    if (ended === undefined) {
      await server.end("SIGKILL");
      return false;
    }
    return this.#diedAsPlanned(server, ended);
  }

  async #dieWhileAdopting(): Promise<boolean> {
    const server = this.#spawn({ at: `adopting:${1 + this.#below(3)}` });
    return this.#diedAsPlanned(server, await this.#patiently(server.ended, "the server to die while it adopts"));
  }

  #diedAsPlanned(server: ServerProcess, ended: ServerEnd): boolean {
    if (ended.signal === "SIGKILL") return true;
    if (!this.#hasSteppedDown(ended)) this.#faults.push(`ended with ${ended.code}: ${server.said.at(-1)}`);
    return false;
  }

  /** A server that is paused beyond its lease is replaced, and must step down when it goes on. */
  async #pauseBeyondLease(old: ServerProcess): Promise<KillPoint> {
    const oldUrl = (await old.url)!;
    old.signal("SIGSTOP");
    const server = await this.#start(undefined);
    const late = this.#clients[0]!.prepareSubmission();
    old.signal("SIGCONT");
    // An acknowledgement by the old server would count, so it must not be able to give one.
    await this.#target.askAt(oldUrl, "POST", "/v1/jobs", late.body, late.key).then(
      ({ status, body }) => status === 201 && late.answered.push(body.id),
      (error) => {
        if (!(error instanceof NoAnswer)) throw error;
      },
    );
    const { code, signal } = await this.#patiently(old.ended, "the replaced server to step down");
    if (code === 0 || signal !== null) this.#faults.push(`the replaced server ended with ${code ?? signal}`);
    await this.#clients[0]!.submit(late);
    await this.#killNow(server);
    return "paused";
  }

  /** Nothing is under way in engines: all jobs that are left wait or are held. */
  async #untilNothingRuns(server: ServerProcess): Promise<void> {
    const quiet = async () => {
      for (;;) {
        const { answer } = await this.#target.insist("GET", "/v1/jobs?state=live&limit=1000");
        const jobs = answer.body.items as { state: string; held: boolean; elements?: { active: number } }[];
        const busy = jobs.filter(
          (job) => (job.elements?.active ?? 0) > 0 || (job.state !== "waiting" && !job.elements),
        );
        if (busy.length === 0 && jobs.every((job) => job.held || job.elements !== undefined || waits(job))) return;
        if (!server.alive) return;
        await sleep(50);
      }
    };
    const waits = (job: object) => "reason" in job && (job.reason as { kind: string }).kind !== "order";
    await this.#patiently(quiet(), "nothing to run");
    await sleep(100);
  }

  /** Waits until every job has ended. The checker counts jobs that never do. */
  async #untilNothingLives(server: ServerProcess): Promise<void> {
    for (const giveUpAt = performance.now() + patienceMs; performance.now() < giveUpAt; ) {
      const { answer } = await this.#target.insist("GET", "/v1/jobs?state=live&limit=1000");
      if (answer.body.items.length === 0) return;
      if (!server.alive) throw new Error(`the server ended by itself:\n${server.said.join("\n")}`);
      await sleep(100);
    }
    this.#faults.push("some jobs did not end");
  }

  async #judge(server: ServerProcess, cycles: number): Promise<SoakReport> {
    for (const each of this.#load) await each.repeatAll();
    const acknowledged = this.#acknowledged;
    await this.#untilNothingLives(server);
    const histories = this.#histories;
    const told = await collect(this.#target, histories);
    const ended = await this.#patiently(server.end("SIGTERM"), "the server to close");
    if (ended.code !== 0) this.#faults.push(`the server closed with ${ended.code ?? ended.signal}`);
    const ran = readTruth(this.#truth);
    const { faults, ...verdict } = check(histories, ran, told);
    for (const { surprises } of histories) this.#faults.push(...surprises);
    const verified = await this.#verify();
    return {
      cycles,
      acknowledged,
      killPoints: this.#kills,
      ran: ran.length,
      taken: countTaken(told),
      steppedDown: this.#steppedDown,
      ...verdict,
      verified,
      faults: [...this.#faults, ...faults],
    };
  }

  async #verify(): Promise<boolean> {
    const admin = fileURLToPath(new URL("../../../server/dist/admin.js", import.meta.url));
    const { database } = this.#ask;
    const args = ["verify", "-o", "json", "--data", this.#data];
    if (database !== undefined) args.push("--database", database);
    try {
      await promisify(execFile)(process.execPath, [admin, ...args]);
      return true;
    } catch (error) {
      this.#faults.push(`verify: ${(error as { stdout?: string }).stdout ?? error}`);
      return false;
    }
  }

  async #patiently<Result>(promise: Promise<Result>, forWhat: string): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const impatience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const said = this.#servers.at(-1)?.said.join("\n");
        reject(new Error(`waited ${patienceMs} ms for ${forWhat}; the server said:\n${said}`));
      }, patienceMs);
    });
    try {
      return await Promise.race([promise, impatience]);
    } finally {
      clearTimeout(timer);
    }
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }
}

function countTaken({ jobs }: Told): number {
  const attempts = [...jobs.values()].flatMap((job) => job.attempts ?? []);
  return attempts.filter(({ result }) => result === "preempted").length;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
