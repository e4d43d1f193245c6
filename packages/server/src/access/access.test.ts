import assert from "node:assert/strict";
import { hkdfSync } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { type AccountNo, roles, type TokenId, type UserId } from "@tessera/core";
import { MemoryPlace } from "../store/index.ts";
import { TestControl } from "../testing/control.ts";
import { sealedByOneKey } from "../testing/old-secrets.ts";
import { Tenancy, testKeys, testVault } from "../testing/tenancy.ts";
import { loadKeys, missingKeys } from "./keys.ts";
import { checkListen } from "./listen.ts";
import { hashPassword, passwordsWork, verifyPassword } from "./passwords.ts";
import { People, personRow } from "./people.ts";
import { grantsOf, mayActFor, mayGive, mayGiveRole } from "./policy.ts";
import { authenticate } from "./principal.ts";
import { ringAt } from "./ring/place.ts";
import { KeyGone } from "./ring/ring.ts";
import { Seal } from "./seal.ts";
import { keyOfSecret, openSecret, sealedSecretsFor, sealSecret } from "./secrets.ts";
import { TokenUse } from "./token-use.ts";
import { bearerOf, deriveToken, mintToken, tokenHash } from "./tokens.ts";

describe("roles", () => {
  it("give only roles that can do nothing they cannot do themselves", () => {
    for (const role of roles) {
      const own = new Set(Object.keys(grantsOf[role]));
      for (const given of mayGive[role]) {
        const beyond = Object.keys(grantsOf[given]).filter((action) => !own.has(action));
        assert.deepEqual(beyond, [], `${role} gives ${given}`);
      }
    }
  });

  it("let nobody act for a user who has a role that is higher or elsewhere", async () => {
    const control = await TestControl.start();
    const tenancy = new Tenancy(control);
    for (const path of ["a", "a/t", "b"]) await tenancy.account(path);
    const { state } = control;
    const userOf = async (name: string, role: "tenant-admin" | "team-admin" | "member", account: string) =>
      state.users.get((await tenancy.user(name, role, account)).id)!;
    const tenantAdmin = await userOf("ta", "tenant-admin", "a");
    const teamAdmin = await userOf("te", "team-admin", "a");
    const member = await userOf("m", "member", "a/t");
    assert.equal(mayActFor(state, teamAdmin, member), true);
    assert.equal(mayActFor(state, teamAdmin, tenantAdmin), false);
    assert.equal(mayActFor(state, tenantAdmin, teamAdmin), true);
    await control.must({ kind: "role.bind", user: member.id, role: "viewer", account: "b" });
    assert.equal(mayActFor(state, tenantAdmin, member), false);
    const at = (path: string) => state.accountByPath.get(path)!.no as AccountNo;
    assert.equal(mayGiveRole(state, teamAdmin, "auditor", at("a")), false);
    assert.equal(mayGiveRole(state, tenantAdmin, "auditor", at("a/t")), true);
    assert.equal(mayGiveRole(state, tenantAdmin, "member", at("b")), false);
    assert.equal(mayGiveRole(state, tenantAdmin, "platform-owner", at("a")), false);
  });
});

describe("tokens", () => {
  it("are recognised by form before anything is looked up", () => {
    const { token } = mintToken();
    assert.equal(bearerOf(`Bearer ${token}`), token);
    assert.equal(bearerOf(`bearer ${token}`), token);
    for (const bad of [undefined, "", token, `Basic ${token}`, `Bearer ${token}x`, `Bearer tess_${"*".repeat(43)}`]) {
      assert.equal(bearerOf(bad), undefined, String(bad));
    }
  });

  it("are the same again for the same request and key, and for no other", () => {
    const make = (user: string, key: string, body: string) => deriveToken(testKeys.serverKey, user, key, body).token;
    assert.equal(make("u", "k", "b"), make("u", "k", "b"));
    assert.equal(new Set([make("u", "k", "b"), make("v", "k", "b"), make("u", "l", "b"), make("u", "k", "c")]).size, 4);
  });

  it("[S33] count no more from the moment they are revoked, expired, or their user disabled", async () => {
    const control = await TestControl.start();
    const tenancy = new Tenancy(control);
    const user = await tenancy.user("ada");
    const { state } = control;
    const holds = (token: string) => authenticate(state, `Bearer ${token}`, control.now()) !== undefined;
    const short = await tenancy.token(user.id, [], control.now() + 1000);
    assert.equal(holds(short.token), true);
    control.setTime(control.now() + 1000);
    assert.equal(holds(short.token), false);
    // [S27] The last event's time is a floor: setting the clock back revives nothing.
    await control.must({ kind: "user.create", user: "usr_later" as UserId });
    control.setTime(control.now() - 60_000);
    assert.equal(authenticate(state, `Bearer ${short.token}`, control.now() - 60_000), undefined);
    assert.equal(holds(user.token), true);
    await control.must({ kind: "user.disable", user: user.id });
    assert.equal(holds(user.token), false);
    await control.must({ kind: "user.enable", user: user.id });
    assert.equal(holds(user.token), true);
    await control.must({ kind: "token.revoke", token: user.tokenId });
    assert.equal(holds(user.token), false);
  });

  it("have their last use written at most once a minute", async () => {
    const control = await TestControl.start();
    const user = await new Tenancy(control).user("ada");
    const written: string[] = [];
    const use = new TokenUse((writes) =>
      written.push(...writes.map(({ key, value }) => `${key}=${value && Buffer.from(value)}`)),
    );
    use.note(user.tokenId, 100_000);
    use.flush(control.state, 100_000);
    use.note(user.tokenId, 130_000);
    use.flush(control.state, 130_000);
    assert.equal(use.lastUsedAt(user.tokenId), 130_000);
    assert.deepEqual(written, [`${user.tokenId}=100000`]);
    use.flush(control.state, 160_001);
    use.note("tok_gone" as TokenId, 170_000);
    use.flush(control.state, 170_000);
    assert.deepEqual(written, [`${user.tokenId}=100000`, `${user.tokenId}=130000`]);
    assert.equal(use.lastUsedAt("tok_gone" as TokenId), undefined);
  });
});

describe("key files", () => {
  const folder = mkdtempSync(join(tmpdir(), "tess-keys-"));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it("are made once, private, and read again", () => {
    const keys = loadKeys(folder);
    const again = loadKeys(folder);
    assert.equal(keys.serverKey.length, 32);
    assert.deepEqual(again, keys);
    assert.notDeepEqual(keys.serverKey, keys.held.secretsKey);
    assert.equal(statSync(join(folder, "keys", "secrets.key")).mode & 0o777, 0o600);
  });

  it("sign as before in a folder whose signing key was derived from server.key", () => {
    const old = mkdtempSync(join(tmpdir(), "tess-keys-"));
    const {
      serverKey,
      held: { signingKey },
    } = loadKeys(old);
    const derived = Buffer.from(hkdfSync("sha256", serverKey, "", "signature", 32));
    assert.notDeepEqual(signingKey, derived);
    rmSync(join(old, "keys", "signing.key"));
    rmSync(join(old, "keys", "sums"));
    assert.deepEqual(loadKeys(old).held.signingKey, derived);
    rmSync(old, { recursive: true });
  });

  it("are refused when others can read them or when they are cut short", () => {
    const path = join(folder, "keys", "server.key");
    const whole = readFileSync(path);
    chmodSync(path, 0o644);
    assert.throws(() => loadKeys(folder), /chmod 600/);
    chmodSync(path, 0o600);
    writeFileSync(path, whole.subarray(0, 20));
    assert.throws(() => loadKeys(folder), /32 bytes/);
    writeFileSync(path, whole);
  });

  it("are refused when one bit of them changed, and made anew only when they are gone", () => {
    const path = join(folder, "keys", "secrets.key");
    const whole = readFileSync(path, "utf8");
    writeFileSync(path, `${whole[0] === "A" ? "B" : "A"}${whole.slice(1)}`);
    assert.throws(() => loadKeys(folder), /secrets.key is damaged, or another key/);
    rmSync(path);
    assert.deepEqual(missingKeys(folder), ["secrets.key"]);
    const { secretsKey } = loadKeys(folder).held;
    assert.deepEqual(loadKeys(folder).held.secretsKey, secretsKey);
  });
});

describe("seals", () => {
  const seal = new Seal(testKeys.serverKey);

  it("open only for their purpose, and not when touched", () => {
    const sealed = seal.close("cursor jobs", { submittedAt: 123456789, id: "job_x" });
    assert.deepEqual(seal.open("cursor jobs", sealed), { submittedAt: 123456789, id: "job_x" });
    assert.equal(seal.open("cursor audit", sealed), undefined);
    const bytes = Buffer.from(sealed, "base64url");
    bytes[bytes.length - 1]! ^= 1;
    assert.equal(seal.open("cursor jobs", bytes.toString("base64url")), undefined);
    for (const junk of ["", "x", "!!!!", "A".repeat(400)]) assert.equal(seal.open("cursor jobs", junk), undefined);
  });

  it("show nothing of what they hold", () => {
    const texts = [1, 2, 3].map((seq) => seal.close("cursor audit", { seq }));
    assert.equal(new Set(texts).size, 3);
    for (const text of texts) assert.doesNotMatch(Buffer.from(text, "base64url").toString("latin1"), /seq/);
    assert.equal(seal.tag("account a", 1), seal.tag("account a", 1));
    assert.notEqual(seal.tag("account a", 1), seal.tag("account a", 2));
    assert.notEqual(seal.tag("account a", 1), new Seal(testKeys.held.secretsKey).tag("account a", 1));
  });
});

describe("secrets", () => {
  it("open only with their key, in their place", async () => {
    const ring = ringAt(testKeys.held.ring);
    const keys = { ring, oneKey: testKeys.held.secretsKey };
    const sealed = sealSecret(await ring.current("acc_1"), "acc_1/TOKEN", "hunter2 ü");
    assert.equal(await openSecret(keys, "acc_1/TOKEN", sealed), "hunter2 ü");
    assert.equal(Buffer.from(sealed).includes("hunter2"), false);
    await assert.rejects(openSecret(keys, "acc_2/TOKEN", sealed), /cannot be decrypted/);
    sealed[1]! ^= 1;
    await assert.rejects(openSecret(keys, "acc_1/TOKEN", sealed), KeyGone);
  });

  it("of earlier versions open with the one key of that time", async () => {
    const keys = { ring: ringAt(testKeys.held.ring), oneKey: testKeys.held.secretsKey };
    const sealed = sealedByOneKey(testKeys.held.secretsKey, "acc_1/TOKEN", "hunter2");
    assert.equal(await openSecret(keys, "acc_1/TOKEN", sealed), "hunter2");
    await assert.rejects(
      openSecret({ ...keys, oneKey: testKeys.serverKey }, "acc_1/TOKEN", sealed),
      /cannot be decrypted/,
    );
  });

  it("of one tenant are sealed by its own data key, those of the platform by another", async () => {
    const control = await TestControl.start();
    const tenancy = new Tenancy(control);
    for (const path of ["a", "a/t", "b"]) await tenancy.account(path);
    const vault = testVault(control.state);
    const keyFor = async (row: string) => keyOfSecret(await vault.seal(row, "value"));
    const idOf = (path: string) => control.state.accountByPath.get(path)!.id;
    const [a, below, b] = [
      await keyFor(`${idOf("a")}/X`),
      await keyFor(`${idOf("a/t")}/X`),
      await keyFor(`${idOf("b")}/X`),
    ];
    assert.equal(a, below);
    assert.notEqual(a, b);
    for (const row of ["engine-east", "provider/okta", `${idOf("")}/X`])
      assert.equal(await keyFor(row), await keyFor("anc_1"));
    assert.notEqual(await keyFor("anc_1"), a);
  });

  it("come from the nearest account upward", async () => {
    const control = await TestControl.start();
    const tenancy = new Tenancy(control);
    for (const path of ["a", "a/t", "b"]) await tenancy.account(path);
    await tenancy.secret("a", "ONE", "from a");
    await tenancy.secret("a", "TWO", "from a");
    await tenancy.secret("a/t", "TWO", "from t");
    const { state, reader } = control;
    const at = (path: string) => state.accountByPath.get(path)!.no;
    const sealed = await sealedSecretsFor(reader, state, at("a/t"), ["ONE", "TWO"]);
    const { secrets: values } = await testVault(state).forOrder(sealed);
    assert.deepEqual(values, { ONE: "from a", TWO: "from t" });
    await assert.rejects(sealedSecretsFor(reader, state, at("b"), ["ONE"]), /deleted/);
  });
});

describe("passwords", () => {
  it("are kept as argon2id with its parameters and compared in constant time", {
    skip: !passwordsWork && "this Node has no argon2",
  }, async () => {
    const hash = await hashPassword("correct horse");
    assert.match(hash, /^\$argon2id\$v=19\$m=65536,t=3,p=4\$/);
    assert.equal(await verifyPassword("correct horse", hash), true);
    assert.equal(await verifyPassword("correct horsf", hash), false);
    assert.equal(await verifyPassword("x", "not a hash"), false);
  });
});

describe("people", () => {
  it("have a login name that nobody else can take until it is erased", async () => {
    const place = new MemoryPlace();
    const control = await TestControl.start(place);
    const [one, two] = ["usr_1" as UserId, "usr_2" as UserId];
    await control.must({ kind: "user.create", user: one }, [personRow(one, { name: "ada", email: "a@b" })]);
    const people = await People.load(control.reader, control.state);
    assert.deepEqual(people.person(one), { name: "ada", email: "a@b" });
    assert.equal(people.claim(two, { name: "ada" }), false);
    people.forget(one);
    assert.equal(people.claim(two, { name: "ada" }), true);
    assert.equal(people.idOf("ada"), two);
  });
});

describe("listening", () => {
  it("beyond this machine needs TLS or an explicit word", () => {
    for (const host of ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
      assert.equal(checkListen(host, false, false), undefined);
    for (const host of ["0.0.0.0", "::", "10.0.0.1", "example.org", "127.0.0.1.evil.example"]) {
      assert.match(checkListen(host, false, false)!, /without TLS/);
      assert.equal(checkListen(host, true, false), undefined);
      assert.equal(checkListen(host, false, true), undefined);
    }
  });
});

it("keeps of a token only its hash", () => {
  const { token, hash, prefix } = mintToken();
  assert.equal(hash, tokenHash(token));
  assert.equal(prefix.length, 11);
  assert.equal(hash.includes(token.slice(5)), false);
});
