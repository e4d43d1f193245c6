import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { keysFrom } from "@tessera/wire";
import { loadKeys, stagedSigningKey, stageSigningKey } from "../../access/keys.ts";
import { Signature } from "../../access/signature.ts";
import { MemoryPlace, openMemoryStore } from "../../store/index.ts";
import { recover } from "../write/recover.ts";
import { rotateSigningKey, settleSigningKey } from "./rotate.ts";

describe("a rotated signing key", () => {
  let data: string;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), "tess-rotate-"));
  });
  afterEach(() => rmSync(data, { recursive: true }));

  const keyHere = () => new Signature(loadKeys(data).held.signingKey).publicKey;

  it("[S12] is named in the journal and led to by the first one", async () => {
    const store = openMemoryStore(new MemoryPlace());
    const first = keyHere();
    for (let i = 0; i < 2; i++) {
      const { publicKey } = await rotateSigningKey(store, data, false);
      assert.equal(keyHere(), publicKey);
    }
    const { keys } = (await recover(store)).state.trail;
    assert.deepEqual(
      await keysFrom(first, keys),
      keys.map(({ publicKey }) => publicKey),
    );
    assert.equal(keys.length, 3);
  });

  it("[S12] is not led to when the one before was lost, or is another", async () => {
    const store = openMemoryStore(new MemoryPlace());
    const first = keyHere();
    await rotateSigningKey(store, data, false);
    rmSync(join(data, "keys", "signing.key"));
    loadKeys(data);
    await assert.rejects(rotateSigningKey(store, data, false), /not the key that the journal names/);
    await rotateSigningKey(store, data, true);
    const { keys } = (await recover(store)).state.trail;
    assert.equal(keys.at(-1)?.publicKey, keyHere());
    assert.equal((await keysFrom(first, keys)).length, 2);
  });

  it("takes its place after a crash if the journal names it, and else goes", () => {
    const first = keyHere();
    stageSigningKey(data);
    settleSigningKey(data, first);
    assert.equal(keyHere(), first);
    const next = stageSigningKey(data);
    settleSigningKey(data, new Signature(next).publicKey);
    assert.equal(keyHere(), new Signature(next).publicKey);
    assert.throws(() => readFileSync(stagedSigningKey(data)), /ENOENT/);
    writeFileSync(join(data, "keys", "signing.key"), Buffer.alloc(32).toString("base64"));
    assert.throws(keyHere, /signing.key is damaged, or another key/);
  });
});
