import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type AccountId,
  type Command,
  type Event,
  isRefusal,
  type JobId,
  type OperationId,
  parseJob,
  plainTerms,
  type RawJob,
  type UserId,
  unitsPerGpu,
} from "@tessera/core";
import { declareNodes, SimulatedClock, SimulatedEngine, SimulatedFleet } from "@tessera/engine-simulated";
import { eventsOf, MemoryPlace, openMemoryStore, recover } from "@tessera/server";
import { VirtualControlPlane } from "../virtual/control-plane.ts";
import { Life, mortalEngine, mortalStore } from "../virtual/mortal.ts";

const startAt = 1_000_000;
const user = "usr_1" as UserId;

/** Two jobs borrow all eight GPUs; one leaves at once when it is signalled, one only when its grace period is over. */
const borrowed: Readonly<Record<string, RawJob>> = {
  job_quick: { run: "sleep 10m", gpus: 4 },
  job_deaf: { run: "trap '' TERM; sleep 10m", gpus: 4, checkpoint: { grace: "20s" } },
};
/** A gang of the owner, which needs all eight GPUs. */
const claimant: RawJob = { run: "sleep 60", members: 2, gpus: 4 };

/** A control plane that dies and is started again, on machines that live on. */
class Story {
  readonly #clock = new SimulatedClock(startAt);
  readonly #place = new MemoryPlace();
  readonly fleet = new SimulatedFleet({
    clock: this.#clock,
    nodes: declareNodes({ count: 1, gpusEach: 8, model: "H100" }),
  });
  /** How often each life touched the world since the owner came back. */
  readonly passes: number[] = [];
  readonly #lives: number[];
  readonly #awayMs: number;
  readonly #asked: { readonly atMs: number; readonly command: Command }[] = [];
  readonly #answered = new Set<Command>();
  #operations = 0;

  /** `lives`: at which of its moments each control plane dies; the one after them lives for ever. */
  constructor(lives: readonly number[], awayMs: number) {
    this.#lives = [...lives];
    this.#awayMs = awayMs;
    const owned = { ...plainTerms, quota: { guarantee: { "*": 8 * unitsPerGpu }, weight: 1 } };
    this.#at(0, { kind: "account.create", id: "acc_1" as AccountId, path: "owner", terms: owned });
    this.#at(0, { kind: "account.create", id: "acc_2" as AccountId, path: "borrower", terms: plainTerms });
    for (const [id, raw] of Object.entries(borrowed)) this.#at(1_000, submit(id, "borrower", raw));
    this.#at(10_000, submit("job_owner", "owner", claimant));
  }

  /** Runs the story to its end; returns every event of the journal. */
  async tell(): Promise<Event[]> {
    while (await this.#liveOnce()) {
      this.#place.dropHolder();
      this.#clock.advanceTo(this.#clock.now() + this.#awayMs);
    }
    return this.#place.rows.flatMap((row) => eventsOf(row.events));
  }

  #at(atMs: number, command: Command): void {
    this.#asked.push({ atMs, command });
  }

  /** True when it died before the end. */
  async #liveOnce(): Promise<boolean> {
    const life = new Life(this.#lives.shift() ?? Number.POSITIVE_INFINITY);
    const store = openMemoryStore(this.#place);
    const control = new VirtualControlPlane(this.#clock, mortalStore(store, life), await recover(store));
    await Promise.race([this.#act(control, life), life.over]);
    control.die();
    this.passes.push(life.passes);
    return life.isOver;
  }

  async #act(control: VirtualControlPlane, life: Life): Promise<void> {
    if (this.passes.length > 0) life.becomeMortal();
    const driving = control.drive(mortalEngine(new SimulatedEngine(this.fleet), life));
    void control.ask({ kind: "node.register", nodes: this.fleet.nodes() });
    assert.ok(await control.advanceTo(this.#clock.now() + 1));
    assert.ok(await control.settle());
    await driving;
    for (const { atMs, command } of this.#asked) {
      if (this.#answered.has(command)) continue;
      if (this.#clock.now() < startAt + atMs) assert.ok(await control.advanceTo(startAt + atMs));
      if (command === this.#asked.at(-1)!.command) life.becomeMortal();
      void control
        .put({
          ...{ kind: "command", v: 1, op: `op_story_${this.#operations++}` as OperationId },
          ...{ actor: { user }, request: "story", command },
          idempotency: { key: `${command.kind}-${"id" in command ? command.id : ""}`, bodyHash: "0".repeat(64) },
        })
        .then((answer) => {
          assert.ok(!isRefusal(answer), JSON.stringify(answer));
          this.#answered.add(command);
        });
      assert.ok(await control.settle());
    }
    assert.ok(await control.advanceTo(startAt + 3_600_000));
  }
}

function submit(id: string, account: string, raw: RawJob): Command {
  const spec = parseJob(raw, { after: [] });
  assert.ok(!isRefusal(spec));
  return { kind: "job.submit", id: id as JobId, account, user, spec, endedBefore: [] };
}

/** What must hold however often and wherever the control plane died. */
function judge(events: readonly Event[], { ran }: SimulatedFleet): void {
  const numbers = new Map(events.flatMap((each) => (each.kind === "job-submitted" ? [[each.id, each.job]] : [])));
  for (const [id, raw] of Object.entries({ ...borrowed, job_owner: claimant })) {
    const no = numbers.get(id as JobId);
    const ends = events.filter((each) => each.kind === "job-ended" && each.job === no);
    assert.deepEqual(
      ends.map((each) => each.kind === "job-ended" && each.outcome),
      ["succeeded"],
      `${id} ends once`,
    );
    const again = events.flatMap((each) => (each.kind === "job-requeued" && each.job === no ? [each.cause] : []));
    assert.deepEqual(again, raw === claimant ? [] : ["preempted"], `${id} is requeued as often as it was taken [S20]`);
  }
  const leases = ran.map((each) => each.lease);
  assert.equal(new Set(leases).size, leases.length, "a member is started once [S16]");
  assert.deepEqual(leases.toSorted(), [
    "job_deaf-1-0",
    "job_deaf-2-0",
    "job_owner-1-0",
    "job_owner-1-1",
    "job_quick-1-0",
    "job_quick-2-0",
  ]);
  for (const one of ran) {
    for (const other of ran) {
      const shares = one !== other && one.gpuUuids.some((gpu) => other.gpuUuids.includes(gpu));
      assert.ok(!shares || one.to! <= other.from || other.to! <= one.from, `${one.lease} and ${other.lease} [S1]`);
    }
  }
}

async function tellAndJudge(lives: readonly number[], awayMs: number): Promise<Story> {
  const story = new Story(lives, awayMs);
  try {
    judge(await story.tell(), story.fleet);
  } catch (error) {
    throw new Error(`died at ${lives.join(", ")}, away for ${awayMs} ms`, { cause: error });
  }
  return story;
}

describe("[T7] a reclaim", () => {
  it("ends alike wherever the control plane dies in it, for a moment or until the grace is over", async () => {
    const moments = (await tellAndJudge([], 0)).passes[0]!;
    assert.ok(moments > 40, `${moments} moments`);
    for (const awayMs of [0, 5_000, 60_000]) {
      for (let moment = 1; moment <= moments; moment++) await tellAndJudge([moment], awayMs);
    }
  });

  it("ends alike when the control plane dies again while it takes over", async () => {
    const moments = (await tellAndJudge([], 0)).passes[0]!;
    for (let moment = 1; moment <= moments; moment++) {
      for (const again of [1, 2, 3, 5, 8]) await tellAndJudge([moment, again], 1_000);
    }
  });
});
