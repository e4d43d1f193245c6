import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hour, minute, second } from "../model/units.ts";
import { jobId, World } from "../testing/world.ts";
import { guessWorth, likelyRunMs, usualRunMs } from "./pace.ts";

/** One account that orders its jobs by age and length, and one that orders them by age. */
function world(): World {
  return new World().nodes(["n", "H100:8"]).account("lab", { order: "aged-shortest" }).account("plain");
}

/** A job that declares `expected` and succeeds after `ran`. */
function play(w: World, id: string, account: string, ran: number, expected?: string): void {
  w.submit(id, account, { gpus: 1, expected_time: expected });
  w.run(id).tick(ran);
  w.exit(id, 0);
}

const accountNo = ({ state }: World, path: string) => state.accountByPath.get(path)!.no;

describe("the pace of an account", () => {
  it("[O3] is 6 hours per job while no job has ended, and at least 5,000 seconds", () => {
    const w = world();
    assert.equal(usualRunMs(w.state, accountNo(w, "lab")), 6 * hour);
    play(w, "short", "lab", minute);
    assert.equal(usualRunMs(w.state, accountNo(w, "lab")), 5_000 * second);
  });

  it("[O3] is the mean declared time, multiplied by the part of it that ended jobs used", () => {
    const w = world();
    play(w, "half", "lab", 2 * hour, "4h");
    assert.equal(guessWorth(w.state, accountNo(w, "lab")), 0.5);
    assert.equal(usualRunMs(w.state, accountNo(w, "lab")), 2 * hour);
    w.submit("long", "lab", { gpus: 1, expected_time: "12h" });
    assert.equal(usualRunMs(w.state, accountNo(w, "lab")), 4 * hour);
  });

  it("[O3] is not kept in an account of another order, nor for a job that failed", () => {
    const w = world();
    play(w, "x", "plain", 2 * hour, "4h");
    w.submit("failed", "lab", { gpus: 1, expected_time: "4h" });
    w.run("failed").tick(hour);
    w.exit("failed", 1);
    assert.equal(w.state.pace.has(accountNo(w, "plain")), false);
    assert.equal(w.state.pace.get(accountNo(w, "lab"))?.ended, 0);
  });

  it("[B1] predicts the end within which four of five jobs that ran as long would have ended", () => {
    const w = world();
    for (let i = 0; i < 10; i++) play(w, `j${i}`, "lab", hour, "4h");
    w.submit("next", "lab", { gpus: 1, expected_time: "4h" });
    const job = w.state.jobById.get(jobId("next"))!;
    const likely = likelyRunMs(w.state, job, 0)!;
    assert.ok(likely >= hour && likely < 1.2 * hour, String(likely));
    // No job ran longer than an hour, so this one is taken to need half as long again, or what it declares.
    assert.equal(likelyRunMs(w.state, job, 4 * hour), 6 * hour);
  });
});
