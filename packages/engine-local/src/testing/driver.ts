import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { driverVariables, type Smi } from "../part/smi.ts";
import { type FakeDriver, type FakeGpu, readState, writeState } from "./fake-nvidia/state.ts";
import { runTool } from "./fake-nvidia/tool.ts";

const program = fileURLToPath(new URL("./fake-nvidia-smi.js", import.meta.url));

/** A fake driver in a folder of its own, in place of the real one until the test ends: in supervisors too. */
export interface FakeMachine {
  readonly folder: string;
  readonly gpus: readonly FakeGpu[];
  /** The tool without a process of its own, which takes most of the time of a run. */
  readonly smi: Smi;
  /** What the fake knows now. */
  read(): FakeDriver;
  /** Changes what it knows, for instance the processes on a GPU. */
  change(act: (driver: FakeDriver) => void): void;
}

export async function fakeDriver(t: TestContext, gpus = 1, product = "NVIDIA H200"): Promise<FakeMachine> {
  const folder = await mkdtemp(join(tmpdir(), "tessera-driver-"));
  const made = Array.from({ length: gpus }, (_, minor) => fakeGpu(minor, product));
  writeState(folder, { gpus: made, processes: [], commands: [], faults: {} });
  await mkdir(join(folder, "proc"), { recursive: true });
  const path = join(folder, "nvidia-smi");
  await writeFile(path, `#!/bin/sh\nexec ${process.execPath} ${program} ${folder} "$@"\n`);
  await chmod(path, 0o755);
  const before = { smi: process.env[driverVariables.smi], proc: process.env[driverVariables.proc] };
  process.env[driverVariables.smi] = path;
  process.env[driverVariables.proc] = join(folder, "proc");
  t.after(async () => {
    restore(driverVariables.smi, before.smi);
    restore(driverVariables.proc, before.proc);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    folder,
    gpus: made,
    smi: async (args) => {
      const { code, lines } = runTool(folder, args);
      return { code, text: lines.join("\n") };
    },
    read: () => readState(folder),
    change: (act) => {
      const driver = readState(folder);
      act(driver);
      writeState(folder, driver);
    },
  };
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

function fakeGpu(minor: number, product: string): FakeGpu {
  const uuid = `GPU-5e6f0000-0000-0000-0000-00000000000${minor}`;
  return { uuid, product, minor, memoryMiB: product.includes("H200") ? 143_771 : 81_559, mig: false, instances: [] };
}
