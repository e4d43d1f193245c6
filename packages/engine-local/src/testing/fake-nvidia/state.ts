import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What the fake driver knows. A test writes it, and reads afterwards what became of it. */
export interface FakeDriver {
  readonly gpus: FakeGpu[];
  /** Processes on the GPUs, in an instance where MIG is on; an instance with one cannot be destroyed. */
  readonly processes: { pid: number; gpu: string; gi?: number; memoryMiB: number; name: string }[];
  /** Every command that was run, oldest first. */
  readonly commands: string[];
  faults: FakeFaults;
}

export interface FakeGpu {
  readonly uuid: string;
  readonly product: string;
  readonly minor: number;
  readonly memoryMiB: number;
  mig: boolean;
  instances: FakeInstance[];
  /** What `--query-gpu` answers for other fields, by name. */
  fields?: { [field: string]: string };
}

export interface FakeInstance {
  readonly gi: number;
  readonly profile: string;
  readonly start: number;
  readonly size: number;
  /** Its compute instance is there. */
  compute: boolean;
}

export interface FakeFaults {
  /** What a reset is refused with. */
  reset?: string;
  /** A change of the MIG mode waits for a reset, as on Ampere. */
  pending?: true;
  /** GPU instances are made and their compute instances are not. */
  compute?: true;
}

/** Runs `act` on the state while no other run of the tool does, and keeps what it changed. */
export function withState<T>(folder: string, act: (driver: FakeDriver) => T): T {
  const lock = join(folder, "lock");
  while (!tryLock(lock)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  try {
    const driver = readState(folder);
    const answer = act(driver);
    writeState(folder, driver);
    return answer;
  } finally {
    rmSync(lock, { recursive: true });
  }
}

function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

export function readState(folder: string): FakeDriver {
  return JSON.parse(readFileSync(join(folder, "state.json"), "utf8")) as FakeDriver;
}

export function writeState(folder: string, driver: FakeDriver): void {
  const path = join(folder, "state.json");
  writeFileSync(`${path}.new`, JSON.stringify(driver, undefined, 1));
  renameSync(`${path}.new`, path);
}
