import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { emptyState } from "@tessera/core";
import { vaultOf } from "./access/holder.ts";
import { loadKeys } from "./access/keys.ts";
import { OtherMaster } from "./access/ring/master.ts";
import type { KeyService } from "./access/ring/service.ts";
import { emptyJournal } from "./journal/row.ts";
import { keysFor } from "./start-keys.ts";
import { ReferenceKeyService } from "./testing/key-service.ts";
import { sealedByOneKey } from "./testing/old-secrets.ts";

describe("the keys of a start", () => {
  let data: string;
  let said: string[];
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), "tessera-keys-"));
    said = [];
  });
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  const keysOf = (
    sealed: ReadonlyMap<string, Uint8Array>,
    { secretsLost = false, seq = 9, master }: { secretsLost?: boolean; seq?: number; master?: KeyService } = {},
  ) => {
    const privates = async (kind: string) => (kind === "secret" ? sealed : new Map<string, Uint8Array>());
    const reader = { privates, head: async () => ({ ...emptyJournal, seq }) };
    return keysFor({ data, secretsLost, ...(master && { master }) }, { reader, state: emptyState() }, (text) =>
      said.push(text),
    );
  };
  const sealedWith = (key: Buffer, ...names: readonly string[]) =>
    new Map(names.map((name) => [name, sealedByOneKey(key, name, "value")] as const));

  it("are made without a word for a new journal, and with one for an old one", async () => {
    await keysOf(new Map(), { seq: 0 });
    assert.deepEqual(said, []);
    rmSync(join(data, "keys"), { recursive: true });
    await keysOf(new Map());
    assert.match(said.join(), /server.key, secrets.key, webhook.key, signing.key, backup.key missing in .*keys: made/);
  });

  it("are not made anew where the store holds secrets, unless these are declared lost", async () => {
    const sealed = sealedWith(loadKeys(data).held.secretsKey, "a/x", "a/y");
    rmSync(join(data, "keys"), { recursive: true });
    await assert.rejects(keysOf(sealed), /secrets.key is not there, and the store holds 2 secrets .*--secrets-lost/);
    await assert.rejects(keysOf(sealed), /Put the keys folder back/);
    await keysOf(sealed, { secretsLost: true });
    await assert.rejects(keysOf(sealed), /is not the key with which the 2 secrets of this store were sealed/);
  });

  it("are taken with a word when single secrets do not open", async () => {
    const { secretsKey } = loadKeys(data).held;
    const damaged = sealedByOneKey(secretsKey, "a/y", "value");
    damaged[damaged.length - 1]! ^= 1;
    await keysOf(new Map([...sealedWith(secretsKey, "a/x"), ["a/y", damaged]]));
    assert.deepEqual(said, ["secrets that cannot be opened any more, and must be set again: a/y"]);
  });

  it("do not wait for a key service that is away, and are not taken from one that is another", async (t) => {
    const service = await ReferenceKeyService.open();
    t.after(() => service.close());
    const master = { url: service.url, tokenFile: join(data, "token") };
    writeFileSync(master.tokenFile, service.token);
    const { held } = loadKeys(data, master);
    const sealed = new Map([["a/x", await vaultOf(held, emptyState()).seal("a/x", "value")]]);
    // As another process would find it, which has opened nothing.
    const moved = { ...master, url: `${master.url}/` };
    service.away = true;
    await keysOf(sealed, { master: moved });
    assert.match(said.join(), /cannot be used: it answered 503 to unwrap.*Until then jobs that need secrets wait/);
    service.away = false;
    service.keys = [randomBytes(32)];
    await assert.rejects(keysOf(sealed, { master: moved }), OtherMaster);
  });
});
