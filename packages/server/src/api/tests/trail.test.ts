import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { UserId } from "@tessera/core";
import {
  type AnchorShape,
  type ConsistencyShape,
  type HeadLine,
  type HeadShape,
  headText,
  isContinued,
  isSigned,
  parseHead,
} from "@tessera/wire";
import { hashPassword } from "../../access/passwords.ts";
import { People, personRow } from "../../access/people.ts";
import { sealedSecretsFor } from "../../access/secrets.ts";
import { Signature } from "../../access/signature.ts";
import { userWithPassword } from "../../flow/people/session.ts";
import { verify } from "../../flow/project/verify.ts";
import { Anchors } from "../../flow/trail/anchors.ts";
import { beginTrail } from "../../flow/trail/begin.ts";
import { Heads } from "../../flow/trail/heads.ts";
import type { PrivateWrite } from "../../store/port.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { openHeadEndpoint } from "../../testing/head-endpoint.ts";
import { serveApi, Tenancy, type TestServer, type TestUser, testKeys, testVault } from "../../testing/tenancy.ts";

const signature = new Signature(testKeys.held.signingKey);

async function until(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await look()); tries++) {
    if (tries > 400) assert.fail(`never came true: ${what}`);
    await sleep(25);
  }
}

describe("signed heads", () => {
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 4));
    await beginTrail(control, signature, () => {});
    owner = await new Tenancy(control).user("root", "platform-owner");
    server = await serveApi(control);
  });
  after(() => server.close());

  it("[S12] come with every answer to people who are signed in, and with no other", async () => {
    const { headers } = await server.call(owner.token, "GET", "/v1/whoami");
    const head = parseHead(headers.get("tessera-head") ?? "");
    assert.ok(head !== undefined && (await isSigned(head.text, head.signature, signature.publicKey)));
    assert.equal((await server.call(undefined, "GET", "/healthz")).headers.get("tessera-head"), null);
    assert.equal((await server.call("tess_wrong", "GET", "/v1/whoami")).headers.get("tessera-head"), null);
  });

  it("[S12] are each proved to continue the ones before", async () => {
    const heads: HeadShape[] = [];
    for (let i = 0; i < 9; i++) {
      await control.must({ kind: i % 2 ? "node.up" : "node.cordon", node: "n1", reason: "test" } as never);
      heads.push(await server.must<HeadShape>(owner, "GET", "/v1/journal/head"));
    }
    const last = heads.at(-1)!;
    for (const { row: from, tree: fromRoot } of heads) {
      const path = `/v1/journal/consistency?from=${from}&to=${last.row}`;
      const proof = await server.must<ConsistencyShape>(owner, "GET", path);
      const claim = { from, fromRoot, size: last.row, root: last.tree, path: proof.path };
      assert.equal(await isContinued(claim), true);
      assert.equal(await isContinued({ ...claim, fromRoot: last.hash }), false);
    }
  });

  it("[S12] go on from a file of blocks, also a damaged one and that of another journal", async () => {
    const folder = mkdtempSync(join(tmpdir(), "tess-tree-"));
    const file = join(folder, "journal.tree");
    for (let i = 0; i < 530; i++)
      await control.must({ kind: i % 2 ? "node.up" : "node.cordon", node: "n1", reason: "test" } as never);
    const whole = await (await Heads.open(control, signature)).current();
    for (const damage of [
      () => {},
      () => {},
      () => writeFileSync(file, readFileSync(file).fill(1, 90, 91)),
      () => rmSync(file),
    ]) {
      damage();
      const heads = await Heads.open(control, signature, file);
      assert.equal((await heads.current()).tree, whole.tree);
      heads.close();
    }
    assert.equal(readFileSync(file).length, 2 * 80);
    const other = await TestControl.start(undefined, fleetOf(1, 1));
    const heads = await Heads.open(other, signature, file);
    assert.equal((await heads.current()).row, (await other.reader.head()).seq);
    rmSync(folder, { recursive: true });
  });
});

describe("anchors", () => {
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "tess-anchor-"));
    control = await TestControl.start(undefined, fleetOf(2, 4));
    await beginTrail(control, signature, () => {});
    owner = await new Tenancy(control).user("root", "platform-owner");
    server = await serveApi(control);
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const list = async () => (await server.must<{ items: AnchorShape[] }>(owner, "GET", "/v1/anchors")).items;
  const remove = async (id: string) => void (await server.must(owner, "DELETE", `/v1/anchors/${id}`));

  it("in a folder get each new head, as a line of a file that is named after the server", async () => {
    const made = await server.must<AnchorShape>(owner, "POST", "/v1/anchors", { kind: "folder", to: folder });
    await until("a head is written", async () => (await list())[0]?.row !== undefined);
    const head = await server.must<HeadShape>(owner, "GET", "/v1/journal/head");
    const lines = readFileSync(join(folder, `${head.server}.heads`), "utf8")
      .trim()
      .split("\n");
    assert.equal(lines.at(-1), head.line);
    assert.equal((await verify(control.reader, { anchors: [] })).sound, true);
    await remove(made.id);
  });

  it("are refused where they could not work, with the reason", async () => {
    const why = async (body: object) => (await server.call(owner.token, "POST", "/v1/anchors", body)).json.detail;
    assert.match(await why({ kind: "folder", to: "heads" }), /not an absolute path/);
    assert.match(await why({ kind: "folder", to: join(folder, "nowhere") }), /cannot be used: ENOENT/);
    assert.match(await why({ kind: "http", to: "ftp://x" }), /is not an address/);
    assert.match(await why({ kind: "tessera", to: "https://x" }), /token is needed/);
    assert.match(await why({ kind: "tessera", to: "http://far.example", token: "t" }), /token in clear text/);
  });

  it("at an address are tried again until they answer, and show why they do not", async () => {
    const endpoint = await openHeadEndpoint();
    endpoint.broken = true;
    const heads = await Heads.open(control, signature);
    const vault = testVault(control.state);
    await control.must({ kind: "anchor.set", id: "anc_http", anchor: { kind: "http", to: endpoint.url } });
    const anchors = new Anchors({ control, heads, vault, everyMs: 20 });
    await until("a failure is shown", () => anchors.statusOf("anc_http").failure !== undefined);
    assert.match(anchors.statusOf("anc_http").failure!, /answered 503: not now/);
    endpoint.broken = false;
    await until("the head is kept", () => endpoint.kept.includes(heads.newest!.line));
    assert.equal(anchors.statusOf("anc_http").failure, undefined);
    await control.must({ kind: "anchor.drop", id: "anc_http" });
    await anchors.close();
    heads.close();
    endpoint.close();
  });

  it("in another Tessera are kept in its journal, and heads that go back or are forged are refused", async () => {
    const other = await TestControl.start(undefined, fleetOf(1, 1));
    const witness = await new Tenancy(other).user("root", "platform-owner");
    const there = await serveApi(other);
    const first = await server.must<HeadShape>(owner, "GET", "/v1/journal/head");
    const body = { kind: "tessera", to: there.url, token: witness.token };
    const { id } = await server.must<AnchorShape>(owner, "POST", "/v1/anchors", body);
    await until("it is witnessed", () => other.state.trail.witnessed.has(first.server));
    const kept = other.state.trail.witnessed.get(first.server)!;
    assert.ok(kept.row > first.row);
    const put = async (head: string, keys: object[] = first.keys) => {
      const answer = await there.call(witness.token, "POST", "/v1/witness", { head, keys });
      return { status: answer.status, detail: (answer.json as { detail?: string } | undefined)?.detail ?? "" };
    };
    assert.equal((await put(kept.line)).status, 204);
    const back = await put(first.line);
    assert.equal(back.status, 409);
    assert.ok(back.detail.includes(kept.line), "both heads are named");
    const thief = new Signature(randomBytes(32));
    const forged = await signedBy(thief, { ...parseHead(kept.line)!, row: kept.row + 1 });
    assert.equal((await put(forged, [{ publicKey: thief.publicKey }])).status, 422);
    assert.equal((await put(forged, [...first.keys, { publicKey: thief.publicKey }])).status, 422);
    const stranger = await signedBy(thief, { ...parseHead(kept.line)!, server: "00".repeat(8) });
    assert.equal((await put(stranger, [{ publicKey: thief.publicKey }])).status, 422, "an origin is its first key");
    await remove(id);
    await there.close();
  });
});

async function signedBy(signer: Signature, head: HeadLine): Promise<string> {
  const text = headText({ ...head, key: signer.keyId });
  return `${text} sig=${await signer.of(text)}`;
}

describe("private rows", () => {
  /** As somebody with the store would. */
  async function put(control: TestControl, row: PrivateWrite): Promise<void> {
    control.notePrivate([row]);
    await sleep(1);
  }

  it("[S12] from before they were covered are covered by the first start, names with a salt", async () => {
    const control = await TestControl.start();
    const ada = "usr_ada" as UserId;
    await control.must({ kind: "user.create", user: ada });
    await put(control, { kind: "person", key: ada, value: Buffer.from('{"name":"ada"}') });
    await beginTrail(control, signature, () => {});
    const row = (await control.reader.privates("person")).get(ada)!;
    assert.match(Buffer.from(row).toString(), /"name":"ada","salt":"[\w-]{22}"/);
    assert.equal((await People.load(control.reader, control.state)).nameOf(ada), "ada");
    assert.equal((await verify(control.reader)).sound, true);
    await assert.rejects(
      beginTrail(control, new Signature(randomBytes(32)), () => {}),
      /holds another key/,
    );
  });

  it("[S12] that were swapped open nothing, and verify names them; erased ones stay verifiable", async () => {
    const control = await TestControl.start();
    await beginTrail(control, signature, () => {});
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    const { id } = await tenancy.user("ada", "member", "lab");
    const hash = async (password: string) => Buffer.from(await hashPassword(password));
    await control.must({ kind: "password.set", user: id }, [
      { kind: "password", key: id, value: await hash("her own password") },
    ]);
    await tenancy.secret("lab", "KEY", "value");
    const people = await People.load(control.reader, control.state);
    assert.equal((await userWithPassword(control, people, "ada", "her own password"))?.id, id);
    await put(control, { kind: "password", key: id, value: await hash("the thief's") });
    assert.equal(await userWithPassword(control, people, "ada", "the thief's"), undefined);
    assert.match((await verify(control.reader)).fault ?? "", new RegExp(`private row password ${id} was swapped`));
    const [secret] = (await control.reader.privates("secret")).keys();
    await put(control, { kind: "secret", key: secret!, value: Buffer.from("swapped") });
    const { no } = control.state.accountByPath.get("lab")!;
    await assert.rejects(sealedSecretsFor(control.reader, control.state, no, ["KEY"]), /secret KEY has no value/);
    await control.must({ kind: "secret.delete", account: "lab", name: "KEY" }, [
      { kind: "secret", key: secret!, value: null },
    ]);
    await control.must({ kind: "user.erase", user: id }, [
      { kind: "person", key: id, value: null },
      { kind: "password", key: id, value: null },
    ]);
    assert.equal((await verify(control.reader)).sound, true);
    await put(control, personRow(id, { name: "back" }));
    assert.match((await verify(control.reader)).fault ?? "", /private row person usr_\w+ was inserted/);
  });
});
