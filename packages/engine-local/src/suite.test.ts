import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "@tessera/engine";
import { type Commands, describeEngine } from "@tessera/engine/suite";
import { openLocalEngine } from "./engine.ts";
import { stopAll } from "./order.fixture.ts";

const commands: Commands = {
  succeed: "true",
  exitWith: (code) => `exit ${code}`,
  runForever: "exec sleep 1000",
  beDone: 'touch "$TESS_DONE"',
  ignoreTerm: "trap '' TERM; while :; do sleep 0.1; done",
  saveInChild: (text) =>
    `sh -c 'trap "sleep 0.5; echo ${text}; exit 0" TERM; while :; do sleep 0.05; done'; echo not reached`,
  sleepMs: (ms) => `sleep ${ms / 1000}`,
  print: (text) => `echo ${text}`,
};

describeEngine("local", async () => {
  const dir = await mkdtemp(join(tmpdir(), "tessera-suite-"));
  const open = () => openLocalEngine({ dir, virtual: "1x8:H100" });
  let engine: Engine = await open();
  return {
    engine,
    commands,
    settle: (ms) => sleep(ms),
    async reopen() {
      await engine.close();
      engine = await open();
      return engine;
    },
    async close() {
      await stopAll(engine);
      await engine.close();
      await rm(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
});
