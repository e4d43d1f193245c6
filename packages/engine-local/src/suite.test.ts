import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Engine } from "@tessera/engine";
import { describeEngine, shellCommands, shellInside } from "@tessera/engine/suite";
import { openLocalEngine } from "./open.ts";
import { stopAll } from "./order.fixture.ts";

describeEngine("local", async () => {
  const dir = await mkdtemp(join(tmpdir(), "tessera-suite-"));
  const open = () => openLocalEngine({ dir, virtual: "1x8:H100" });
  let engine: Engine = await open();
  return {
    engine,
    commands: shellCommands,
    inside: shellInside,
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
