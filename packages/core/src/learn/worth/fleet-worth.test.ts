import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unitsPerGpu } from "../../model/units.ts";
import { type Chance, chancesOf } from "./chances.ts";
import { deviceWorth, steps } from "./device-worth.ts";
import { FleetWorth } from "./fleet-worth.ts";
import { WorthLearner } from "./learner.ts";
import { Mix } from "./mix.ts";
import type { ArrivalShape, NodeRoom } from "./shape.ts";

const one: ArrivalShape = { cpusMilli: 8_000, gpus: 1, unitsEach: unitsPerGpu, models: [] };
const eight: ArrivalShape = { cpusMilli: 64_000, gpus: 8, unitsEach: unitsPerGpu, models: [] };
const half: ArrivalShape = { cpusMilli: 4_000, gpus: 1, unitsEach: unitsPerGpu / 2, models: [] };
const noGpu: ArrivalShape = { cpusMilli: 8_000, gpus: 0, unitsEach: 0, models: [] };
const room = (cpus: number, ...gpus: number[]): NodeRoom => ({
  model: 0,
  cpusMilli: cpus * 1000,
  freeUnits: gpus.map((share) => share * unitsPerGpu).sort((a, b) => a - b),
});
const empty = room(96, 1, 1, 1, 1, 1, 1, 1, 1);
const begun = room(48, 0, 0, 0, 0, 1, 1, 1, 1);
const likely = (...list: [ArrivalShape, number][]): Chance[] => list.map(([shape, chance]) => ({ shape, chance }));

describe("placing by the worth of room", () => {
  it("[P4] fills a partly used node before it breaks one that has room for a whole gang", () => {
    const worth = FleetWorth.weigh(
      likely([one, 0.9], [eight, 0.1]),
      1,
      [
        [empty, 3],
        [begun, 3],
      ],
      "dropped",
    );
    assert.ok(worth.cost(begun, one)!.points < worth.cost(empty, one)!.points);
  });

  it("[P4] puts work without GPUs on cores that no GPU needs", () => {
    const full = room(40, 0, 0);
    const idle = room(16, 1, 1);
    const worth = FleetWorth.weigh(
      likely([one, 1]),
      1,
      [
        [full, 1],
        [idle, 1],
      ],
      "dropped",
    );
    assert.equal(worth.cost(full, noGpu)!.points, 0);
    assert.ok(worth.cost(idle, noGpu)!.points > 0);
  });

  it("[P4] keeps cores together that work without GPUs needs on one node", () => {
    const large: ArrivalShape = { ...noGpu, cpusMilli: 32_000 };
    const small: ArrivalShape = { ...noGpu, cpusMilli: 4_000 };
    const [just, more] = [room(35, 0), room(43, 0)];
    const worth = FleetWorth.weigh(
      likely([one, 0.8], [large, 0.2]),
      1,
      [
        [just, 1],
        [more, 1],
        [empty, 1],
      ],
      "dropped",
    );
    assert.ok(worth.cost(just, small)!.points > worth.cost(more, small)!.points);
  });

  it("[P4] keeps room on a model for jobs that are bound to it: in full if they wait, or are many", () => {
    const bound: ArrivalShape = { ...one, models: [1] };
    const [any, scarce] = [empty, { ...empty, model: 1 }];
    const cost = (share: number, unplaced: "dropped" | "waits") =>
      FleetWorth.weigh(
        likely([one, 1 - share], [bound, share]),
        2,
        [
          [any, 8],
          [scarce, 1],
        ],
        unplaced,
      );
    const more = (worth: FleetWorth) => worth.cost(scarce, one)!.points - worth.cost(any, one)!.points;
    assert.ok(more(cost(0.4, "dropped")) > 0);
    assert.ok(more(cost(0.04, "waits")) > more(cost(0.04, "dropped")));
  });

  it("[P4] fills a shared GPU before it opens another", () => {
    const worth = FleetWorth.weigh(likely([one, 0.5], [half, 0.5]), 1, [[room(90, 0.5, 1), 1]], "dropped");
    assert.equal(worth.cost(room(90, 0.5, 1), half)!.freeUnits, unitsPerGpu / 2);
  });

  it("has no cost where a shape does not fit: too few cores or GPUs, or the wrong model", () => {
    const worth = FleetWorth.weigh(likely([one, 1]), 2, [[begun, 1]], "dropped");
    assert.equal(worth.cost(room(7, 1), one), undefined);
    assert.equal(worth.cost(room(90, 0.9), one), undefined);
    assert.equal(worth.cost(room(90, 0.4), half), undefined);
    assert.equal(worth.cost(begun, { ...one, models: [1] }), undefined);
  });

  it("values a GPU by the parts that are likely to fill it", () => {
    const whole = deviceWorth([{ shape: one, chancePpb: 1 }]);
    assert.deepEqual([whole[steps - 1], whole[steps]], [0, unitsPerGpu]);
    const halves = deviceWorth([{ shape: half, chancePpb: 1 }]);
    assert.deepEqual([halves[steps / 2 - 1], halves[steps / 2], halves[steps]], [0, unitsPerGpu / 2, unitsPerGpu]);
  });
});

describe("the likely arrivals", () => {
  const largest = { gpus: 8, cpusMilliPerGpu: 12_000 };
  const gangs = (chances: readonly Chance[]) =>
    chances.reduce((sum, { shape, chance }) => (shape.gpus > 1 ? sum + chance : sum), 0);

  it("are a guess before the first arrival, and their chances of GPU work always sum to one", () => {
    const mix = new Mix();
    const sum = () =>
      chancesOf(mix, largest, 0.5).reduce((total, { shape, chance }) => (shape.gpus > 0 ? total + chance : total), 0);
    assert.ok(Math.abs(sum() - 1) < 1e-9);
    for (let i = 0; i < 300; i++) mix.add(i % 3 === 0 ? noGpu : i % 50 === 1 ? eight : half);
    assert.ok(Math.abs(sum() - 1) < 1e-9);
  });

  it("[P4] include a share of gangs even if none arrives, more while the mix changes and the fleet is not full", () => {
    const [still, moving] = [new Mix(), new Mix()];
    for (let i = 0; i < 1024; i++) {
      still.add(i % 2 === 0 ? one : half);
      moving.add(i < 512 ? one : half);
    }
    const shares = [
      gangs(chancesOf(still, largest, 0.2)),
      gangs(chancesOf(moving, largest, 1)),
      gangs(chancesOf(moving, largest, 0.2)),
    ];
    assert.ok(
      shares[0]! > 0.03 && Math.abs(shares[0]! - shares[1]!) < 1e-9 && shares[2]! > shares[1]! + 0.04,
      `${shares}`,
    );
  });

  it("[P4] include no added gangs where many arrive anyway", () => {
    const mix = new Mix();
    for (let i = 0; i < 10_000; i++) mix.add(i % 10 === 0 ? eight : one);
    assert.ok(gangs(chancesOf(mix, largest, 0)) < 0.11);
  });
});

it("[P4] worth is computed again only after enough arrivals or allocations", () => {
  const learner = new WorthLearner("dropped");
  const view = (allocatedUnits: number) => ({
    models: 1,
    largest: { gpus: 8, cpusMilliPerGpu: 12_000 },
    capacityUnits: 100 * unitsPerGpu,
    allocatedUnits,
    rooms: () => [[empty, 12]] as const,
  });
  const first = learner.worth(view(0));
  learner.arrive(one);
  assert.equal(learner.worth(view(2 * unitsPerGpu)), first);
  assert.notEqual(learner.worth(view(3 * unitsPerGpu)), first);
  const second = learner.worth(view(3 * unitsPerGpu));
  for (let i = 0; i < 20; i++) learner.arrive(one);
  assert.notEqual(learner.worth(view(3 * unitsPerGpu)), second);
});
