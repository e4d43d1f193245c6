import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { keyIdOf, readSealed, writeSealed } from "./sealed.ts";

const dir = mkdtempSync(join(tmpdir(), "tessera-sealed-"));
after(() => rmSync(dir, { recursive: true, force: true }));
const key = randomBytes(32);
const part = 64 * 1024;
const sealedPart = part + 16;

async function sealed(contents: Buffer, name = "file"): Promise<string> {
  const path = join(dir, name);
  const file = await open(path, "w");
  async function* pieces() {
    for (let at = 0; at < contents.length; at += 50_001) yield contents.subarray(at, at + 50_001);
  }
  await writeSealed(file, pieces(), key);
  await file.close();
  return path;
}

async function opened(path: string, withKey = key): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const each of readSealed(path, withKey)) parts.push(each);
  return Buffer.concat(parts);
}

describe("a sealed file", () => {
  for (const bytes of [0, 1, part - 1, part, part + 1, 3 * part, 200_000]) {
    it(`gives back ${bytes} bytes`, async () => {
      const contents = randomBytes(bytes);
      assert.deepEqual(await opened(await sealed(contents)), contents);
    });
  }

  const whole = Buffer.concat([0, 1, 2, 3].map((fill) => Buffer.alloc(part, fill)));
  /** What was done to the file, and what is said of it. */
  const changes: readonly (readonly [what: string, change: (bytes: Buffer, body: number) => Buffer, says: RegExp])[] = [
    ["one bit flipped", (bytes, body) => flipped(bytes, body + 70_000), /from byte 6\d{4} on is not what was written/],
    ["a tag changed", (bytes) => flipped(bytes, bytes.length - 1), /is not what was written/],
    [
      "the salt changed",
      (bytes) => flipped(bytes, bytes.indexOf('"salt":"') + 9),
      /is not what was written|not a backup/,
    ],
    ["cut between parts", (bytes, body) => bytes.subarray(0, body + 2 * sealedPart), /cut off after byte/],
    ["cut in a part", (bytes) => bytes.subarray(0, bytes.length - 100), /is not what was written/],
    ["cut to its first line", (bytes, body) => bytes.subarray(0, body), /is not what was written/],
    ["bytes appended", (bytes) => Buffer.concat([bytes, Buffer.from("more")]), /appended after byte/],
    [
      "its own first part appended",
      (bytes, body) => Buffer.concat([bytes, bytes.subarray(body, body + sealedPart)]),
      /appended after byte/,
    ],
    [
      "two parts in another order",
      (bytes, body) =>
        Buffer.concat([
          bytes.subarray(0, body),
          bytes.subarray(body + sealedPart, body + 2 * sealedPart),
          bytes.subarray(body, body + sealedPart),
          bytes.subarray(body + 2 * sealedPart),
        ]),
      /is not what was written/,
    ],
    [
      "a part left out",
      (bytes, body) => Buffer.concat([bytes.subarray(0, body), bytes.subarray(body + sealedPart)]),
      /is not what was written/,
    ],
    [
      "another version",
      (bytes) => Buffer.from(bytes.toString("latin1").replace('"version":1', '"version":2'), "latin1"),
      /version 2/,
    ],
    ["no header", (bytes, body) => bytes.subarray(body), /not a backup of Tessera/],
  ];
  for (const [what, change, says] of changes) {
    it(`is refused with ${what}`, async () => {
      const path = await sealed(whole);
      const bytes = readFileSync(path);
      writeFileSync(path, change(bytes, bytes.indexOf("\n") + 1));
      await assert.rejects(opened(path), says);
    });
  }

  it("is refused where a part comes from another file of the same key", async () => {
    const [one, two] = [readFileSync(await sealed(whole, "one")), readFileSync(await sealed(whole, "two"))];
    const body = one.indexOf("\n") + 1;
    two.copy(one, body, body, body + sealedPart);
    writeFileSync(join(dir, "one"), one);
    await assert.rejects(opened(join(dir, "one")), /is not what was written/);
  });

  it("names the key that it needs, without showing it", async () => {
    const path = await sealed(whole);
    await assert.rejects(opened(path, randomBytes(32)), new RegExp(`sealed with the key ${keyIdOf(key)}`));
    assert.ok(!readFileSync(path, "latin1").includes(key.toString("base64")));
  });
});

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at]! ^= 1;
  return copy;
}
