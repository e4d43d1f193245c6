import assert from "node:assert/strict";
import { it } from "node:test";
import { unitsPerGpu } from "@tessera/core";
import { principalOf } from "../../access/principal.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Tenancy } from "../../testing/tenancy.ts";
import { openStretches, usageReport } from "../meter/usage.ts";
import { SteadyClock } from "./steady-clock.ts";

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;

/** Runs a job for an hour while the machine's clock is set; returns GPU-hours, and whether a token of 30 minutes works. */
async function hourWithJump(jump: number) {
  const machine = { passed: 10 * day, set: 0 };
  const clock = SteadyClock.start([], {
    wall: () => Date.UTC(2026, 10, 16) + machine.passed + machine.set,
    monotonic: () => machine.passed,
    boot: () => ({ id: "boot-1", upMs: machine.passed }),
  });
  const control = await TestControl.start(undefined, fleetOf(1, 8));
  const pass = (ms: number) => {
    machine.passed += ms;
    control.setTime(clock.now());
  };
  control.setTime(clock.now());
  const tenancy = new Tenancy(control);
  await tenancy.account("lab");
  const ada = await tenancy.user("ada", "member", "lab");
  const { tokenId } = await tenancy.token(ada.id, [], clock.now() + hour / 2);
  const job = await tenancy.job("lab", ada.id, { gpus: 1 });
  await control.run(job);
  const from = clock.now();
  pass(hour / 4);
  machine.set += jump;
  pass((3 * hour) / 4);
  // What the supervisor measured, placed by the clock.
  await control.report([...control.state.leases.keys()][0]!, { kind: "exited", ran: true, code: 0 }, clock.now());
  const open = openStretches(control.state, Number.MAX_SAFE_INTEGER, clock.now());
  const ask = { by: "job", from: from - day, to: clock.now(), accounts: [""], fleet: false } as const;
  const usage = await usageReport(control.reader, open, ask, () => "");
  const works = principalOf(control.state, control.state.tokens.get(tokenId)!, control.now()) !== undefined;
  return { gpuMs: Number(usage.total) / unitsPerGpu, works };
}

it("[S27] meters what passed and extends no expiry, with the clock moved by 1 s to 20 d either way", async () => {
  for (const jump of [second, 10 * second, hour, day, 20 * day].flatMap((ms) => [ms, -ms])) {
    const { gpuMs, works } = await hourWithJump(jump);
    assert.deepEqual([gpuMs, works], [hour, false], `moved by ${jump} ms`);
  }
});
