import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { ReferenceKeyService } from "../../testing/key-service.ts";
import { KeyVault } from "../vault.ts";
import { MasterAway } from "./master.ts";
import { ringAt, ringPlaceIn } from "./place.ts";
import { Ring } from "./ring.ts";
import { ServiceMaster } from "./service.ts";

async function open(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "tessera-service-"));
  const service = await ReferenceKeyService.open();
  t.after(() => {
    service.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, `${service.token}\n`);
  const place = ringPlaceIn(folder, { url: service.url, tokenFile });
  return {
    service,
    place,
    tokenFile,
    afresh: () => new Ring(place.folder, new ServiceMaster({ url: service.url, tokenFile })),
  };
}

it("a key service wraps data keys and rotates, and the key before opens nothing any more", async (t) => {
  const { service, afresh } = await open(t);
  const key = await afresh().current("acc_a");
  const [before] = service.keys;
  await afresh().rotateMaster();
  assert.deepEqual((await afresh().find(key.id)).for("log"), key.for("log"));
  service.keys = [before!];
  await assert.rejects(afresh().find(key.id), /key service .* cannot be used: it answered 400 to unwrap/);
});

it("while the key service is away, new secrets are refused with its name and what is open stays usable", async (t) => {
  const { service, place, afresh } = await open(t);
  const vault = new KeyVault({ ring: place, secretsKey: Buffer.alloc(32) }, (row) => row.split("/")[0]!);
  const sealed = await vault.seal("acc_a/X", "value");
  service.away = true;
  await assert.rejects(
    vault.seal("acc_a/X", "other"),
    /key service http.* cannot be used: it answered 503.*Nothing new is sealed/,
  );
  assert.equal(await vault.openToken("acc_a/X", sealed), "value");
  await assert.rejects(afresh().current("acc_a"), MasterAway);
  service.away = false;
  assert.equal(await vault.openToken("acc_a/X", await vault.seal("acc_a/X", "other")), "other");
  service.close();
  await assert.rejects(vault.seal("acc_a/X", "third"), /ECONNREFUSED|cannot be used/);
  assert.equal((await ringAt(place).current("acc_a")).of, "acc_a");
});

it("another token is refused", async (t) => {
  const { tokenFile, afresh } = await open(t);
  writeFileSync(tokenFile, "wrong");
  await assert.rejects(afresh().current("acc_a"), /it answered 401 to wrap/);
});

it("wrong answers seal nothing and destroy nothing, and what was sealed opens once they are right again", async (t) => {
  const { service, afresh } = await open(t);
  const key = await afresh().current("acc_a");
  const other = Buffer.alloc(32, 7).toString("base64");
  const lies: [string, (path: string, right: object) => string | object][] = [
    ["no JSON", () => "<html>"],
    ["nothing", () => "null"],
    ["an empty object", () => ({})],
    ["a number", (path, right) => (path === "/v1/unwrap" ? { key: 7 } : right)],
    ["a short key", (path, right) => (path === "/v1/unwrap" ? { key: "AAAA" } : right)],
    ["another key", (path, right) => (path === "/v1/unwrap" ? { key: other } : right)],
    ["something else wrapped", (path, right) => (path === "/v1/wrap" ? { ...right, value: other } : right)],
    ["far too much", (_path, right) => ({ ...right, more: "x".repeat(100_000) })],
  ];
  for (const [what, lie] of lies) {
    service.wrong = lie;
    const before = service.keys.length;
    if (what !== "something else wrapped") await assert.rejects(afresh().find(key.id), MasterAway, what);
    await assert.rejects(afresh().current("acc_new"), MasterAway, what);
    await assert.rejects(afresh().rotateMaster(), MasterAway, what);
    assert.ok(service.keys.length >= before, `${what}: no master key was given up`);
    service.wrong = undefined;
    assert.deepEqual((await afresh().find(key.id)).for("secret"), key.for("secret"), what);
    assert.deepEqual(afresh().of("acc_new"), [], what);
  }
});

it("an answer that takes too long is not waited for", async (t) => {
  const { service, place, tokenFile } = await open(t);
  service.delayMs = 2_000;
  const slow = new Ring(place.folder, new ServiceMaster({ url: service.url, tokenFile }, 50));
  await assert.rejects(slow.current("acc_a"), /cannot be used: no answer within 0.05 s/);
});
