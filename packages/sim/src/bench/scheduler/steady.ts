import {
  decideBatch,
  type Event,
  type Input,
  isRefusal,
  type Job,
  type JobId,
  type Reason,
  type Refusal,
  reasonFor,
} from "@tessera/core";
import { countPlaced } from "./fill.ts";
import { askForGang, askFromMix } from "./mix.ts";
import { Plant, prepared, started, stopped, succeeded } from "./plant.ts";
import { type Measured, Stopwatch } from "./stopwatch.ts";

/** Arrivals of a batch; as many end, and as many leases get ready and start: 200 inputs in all. */
const arrivals = 50;
const mixedJobs = 20_000;
const fullBatches = 2_000;
const waitingJobs = 10_000;
const hopelessGangs = 100;
const secondsApart = 1;

/** A fleet in which jobs come, start and go. The engine is simulated: placed jobs start with the next batch. */
class Traffic {
  readonly plant: Plant;
  readonly running: Job[] = [];
  /** Time spent on turns, between requests. */
  background = new Stopwatch();
  #placed: Job[] = [];
  #starting: Job[] = [];
  #leaving: Job[] = [];

  constructor(gpus: number, seed: number) {
    this.plant = new Plant(gpus, seed);
  }

  /** The engine's reports about the last batch. */
  engineSays(): Input[] {
    const { plant } = this;
    const placed = this.#placed.splice(0);
    const leaving = this.#leaving.splice(0);
    this.running.push(...this.#starting);
    this.#starting = placed;
    return [
      ...placed.flatMap((job) => [...plant.reports(job, prepared), ...plant.reports(job, started)]),
      ...leaving.flatMap((job) => plant.reports(job, stopped)),
    ];
  }

  /** The end of some job that runs. */
  someEnd(): Input[] {
    const { running, plant } = this;
    for (;;) {
      const at = Math.floor(plant.random() * running.length);
      const job = running[at]!;
      running[at] = running[running.length - 1]!;
      running.pop();
      if (job.state === "running") return plant.reports(job, succeeded);
    }
  }

  arrive(count: number): Input[] {
    return Array.from({ length: count }, () => this.plant.submit(askFromMix(this.plant.random)));
  }

  learn(events: readonly Event[]): void {
    const { jobs, leases } = this.plant.state;
    for (const event of events) {
      if (event.kind === "job-placed") this.#placed.push(jobs.get(event.job)!);
      else if (event.kind === "lease-stopping") {
        const job = jobs.get(leases.get(event.lease)!.job)!;
        if (this.#leaving.at(-1) !== job) this.#leaving.push(job);
      }
    }
  }

  /** Arrivals only, until the fleet is as full as requested, or so full that many jobs wait. */
  fillTo(part: number): void {
    while (this.plant.fill < part && this.plant.state.waiting.size < waitingJobs)
      this.next([...this.engineSays(), ...this.arrive(arrivals * 4)]);
  }

  next(inputs: readonly Input[]): readonly Event[] {
    this.plant.now += secondsApart * 1_000;
    this.tick();
    return this.decide(inputs);
  }

  /** A tick: due timers are a batch of their own, as in the server. */
  tick(): void {
    this.background.time(
      () => this.decide([]),
      () => 1,
    );
  }

  decide(inputs: readonly Input[]): readonly Event[] {
    const events = this.plant.decide(inputs);
    this.learn(events);
    return events;
  }
}

export function mixed(gpus: number, seed: number): Measured {
  const traffic = new Traffic(gpus, seed);
  traffic.fillTo(0.9);
  const watch = new Stopwatch();
  let ends = arrivals;
  for (let jobs = 0; jobs < mixedJobs; jobs += arrivals) {
    const inputs = [...traffic.engineSays(), ...traffic.arrive(arrivals)];
    for (let i = 0; i < ends; i++) inputs.push(...traffic.someEnd());
    ends = countPlaced(watch.time(() => traffic.next(inputs), countPlaced));
  }
  const fill = Math.round(traffic.plant.fill * 100);
  const waiting = traffic.plant.state.waiting.size;
  return watch.measured(
    `sizes and parts of a production trace; a batch is ${arrivals} submissions, as many ends, and the reports that leases are ready and started; ${fill} % full and ${waiting} waiting at the end; the time is that of one job's four inputs`,
  );
}

export function full(gpus: number, seed: number): Measured {
  const traffic = new Traffic(gpus, seed);
  const { plant } = traffic;
  traffic.fillTo(1);
  // Until fair shares are reached and no job is evicted any more.
  plant.now += 600_000;
  for (let quiet = 0; quiet < 3; quiet++) {
    const inputs = traffic.engineSays();
    if (inputs.length > 0) quiet = 0;
    traffic.next(inputs);
  }
  const watch = new Stopwatch();
  traffic.background = new Stopwatch();
  let decided = 0;
  for (let i = 0; i < fullBatches; i++) {
    plant.now += secondsApart * 1_000;
    traffic.tick();
    traffic.decide(traffic.engineSays());
    const inputs = i % 2 === 0 ? traffic.someEnd() : traffic.arrive(1);
    const events = watch.time(
      () => traffic.decide(inputs),
      () => 1,
    );
    decided += countPlaced(events);
  }
  const background = traffic.background.measured("");
  return watch.measured(
    `the fleet full of the mix, ${plant.state.waiting.size} waiting; one job ends or one arrives, each a batch of its own: the time until it is decided; ${decided} started. Between them, once a second, waiting jobs take turns to claim, ${background.p50us} us at the median and ${background.maxMs} ms at most`,
  );
}

/** A gang larger than the fleet, and one that would fit an empty fleet but finds no room and may evict no job. */
export function hopeless(gpus: number, seed: number): Measured {
  const traffic = new Traffic(gpus, seed);
  const { plant } = traffic;
  traffic.fillTo(0.9);
  traffic.next(traffic.engineSays());
  const watch = new Stopwatch();
  for (let i = 0; i < hopelessGangs; i++) {
    const nodes = Math.floor(i % 2 === 0 ? gpus / 8 + 1 : gpus / 16);
    const input = plant.submit({ ...askForGang(plant.random), nodes });
    watch.time(
      () => tellHopeless(plant, input),
      () => 1,
    );
  }
  return watch.measured(
    `${hopelessGangs} gangs, in turn larger than the fleet and half of it, on a fleet 90 % full of the mix: the time until refused, or until decided and the reason given`,
  );
}

function tellHopeless(plant: Plant, input: Input): Reason | Refusal {
  const { state, memory, now } = plant;
  const { decisions } = decideBatch(state, [input], now, { memory });
  if (isRefusal(decisions[0])) return decisions[0];
  const job = state.jobById.get(decisions[0]!.result as JobId)!;
  if (job.state !== "waiting" || job.claim !== undefined) throw new Error("the hopeless gang was given room");
  return reasonFor(state, job, now);
}
