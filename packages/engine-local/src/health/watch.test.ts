import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { HealthFinding, LeaseId } from "@tessera/core";
import { systemClock } from "@tessera/engine";
import { describeFleet } from "../inventory/machine.ts";
import { Addresses } from "./addresses.ts";
import { HealthWatch } from "./watch.ts";

const root = mkdtempSync(join(tmpdir(), "tessera-health-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** A machine that is declared as two nodes of two GPUs, with a log. */
function machine(virtual = "2x2:H100") {
  const folder = mkdtempSync(join(root, "machine-"));
  const kernelLog = join(folder, "kmsg");
  writeFileSync(kernelLog, "");
  const nodes = describeFleet([], { virtual });
  const addresses = new Addresses();
  addresses.declare(nodes);
  const found: HealthFinding[] = [];
  const watch = new HealthWatch({
    ...{ kernelLog, memory: join(folder, "position.json"), bootId: "boot", clock: systemClock },
    nodes: async () => nodes,
    addresses: async () => addresses.uuids,
    leaseOf: async (pid) => (pid === 4711 ? ("job_a.1.0" as LeaseId) : undefined),
  });
  watch.start((finding) => found.push(finding));
  return { watch, found, say: (line: string) => appendFileSync(kernelLog, `${line}\n`) };
}

describe("the watch on a machine", () => {
  it("tells of which node, GPU and lease a line of the kernel log speaks", async () => {
    const { watch, found, say } = machine();
    say("usb 1-1: new device");
    say("NVRM: Xid (PCI:0000:02:00): 79, pid=<unknown>, name=<unknown>, GPU has fallen off the bus.");
    say("NVRM: Xid (PCI:0000:01:00): 31, pid=4711, name=python, MMU Fault");
    await watch.look();
    watch.close();
    const told = found.map(({ node, gpuUuid, code, lease }) => [node, gpuUuid, code, lease]);
    assert.deepEqual(told, [
      ["virtual-1", "GPU-virtual-virtual-1-0", "79", undefined],
      ["virtual-0", "GPU-virtual-virtual-0-1", "31", "job_a.1.0"],
    ]);
  });

  it("tells of the node alone where it has one, and of nothing where it is not clear which", async () => {
    const line = "NVRM: Xid (PCI:0000:aa:00): 79, GPU has fallen off the bus.";
    const one = machine("1x2:H100");
    one.say(line);
    await one.watch.look();
    one.watch.close();
    assert.deepEqual(
      one.found.map(({ node, gpuUuid }) => [node, gpuUuid]),
      [["virtual-0", undefined]],
    );
    const two = machine();
    two.say(line);
    await two.watch.look();
    two.watch.close();
    assert.deepEqual(two.found, []);
  });
});
