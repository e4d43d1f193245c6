import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LeaseId } from "@tessera/core";
import { type ClockAlarm, ClockWatch } from "./clock-watch.ts";
import type { MachineTime } from "./machine-time.ts";
import { placed } from "./place.ts";
import { type Boot, SteadyClock } from "./steady-clock.ts";

const second = 1_000;
const hour = 3_600 * second;
const day = 24 * hour;
const began = Date.UTC(2026, 10, 16);

/** A machine whose clocks a test moves. */
class FakeMachine implements MachineTime {
  bootId = "boot-1";
  #passed = 50 * second;
  #asleep = 0;
  #set = 0;

  wall = () => began + this.#passed + this.#asleep + this.#set;
  monotonic = () => this.#passed;
  boot = () => ({ id: this.bootId, upMs: this.#passed + this.#asleep });

  pass(ms: number): void {
    this.#passed += ms;
  }

  sleep(ms: number): void {
    this.#asleep += ms;
  }

  setClockBy(ms: number): void {
    this.#set += ms;
  }
}

/** A server on the machine: its clock, its watch, and what is kept beside the store. */
function startOn(machine: FakeMachine, kept: { boots: readonly Boot[] } = { boots: [] }, lastCommitted = 0) {
  const clock = SteadyClock.start(kept.boots, machine);
  clock.notBefore(lastCommitted);
  const told: (ClockAlarm | undefined)[] = [];
  const file = {
    read: () => kept.boots,
    write: (boots: readonly Boot[]) => {
      kept.boots = boots;
    },
  };
  const watch = new ClockWatch({ clock, machine, file, onChange: (alarm) => told.push(alarm) });
  watch.look();
  file.write(clock.boots());
  return { clock, watch, told, kept };
}

const jumps = [1 * second, 5 * second, 60 * second, hour, day, 20 * day].flatMap((ms) => [ms, -ms]);

describe("the server's time", () => {
  it("advances by what passed, however the machine's clock is set", () => {
    for (const jump of jumps) {
      const machine = new FakeMachine();
      const { clock, watch, told } = startOn(machine);
      const from = clock.now();
      for (let minute = 0; minute < 120; minute++) {
        machine.pass(60 * second);
        if (minute === 30) machine.setClockBy(jump);
        watch.look();
      }
      const drift = Math.abs(clock.now() - from - 2 * hour);
      assert.ok(drift <= 120, `${jump} ms: ${drift} ms off`); // at most a millisecond is followed at each look
      assert.equal(told.length, Math.abs(jump) > 2 * second ? 1 : 0, `${jump} ms: an alarm`);
      if (told[0] !== undefined) assert.equal(told[0].offMs, jump);
    }
  });

  it("follows a small difference slowly, and never goes back", () => {
    const machine = new FakeMachine();
    const { clock, watch } = startOn(machine);
    machine.setClockBy(-500);
    let last = clock.now();
    for (let look = 0; look < 600; look++) {
      machine.pass(2 * second);
      watch.look();
      const now = clock.now();
      assert.ok(now > last && now - last >= 2 * second - 1);
      last = now;
    }
    assert.equal(Math.abs(machine.wall() - last) <= 1, true);
  });

  it("says when the clock is right again", () => {
    const machine = new FakeMachine();
    const { watch, told } = startOn(machine);
    machine.setClockBy(-20 * day);
    watch.look();
    watch.look();
    machine.setClockBy(20 * day);
    watch.look();
    assert.deepEqual([told.length, told[0]?.offMs, told[1]], [2, -20 * day, undefined]);
  });

  it("goes on by how long the machine was up, over a restart of the server with the clock set back", () => {
    for (const jump of jumps) {
      const machine = new FakeMachine();
      const before = startOn(machine);
      machine.pass(hour);
      const stopped = before.clock.now();
      machine.setClockBy(jump);
      machine.pass(10 * second);
      const { clock } = startOn(machine, before.kept, stopped);
      assert.ok(Math.abs(clock.now() - stopped - 10 * second) <= 1, `${jump} ms`);
    }
  });

  it("believes the clock after a restart of the machine, forward only", () => {
    const machine = new FakeMachine();
    const before = startOn(machine);
    const stopped = before.clock.now();
    machine.bootId = "boot-2";
    machine.pass(hour);
    assert.equal(startOn(machine, before.kept, stopped).clock.now(), stopped + hour);
    machine.setClockBy(-20 * day);
    machine.bootId = "boot-3";
    const { clock } = startOn(machine, { boots: [] }, stopped);
    assert.equal(clock.now(), stopped);
    machine.pass(5 * second);
    assert.equal(clock.now(), stopped + 5 * second, "it does not stand still until the clock has caught up");
  });

  it("counts the sleep of the machine", () => {
    const machine = new FakeMachine();
    const { clock, watch, told } = startOn(machine);
    const from = clock.now();
    machine.sleep(hour);
    watch.look();
    assert.deepEqual([clock.now() - from, told.length], [hour, 0]);
  });

  it("places what programs beside the server measured, of this start of the machine and the one before", () => {
    const machine = new FakeMachine();
    const before = startOn(machine);
    machine.pass(hour);
    const [at, { upMs }] = [before.clock.now(), machine.boot()];
    machine.setClockBy(-20 * day);
    machine.pass(hour);
    assert.equal(before.clock.whenUp("boot-1", upMs), at);
    machine.bootId = "boot-2";
    const { clock } = startOn(machine, before.kept, before.clock.now());
    assert.equal(clock.whenUp("boot-1", upMs), at);
    assert.equal(clock.whenUp("boot-0", upMs), undefined);
    const report = {
      lease: "job_1-1-0" as LeaseId,
      sequence: 1,
      bootId: "boot-1",
      at: 5,
      what: { kind: "started" },
    } as const;
    assert.deepEqual(placed(clock, { ...report, upMs }), { ...report, at });
    assert.deepEqual(placed(clock, report), report, "engines that only know the time of day");
  });
});
