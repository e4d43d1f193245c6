import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Answer, capabilityMinor } from "./answer.ts";
import { answer } from "./run.ts";
import { type FakeDriver, withState } from "./state.ts";

/** One run of the tool on the state in the folder. */
export function runTool(folder: string, args: readonly string[]): Answer {
  return withState(folder, (driver) => {
    const said = answer(driver, args);
    writeCapabilities(folder, driver);
    return said;
  });
}

/** What the driver shows of instances below /proc. */
function writeCapabilities(folder: string, { gpus }: FakeDriver): void {
  for (const gpu of gpus) {
    const top = join(folder, "proc", "capabilities", `gpu${gpu.minor}`, "mig");
    rmSync(top, { recursive: true, force: true });
    for (const instance of gpu.instances) {
      const minor = capabilityMinor(instance);
      writeAccess(join(top, `gi${instance.gi}`, "access"), minor);
      if (instance.compute) writeAccess(join(top, `gi${instance.gi}`, "ci0", "access"), minor + 1);
    }
  }
}

function writeAccess(path: string, minor: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `DeviceFileMinor: ${minor}\nDeviceFileMode: 292\nDeviceFileModify: 1\n`);
}
