import type { Input, Job } from "@tessera/core";
import { countPlaced } from "./fill.ts";
import { askForBurst, askForGang, askForOne } from "./mix.ts";
import { Plant, prepared, started, stopped, teams } from "./plant.ts";
import { Lap, type Measured, Stopwatch } from "./stopwatch.ts";

const ownerGangs = 100;
const minutesRun = 30;

/** A fleet full of burst work that has run for half an hour. The first teams are the owners. */
function borrowedFleet(gpus: number, seed: number, owners: { tenants: number; part: number }): Plant {
  const plant = new Plant(gpus, seed, owners);
  const borrowers = teams - owners.tenants * (teams / 30);
  const borrower = () => teams - 1 - Math.floor(plant.random() * borrowers);
  const jobs: Job[] = [];
  while (plant.fill < 1) {
    plant.now += 1_000;
    const inputs: Input[] = jobs
      .splice(0)
      .flatMap((job) => [...plant.reports(job, prepared), ...plant.reports(job, started)]);
    const ask = plant.fill < 0.995 ? askForBurst : askForOne;
    for (let i = 0; i < 200; i++) inputs.push(plant.submit(ask(plant.random), borrower()));
    for (const event of plant.decide(inputs))
      if (event.kind === "job-placed") jobs.push(plant.state.jobs.get(event.job)!);
  }
  plant.decide(jobs.flatMap((job) => [...plant.reports(job, prepared), ...plant.reports(job, started)]));
  plant.now += minutesRun * 60_000;
  return plant;
}

/** One owner with a guarantee of as much as its gangs need. */
export function reclaim(gpus: number, seed: number): Measured {
  const count = Math.min(ownerGangs, Math.floor((gpus * 0.5) / 64));
  const plant = borrowedFleet(gpus, seed, { tenants: 1, part: 0.7 });
  const inputs = Array.from({ length: count }, () => plant.submit(askForGang(plant.random), 0));
  const watch = new Stopwatch();
  let victims = 0;
  const events = watch.time(
    () => plant.decide(inputs),
    () => count,
  );
  for (const event of events) if (event.kind === "job-claimed") victims += event.victims.length;
  if (plant.state.claimants.size !== count)
    throw new Error(`${plant.state.claimants.size} of ${count} gangs have a plan`);
  return watch.measured(
    `fleet full of burst work of several sizes; an owner submits ${count} gangs of 64 GPUs in one batch: until all seats are held and all ${victims} victims are signalled to stop`,
  );
}

/** Half of the fleet goes back: the owners' jobs arrive, the borrowers' leave, and the owners' start. */
export function reclaimHalf(gpus: number, seed: number): Measured {
  const count = gpus / 2;
  const plant = borrowedFleet(gpus, seed, { tenants: 15, part: 0.55 });
  const submits = Array.from({ length: count }, (_, i) => plant.submit(askForOne(plant.random), i % (teams / 2)));
  const watch = new Stopwatch();
  const lap = new Lap();
  const leaving: Input[] = [];
  for (let from = 0; from < count; from += 1_000) {
    for (const event of plant.decide(submits.slice(from, from + 1_000)))
      if (event.kind === "lease-stopping") leaving.push(plant.report(event.lease, stopped));
  }
  const plannedMs = lap.ms();
  let placed = 0;
  for (let from = 0; from < leaving.length; from += 1_000)
    placed += countPlaced(plant.decide(leaving.slice(from, from + 1_000)));
  watch.add(lap, count);
  return watch.measured(
    `${count} one-GPU jobs of 150 owners take back half of a fleet full of burst work, 1,000 inputs a batch: all planned after ${Math.round(plannedMs)} ms, ${leaving.length} leases out and ${placed} jobs in after the engine's reports, which is the time given`,
  );
}
