import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { KernelLog, parseRecord } from "./kernel-log.ts";

const root = mkdtempSync(join(tmpdir(), "tessera-kernel-log-"));
after(() => rmSync(root, { recursive: true, force: true }));

function files(text: string) {
  const folder = mkdtempSync(join(root, "log-"));
  const [file, memory] = [join(folder, "log"), join(folder, "position.json")];
  writeFileSync(file, text);
  const open = (bootId = "boot-1") => new KernelLog({ file, memory, bootId });
  return { file, open };
}

const texts = (log: KernelLog) => log.read().map(({ text }) => text);

describe("the kernel log", () => {
  it("is read on as it grows, in whole lines", () => {
    const { file, open } = files("one\ntwo\nthr");
    const log = open();
    assert.deepEqual(texts(log), ["one", "two"]);
    appendFileSync(file, "ee\n");
    assert.deepEqual(texts(log), ["three"]);
    assert.deepEqual(texts(log), []);
    log.close();
  });

  it("goes on after a restart where the process before had ended", () => {
    const { file, open } = files("one\n");
    const before = open();
    texts(before);
    texts(before); // the position is written a turn later
    before.close();
    appendFileSync(file, "while it was away\n");
    const after = open();
    assert.deepEqual(texts(after), ["while it was away"]);
    after.close();
  });

  it("tells again what an earlier process had read and may not have handed on", () => {
    const { open } = files("one\n");
    const killed = open();
    texts(killed);
    killed.close();
    const after = open();
    assert.deepEqual(texts(after), ["one"]);
    after.close();
  });

  it("begins at the beginning after a restart of the machine, and where a file was made shorter", () => {
    const { file, open } = files("one\ntwo\n");
    const before = open();
    texts(before);
    texts(before);
    before.close();
    const restarted = open("boot-2");
    assert.deepEqual(texts(restarted), ["one", "two"]);
    truncateSync(file);
    appendFileSync(file, "new\n");
    assert.deepEqual(texts(restarted), ["new"]);
    restarted.close();
  });

  it("is understood as the kernel writes it and as dmesg prints it", () => {
    assert.deepEqual(parseRecord("4,1234,56789012,-;NVRM: Xid\n SUBSYSTEM=pci"), {
      number: 1234,
      upMs: 56_789,
      text: "NVRM: Xid",
    });
    assert.deepEqual(parseRecord("[   12.345678] NVRM: Xid"), { upMs: 12_345, text: "NVRM: Xid" });
    assert.deepEqual(parseRecord("NVRM: Xid"), { text: "NVRM: Xid" });
  });
});
