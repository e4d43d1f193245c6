import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseXid, pciAddress } from "./xid.ts";

describe("a line about an Xid", () => {
  it("names the GPU, the number and the process", () => {
    assert.deepEqual(parseXid("NVRM: Xid (PCI:0000:3b:00): 31, pid=4711, name=python3, Ch 00000008, MMU Fault"), {
      pci: "0000:3b:00",
      code: "31",
      pid: 4711,
      text: "pid=4711, name=python3, Ch 00000008, MMU Fault",
    });
  });

  it("may not know the process", () => {
    for (const pid of ["pid=<unknown>", "pid='<unknown>'"]) {
      const line = parseXid(`NVRM: Xid (PCI:0000:3b:00): 79, ${pid}, name=<unknown>, GPU has fallen off the bus.`);
      assert.deepEqual([line?.code, line?.pid], ["79", undefined]);
    }
  });

  it("may name an instance, a quoted process, and nothing more", () => {
    const ofInstance = parseXid("NVRM: Xid (PCI:0001:00:00 GPU-I:05): 43, pid='99', name=a, Ch 1");
    assert.deepEqual([ofInstance?.pci, ofInstance?.pid], ["0001:00:00", 99]);
    assert.equal(parseXid("NVRM: Xid (PCI:0000:3b:00): 62, 0 0")?.code, "62");
  });

  it("is not any other line, such as that of a switch", () => {
    for (const text of ["nvidia-nvswitch0: SXid (PCI:0000:05:00.0): 12028, Non-fatal", "NVRM: loading", "Xid 79", ""])
      assert.equal(parseXid(text), undefined);
  });
});

it("addresses have one spelling, from the kernel and from the tool", () => {
  for (const text of ["0000:3b:00", "00000000:3B:00.0", "3b:00.0"]) assert.equal(pciAddress(text), "0000:3b:00");
  for (const text of ["", "3b", "GPU-1"]) assert.equal(pciAddress(text), undefined);
});
