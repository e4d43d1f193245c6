import { setImmediate } from "node:timers/promises";
import { describeEngine } from "@tessera/engine/suite";
import { SimulatedClock } from "./clock.ts";
import { SimulatedEngine } from "./engine.ts";
import { SimulatedFleet } from "./fleet.ts";
import { declareNodes } from "./nodes.ts";

const commands = {
  succeed: "true",
  exitWith: (code: number) => `exit ${code}`,
  runForever: "sleep infinity",
  beDone: 'touch "$TESS_DONE"',
  ignoreTerm: "trap '' TERM; sleep infinity",
  saveInChild: (text: string) => `trap '' TERM; sleep 2; echo ${text}`,
  sleepMs: (ms: number) => `sleep ${ms}ms`,
  print: (text: string) => `echo ${text}`,
};

describeEngine("simulated", async () => {
  const clock = new SimulatedClock(1_000_000);
  const fleet = new SimulatedFleet({ clock, nodes: declareNodes({ count: 4, gpusEach: 8, model: "H100" }) });
  return {
    engine: new SimulatedEngine(fleet),
    commands,
    async settle(ms: number) {
      clock.advanceTo(clock.now() + ms);
      await setImmediate();
    },
    reopen: async () => new SimulatedEngine(fleet),
    close: async () => {},
  };
});
