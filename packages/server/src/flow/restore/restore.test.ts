import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, it } from "node:test";
import {
  type AccountId,
  type Command,
  type Input,
  isRefusal,
  type OperationId,
  plainTerms,
  type TokenId,
  type UserId,
} from "@tessera/core";
import { systemClock } from "@tessera/engine";
import { eraseRows, personRow } from "../../access/people.ts";
import { tokenHash } from "../../access/tokens.ts";
import { backup } from "../../store/backup/backup.ts";
import { openStore } from "../../store/index.ts";
import type { PrivateWrite } from "../../store/port.ts";
import { verify } from "../project/verify.ts";
import { recover } from "../write/recover.ts";
import { requestOf, Writer } from "../write/writer.ts";
import { restoreBackup } from "./restore.ts";

const key = randomBytes(32);
const [owner, ada, ben, cleo] = ["usr_owner", "usr_ada", "usr_ben", "usr_cleo"] as [UserId, UserId, UserId, UserId];
const password = (user: UserId, hash: string): PrivateWrite => ({
  kind: "password",
  key: user,
  value: Buffer.from(hash),
});

describe("a restore", () => {
  let dir: string;
  let live: string;
  let file: string;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), "tessera-restore-"));
    [live, file] = [join(dir, "live"), join(dir, "file")];
    await write(
      [{ kind: "user.create", user: owner, first: { role: "platform-owner", account: "" } }],
      ...[ada, ben, cleo].map((user): Asked => [{ kind: "user.create", user }, [personRow(user, { name: user })]]),
      ...[owner, ada, ben, cleo].map((user): Asked => [tokenOf(user, `tess_${user}`)]),
      [tokenOf(ada, "sess_ada", "tok_tess_usr_ada" as TokenId)],
      ...[ada, ben].map((user): Asked => [{ kind: "password.set", user }, [password(user, `hash of ${user}`)]]),
      [
        { kind: "role.bind", user: cleo, role: "auditor", account: "" },
        [{ kind: "origin", key: "org_ben", value: Buffer.from(JSON.stringify({ user: ben, address: "192.0.2.1" })) }],
      ],
      [{ kind: "account.create", id: "acc_lab" as AccountId, path: "lab", terms: plainTerms }],
      [
        { kind: "secret.set", account: "lab", name: "KEPT" },
        [{ kind: "secret", key: "acc_lab/KEPT", value: Buffer.of(1) }],
      ],
      [
        { kind: "secret.set", account: "lab", name: "GONE" },
        [{ kind: "secret", key: "acc_lab/GONE", value: Buffer.of(2) }],
      ],
    );
    await backup({ dir: join(live, "store") }, file, { scratchIn: dir, key, keyFiles: { "secrets.key": "c2VjcmV0" } });
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  type Asked = readonly [Command, (readonly PrivateWrite[])?];
  /** Carries commands out in the live store, each in a batch of its own. */
  async function write(...asked: readonly Asked[]): Promise<void> {
    const store = await openStore({ dir: join(live, "store") });
    const { state, head } = await recover(store);
    const writer = new Writer({ store, state, head, clock: systemClock, snapshotEveryEvents: 100, freeBytesMin: 0 });
    for (const [command, privates] of asked) {
      const op = `op_${randomBytes(8).toString("hex")}` as OperationId;
      const input: Input = { kind: "command", v: 1, op, actor: { user: "system" }, request: op, command };
      const { answers } = await writer.write([requestOf(input, privates)]);
      assert.ok(!isRefusal(answers[0]!), command.kind);
    }
    await store.close();
  }

  function tokenOf(user: UserId, token: string, parent?: TokenId): Command {
    const id = `tok_${token}` as TokenId;
    const prefix = token.slice(0, 11);
    const made = { id, user, prefix, hash: tokenHash(token), label: "", scopes: [], expiresAt: 0 };
    return { kind: "token.create", ...made, ...(parent !== undefined && { parent }) };
  }

  /** Restores into a new folder, and gives what the store holds then. */
  async function restored({ since = false, from = file, unsealed = false } = {}) {
    const into = { dir: join(dir, `new-${randomBytes(3).toString("hex")}`) };
    let kept: { keyFiles: Readonly<Record<string, string>>; ownerToken: string } | undefined;
    const done = await restoreBackup({
      ...{ file: from, key, unsealed, into, scratchIn: dir },
      ...(since && { since: { dir: join(live, "store") } }),
      keep: (keyFiles, ownerToken) => {
        kept = { keyFiles, ownerToken };
      },
    });
    const store = await openStore(into);
    const { state } = await recover(store);
    const passwords = [...(await store.privates("password")).keys()];
    const people = [...(await store.privates("person")).keys()];
    const origins = [...(await store.privates("origin")).keys()];
    const audit = await store.audit({ accounts: [], limit: 100 });
    assert.ok((await verify(store)).sound);
    await store.close();
    const isLive = (name: string) => state.tokenByHash.has(tokenHash(name));
    return { ...done, kept: kept!, state, passwords, people, origins, audit, isLive };
  }

  it("ends every session, token and password where nothing is known of the time since", async () => {
    const { state, passwords, isLive, kept, epoch, audit } = await restored();
    assert.deepEqual(
      [...state.tokens.values()].map(({ user, label }) => [user, label]),
      [[owner, "this machine"]],
    );
    assert.ok(isLive(kept.ownerToken));
    assert.ok(!isLive("tess_usr_owner"));
    assert.deepEqual(passwords, []);
    assert.equal(epoch, 2);
    assert.deepEqual(kept.keyFiles, { "secrets.key": "c2VjcmV0" });
    const begun = audit.find(({ action }) => action === "epoch.begin");
    assert.match(begun!.detail, /^restored from a backup of 2.*, which ends at row \d+$/);
    assert.equal(audit.filter(({ action }) => action === "token.revoke").length, 5);
  });

  it("revives nothing that ended since, as the store that went on tells, and keeps the rest but sessions", async () => {
    await write(
      [{ kind: "token.revoke", token: "tok_tess_usr_ada" as TokenId }],
      [{ kind: "user.disable", user: ben }],
      [{ kind: "password.set", user: ada }, [password(ada, "another hash")]],
      [{ kind: "role.unbind", user: cleo, role: "auditor", account: "" }],
    );
    const { state, passwords, isLive } = await restored({ since: true });
    assert.deepEqual(
      [isLive("tess_usr_ada"), isLive("sess_ada"), isLive("tess_usr_owner"), isLive("tess_usr_cleo")],
      [false, false, true, true],
    );
    assert.equal(state.users.get(ben)!.disabled, true);
    assert.deepEqual(state.users.get(cleo)!.bindings, []);
    assert.deepEqual(passwords, [ben]);
  });

  it("does not bring back who was erased, nor an owner who is none any more", async () => {
    await write(
      [{ kind: "role.bind", user: ada, role: "platform-owner", account: "" }],
      [{ kind: "user.erase", user: ben }, [...eraseRows(ben), { kind: "origin", key: "org_ben", value: null }]],
      [{ kind: "secret.delete", account: "lab", name: "GONE" }, [{ kind: "secret", key: "acc_lab/GONE", value: null }]],
      [{ kind: "user.disable", user: owner }],
    );
    const { state, people, kept, origins, secrets } = await restored({ since: true });
    assert.deepEqual([origins, secrets, [...state.secrets.keys()]], [[], 1, ["1/KEPT"]]);
    assert.deepEqual([state.users.get(owner)!.disabled, state.users.get(ben)!.disabled], [true, true]);
    assert.ok(!people.includes(ben));
    const holder = state.users.get(state.tokenByHash.get(tokenHash(kept.ownerToken))!.user)!;
    assert.equal(holder.disabled, false);
    assert.deepEqual(
      holder.bindings.map(({ role }) => role),
      ["platform-owner"],
    );
  });

  it("believes no other store about what ended", async () => {
    rmSync(join(live, "store"), { recursive: true });
    await write([{ kind: "user.create", user: owner, first: { role: "platform-owner", account: "" } }]);
    await assert.rejects(restored({ since: true }), /did not go on from this backup: .*Leave --since out/);
  });

  it("lets no password in that was put into a plain backup", async () => {
    const plain = join(dir, "plain");
    cpSync(join(live, "store", "store.sqlite"), plain);
    const db = new DatabaseSync(plain);
    db.prepare("INSERT INTO private (kind, key, value) VALUES ('password', ?, ?)").run(owner, Buffer.from("mine"));
    db.close();
    await assert.rejects(restored({ from: plain }), /plain backup/);
    assert.deepEqual((await restored({ from: plain, unsealed: true })).passwords, []);
  });

  it("leaves no plain copy behind, also when it is refused", async () => {
    await restored();
    await assert.rejects(restored({ from: join(dir, "absent") }), /no backup/);
    assert.deepEqual(
      readdirSync(dir).filter((name) => name.startsWith("backup-scratch")),
      [],
    );
  });
});
