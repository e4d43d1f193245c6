import { chmod, copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { atEnd } from "../order.fixture.ts";
import { driverVariables } from "../part/smi.ts";

const program = fileURLToPath(new URL("./fake-mps-control.js", import.meta.url));

/** A fake `nvidia-cuda-mps-control` in place of the real one until the test ends: in supervisors too. */
export async function fakeMps(
  t: TestContext,
  folder: string,
  { severalUsers = true }: { readonly severalUsers?: boolean } = {},
): Promise<void> {
  const path = join(folder, "nvidia-cuda-mps-control");
  const refusal = severalUsers ? "" : `[ "$2" != -multiuser-server ] || { echo "Failed: unknown option"; exit 1; }\n`;
  await writeFile(path, `#!/bin/sh\n${refusal}exec ${process.execPath} ${program} "$@"\n`);
  await chmod(path, 0o755);
  const before = process.env[driverVariables.mps];
  process.env[driverVariables.mps] = path;
  atEnd(t, async () => {
    if (before === undefined) delete process.env[driverVariables.mps];
    else process.env[driverVariables.mps] = before;
  });
}

/** Jobs that allocate memory on a GPU through MPS and go on; one faults when the file `fault` is there. */
export type ClientScript = (mib: number, fault?: string) => string;

/** Puts what such jobs run into a folder that they see: a clone may lie where they see something else. */
export async function clientsIn(folder: string): Promise<ClientScript> {
  const node = join(folder, "node");
  const client = join(folder, "client.mjs");
  await Promise.all([copyFile(process.execPath, node), copyFile(program, client)]);
  return (mib, fault = "") => {
    const token = `client-${process.pid}-${Math.random().toString(36).slice(2)}`;
    return `exec ${node} ${client} client ${mib} ${token} ${fault}`;
  };
}
