import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { ContentStore, logSealFor, logSealOf } from "@tessera/content";
import type { UserId } from "@tessera/core";
import { LogWriter, readLog } from "@tessera/engine/log";
import { factorRow, sealedTotp, totpRow } from "../../access/factors.ts";
import { engineKeysIn, vaultOf } from "../../access/holder.ts";
import { JournalKeys } from "../../access/ring/journal-keys.ts";
import { prepareMaster, ringAt, ringPlaceIn } from "../../access/ring/place.ts";
import { platform } from "../../access/ring/ring.ts";
import { contentKeysOf } from "../../access/ring/tenant-keys.ts";
import { keyOfSecret, secretKey } from "../../access/secrets.ts";
import { TestControl } from "../../testing/control.ts";
import { sealedByOneKey } from "../../testing/old-secrets.ts";
import { Tenancy, testKeys, testVault } from "../../testing/tenancy.ts";
import { putSecret } from "../people/secrets.ts";
import { secretRow } from "../sso/parties.ts";
import { noteKeys } from "./key-notes.ts";
import { Resealing } from "./resealing.ts";

const canaries = ["canary-secret", "canary-code", "canary-log"];
const by = { actor: { user: "system" as const }, request: "test" };

it("after a rotation the old key is destroyed, and nothing is unreadable, lost or overwritten", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-reseal-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const control = await TestControl.start();
  const tenancy = new Tenancy(control);
  const lab = await tenancy.account("lab");
  const account = control.state.accountByPath.get("lab")!;
  await tenancy.secret("lab", "NEW", "canary-secret new");
  const row = secretKey(account, "OLD");
  const old = { kind: "secret", key: row, value: sealedByOneKey(testKeys.held.secretsKey, row, "canary-secret old") };
  await control.must({ kind: "secret.set", account: "lab", name: "OLD" }, [old]);
  const ring = ringAt(testKeys.held.ring);
  const keys = engineKeysIn(testKeys.held);
  const content = new ContentStore(join(folder, "content"), 0, contentKeysOf(keys));
  const code = Buffer.from("canary-code");
  const sha256 = createHash("sha256").update(code).digest("hex");
  await content.of(lab).putFile([code], { sha256, bytes: code.length });
  const logFolder = join(folder, "logs", "lease-1");
  const log = new LogWriter(logFolder, 1e6, 4, logSealOf((await keys.of(lab)).log, "lease-1"));
  log.write("stdout", 1, ["canary-log before"]);

  const [first] = ring.of(lab);
  const vault = testVault(control.state);
  const said: string[] = [];
  const parts = {
    control,
    ring,
    journalKeys: new JournalKeys(testKeys.held.ring),
    content,
    logFolders: () => [join(folder, "logs")],
    say: (text: string) => said.push(text),
  };
  const next = await ring.rotate(lab);
  log.write("stdout", 2, ["canary-log after"]);
  // Someone sets a secret at the very moment when it is sealed again.
  let raced = false;
  const racing = {
    ...{
      unopened: vault.unopened.bind(vault),
      openToken: vault.openToken.bind(vault),
      forOrder: vault.forOrder.bind(vault),
    },
    async seal(at: string, value: string) {
      const sealed = await vault.seal(at, value);
      if (!raced && value === "canary-secret new") {
        raced = true;
        await putSecret(control, vault, by, account, "NEW", "canary-secret newest");
      }
      return sealed;
    },
  };
  const resealing = new Resealing({ ...parts, vault: racing, graceMs: 0 });
  for (let pass = 0; pass < 4 && ring.of(lab).length > 1; pass += 1) await resealing.look();

  assert.ok(raced);
  assert.deepEqual(
    ring.of(lab).map(({ id }) => id),
    [next.id],
  );
  assert.match(said.join("\n"), new RegExp(`the data key ${first!.id} .* is destroyed`));
  const rows = await control.reader.privates("secret");
  for (const [key, text] of [
    [secretKey(account, "NEW"), "canary-secret newest"],
    [row, "canary-secret old"],
  ] as const) {
    assert.equal(keyOfSecret(rows.get(key)!), next.id);
    assert.equal(await vault.openToken(key, rows.get(key)!), text);
  }
  const pieces: Buffer[] = [];
  for await (const piece of content.of(lab).read(sha256)) pieces.push(piece);
  assert.ok(Buffer.concat(pieces).equals(code));
  log.write("stdout", 3, ["canary-log at the end"]);
  log.close();
  const sealFor = (start: Buffer) => logSealFor(start, (id) => keys.logKey(id), "lease-1");
  const lines: string[] = [];
  for await (const { text } of readLog(logFolder, 0, {}, AbortSignal.abort(), sealFor)) lines.push(text);
  assert.deepEqual(lines, ["canary-log before", "canary-log after", "canary-log at the end"]);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name), "latin1");
    for (const canary of canaries) assert.ok(!bytes.includes(canary), `${canary} in ${entry.name}`);
  }

  for (const { id } of ring.of(lab)) ring.shred(id);
  assert.equal((await content.of(lab).missing([sha256])).length, 1);
  assert.deepEqual(await vault.unopened(rows), []);
  await assert.rejects(vault.openToken(row, rows.get(row)!), /was destroyed/);
});

it("destroys the old key of the platform once factors, providers and journal keys are taken over, and the journal says who", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "tessera-reseal-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const control = await TestControl.start();
  const place = ringPlaceIn(folder);
  prepareMaster(place);
  const held = { ...testKeys.held, ring: place };
  const ring = ringAt(held.ring);
  const vault = vaultOf(held, control.state);
  const journalKeys = new JournalKeys(held.ring);
  const [user, code] = ["usr_ana" as UserId, "JBSWY3DPEHPK3PXP"];
  await control.must({ kind: "user.create", user });
  const sealed = Buffer.from(await vault.seal(totpRow("fac_1"), code)).toString("base64");
  const factor = factorRow(user, "fac_1", { kind: "totp", label: "", createdAt: 0, sealed });
  await control.must({ kind: "factor.set", user, factor: "fac_1", what: "totp" }, [factor]);
  const terms = {
    issuer: "https://id.example",
    clientId: "tessera",
    label: "",
    groupsClaim: "groups",
    acr: [],
    scopes: [],
    rules: [],
  };
  const provider = await secretRow(vault, "corp", "canary-client");
  await control.must({ kind: "provider.set", name: "corp", terms }, [provider]);
  const journalKey = await journalKeys.make("ana");
  const content = new ContentStore(join(folder, "content"), 0, contentKeysOf(engineKeysIn(held)));
  const parts = { control, ring, journalKeys, vault, content, logFolders: () => [], say: () => {}, graceMs: 0 };
  const resealing = new Resealing(parts);
  await resealing.look();
  const [old] = ring.of(platform);
  const next = await ring.rotate(platform, "ana");
  for (let pass = 0; pass < 4; pass += 1) await resealing.look();

  assert.deepEqual(
    ring.of(platform).map(({ id }) => id),
    [next.id],
  );
  assert.deepEqual(await journalKeys.open(), [journalKey]);
  const { reader } = control;
  const row = (await reader.privates("factor")).get("usr_ana/fac_1")!;
  assert.equal(await vault.openToken(totpRow("fac_1"), sealedTotp(row)!), code);
  const client = (await reader.privates("provider")).get("corp")!;
  assert.equal(await vault.openToken("provider/corp", client), "canary-client");
  const said = (await reader.audit({ accounts: [], action: "keys.note", limit: 9 })).map(({ detail }) => detail).join();
  assert.match(said, new RegExp(`key ${journalKey.id} of journal made by ana on the machine`));
  assert.match(said, new RegExp(`key ${next.id} of platform made by ana on the machine`));
  assert.match(said, new RegExp(`key ${old!.id} of platform destroyed`));
  assert.deepEqual(new Set(control.state.trail.held.values()), new Set(["platform", "journal", "master"]));
  ring.shred(next.id, "ana");
  await noteKeys(control, ring, journalKeys);
  const [last] = await reader.audit({ accounts: [], action: "keys.note", limit: 1 });
  assert.equal(last?.detail, `key ${next.id} of platform shredded by ana on the machine`);
});
