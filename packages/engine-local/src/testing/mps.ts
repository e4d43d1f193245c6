import { chmod, writeFile } from "node:fs/promises";
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

/** A job that allocates memory on a GPU through MPS and goes on; it faults when the file `fault` is there. */
export function clientScript(mib: number, fault?: string): string {
  const token = `client-${process.pid}-${Math.random().toString(36).slice(2)}`;
  return `exec ${process.execPath} ${program} client ${mib} ${token} ${fault ?? ""}`;
}
