import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createWhole } from "../lease/durable.ts";
import { readIfThere } from "../lease/folder.ts";
import { findProcess, isAlive } from "../supervise/processes.ts";

interface Holder {
  readonly pid: number;
  readonly startedAt: string;
}

const lookEveryMs = 20;
/** A holder runs a few commands of seconds each; one that takes longer hangs in the driver, and so would we. */
const waitMsMax = 180_000;

/** Runs `act` while no other process does anything to this GPU. A lock whose holder has died is taken over. */
export async function withGpu<T>(folder: string, gpu: string, act: () => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${gpu}.lock`);
  const own: Holder = { pid: process.pid, startedAt: findProcess(process.pid)?.startedAt ?? "" };
  const until = performance.now() + waitMsMax;
  while (!(await createWhole(path, JSON.stringify(own)))) {
    if (performance.now() > until) throw new Error(`GPU ${gpu} is being changed by another process for too long`);
    if (!(await removeIfDead(path))) await sleep(lookEveryMs);
  }
  try {
    return await act();
  } finally {
    await rm(path, { force: true });
  }
}

/** Whether anything is done to a GPU now, by a process that lives. */
export async function isAnyLocked(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  const locks = names.filter((name) => name.endsWith(".lock"));
  const texts = await Promise.all(locks.map((name) => readIfThere(join(folder, name))));
  return texts.some((text) => {
    const holder = text === undefined ? undefined : (JSON.parse(text) as Holder);
    return holder !== undefined && isAlive(holder.pid, holder.startedAt);
  });
}

/** Away by its name first: of two that find it dead one takes it, and the other sees that what it took is alive. */
async function removeIfDead(path: string): Promise<boolean> {
  const text = await readIfThere(path);
  if (text === undefined) return true;
  const holder = JSON.parse(text) as Holder;
  if (isAlive(holder.pid, holder.startedAt)) return false;
  const aside = `${path}.${process.pid}.dead`;
  try {
    await rename(path, aside);
  } catch {
    return true; // another was faster
  }
  const taken = await readIfThere(aside);
  if (taken !== undefined && taken !== text) await createWhole(path, taken);
  await rm(aside, { force: true });
  return true;
}
