import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ContentStore } from "@tessera/content";
import { plainPolicy, treeText } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const digest = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const bytes = { "content-type": "application/octet-stream" };

interface Head {
  readonly path?: string;
  readonly bytes?: number;
  readonly offset?: number;
  readonly sha256?: string;
}

function part(text: string, head: Head = {}): Buffer {
  const length = Buffer.byteLength(text);
  const line = JSON.stringify({ sha256: digest(text), bytes: length, offset: 0, length, ...head });
  return Buffer.from(`${line}\n${text}`);
}

describe("content", () => {
  let control: TestControl;
  let server: TestServer;
  let tenancy: Tenancy;
  let folder: string;
  let ann: TestUser;
  let bob: TestUser;
  let eve: TestUser;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "tessera-content-api-"));
    control = await TestControl.start(undefined, fleetOf(1, 4));
    tenancy = new Tenancy(control);
    for (const path of ["lab", "lab/vision", "mill"]) await tenancy.account(path);
    ann = await tenancy.user("ann", "member", "lab");
    bob = await tenancy.user("bob", "viewer", "lab");
    eve = await tenancy.user("eve", "member", "mill");
    server = await serveApi(control, {}, undefined, new ContentStore(folder));
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const upload = (user: TestUser, ...parts: Buffer[]) =>
    server.call(user.token, "POST", "/v1/content", new Uint8Array(Buffer.concat(parts)), bytes);
  const missing = async (user: TestUser, ...digests: string[]) =>
    (await server.call(user.token, "POST", "/v1/content/missing", { digests })).json.missing;

  it("takes many files in one request, says what is missing, and tells no other tenant", async () => {
    const [a, b] = [digest("alpha"), digest("beta")];
    assert.deepEqual(await missing(ann, a, b), [
      { sha256: a, have: 0 },
      { sha256: b, have: 0 },
    ]);
    const taken = await upload(ann, part("alpha", { path: "a.py" }), part("beta"), part(""));
    assert.deepEqual([taken.status, taken.json], [200, { parts: 3, bytes: 9 }], taken.text);
    assert.deepEqual(await missing(ann, a, b), []);
    assert.equal((await missing(eve, a)).length, 1);
    const inside = await server.call(ann.token, "POST", "/v1/content/missing", { project: "lab/vision", digests: [a] });
    assert.deepEqual(inside.json.missing, [], "the accounts of a tenant share what was sent");
    assert.equal((await upload(bob, part("gamma"))).status, 403, "who may not submit may not send");
    assert.equal((await upload(ann, part("alpha"))).status, 200, "again is fine");
  });

  it("goes on where a sender stopped", async () => {
    const sha256 = digest("0123456789");
    const piece = (text: string, offset: number) => part(text, { sha256, bytes: 10, offset });
    assert.equal((await upload(ann, piece("0123", 0))).status, 200);
    assert.deepEqual(await missing(ann, sha256), [{ sha256, have: 4 }]);
    const wrong = await upload(ann, piece("89", 8));
    assert.deepEqual([wrong.status, wrong.json.code], [409, "conflict"]);
    assert.equal((await upload(ann, piece("456789", 4))).status, 200);
    assert.deepEqual(await missing(ann, sha256), []);
  });

  it("refuses what is not what it says, and names the file", async () => {
    const changed = await upload(ann, part("new", { sha256: digest("old"), path: "train.log" }));
    assert.equal(changed.status, 409);
    assert.match(changed.json.detail, /"train\.log" .*changed while it was sent/);
    for (const [body, status] of [
      [Buffer.from("no head"), 400],
      [Buffer.from("{}\nx"), 400],
      [Buffer.from(`${"x".repeat(5_000)}\n`), 400],
      [part("abc", { bytes: 2 }), 422],
      [part("abc").subarray(0, -1), 400],
      [part("a", { sha256: "../../../etc/passwd" }), 400],
    ] as const) {
      const answer = await upload(ann, body);
      assert.equal(answer.status, status, answer.text);
    }
    assert.equal(
      (await server.call(ann.token, "POST", "/v1/content", "{}", { "content-type": "text/plain" })).status,
      415,
    );
    const elsewhere = await server.call(ann.token, "POST", "/v1/jobs", new Uint8Array(part("x")), bytes);
    assert.equal(elsewhere.status, 415);
    assert.deepEqual(await readdir(folder).then((names) => names.every((name) => name.startsWith("acc_"))), true);
  });

  it("keeps to the owner's limits and says what would pass them", async () => {
    await control.must({
      kind: "policy.set",
      policy: { ...plainPolicy, snapshotMiBMax: 1, snapshotFilesMax: 1, contentMiBMax: 1 },
    });
    const big = await upload(ann, part("x", { path: "data.bin", bytes: 2_000_000 }));
    assert.deepEqual([big.status, big.json.code], [403, "not-allowed"]);
    assert.match(big.json.detail, /"data\.bin" has 2000000 bytes/);
    assert.match(big.json.hint, /\.tessignore/i);
    const full = await upload(ann, part("x", { path: "more.bin", bytes: 1_048_576 }));
    assert.match(full.json.detail, /of the 1048576 bytes that your organisation may keep/);
    const file = (path: string) => ({ path, mode: 0o644, bytes: 5, sha256: digest("alpha") });
    const two = treeText({ files: [file("a"), file("b")] });
    assert.equal((await upload(ann, part(two))).status, 200);
    const job = await server.call(ann.token, "POST", "/v1/jobs", { run: "true", workdir: { tree: digest(two) } });
    assert.deepEqual([job.status, job.json.field], [422, "workdir.tree"]);
    assert.match(job.json.detail, /2 files, and 1 are allowed/);
    await control.must({ kind: "policy.set", policy: plainPolicy });
  });

  it("leaves the room on the disk that the owner wants to keep free", async () => {
    const full = await serveApi(control, {}, undefined, new ContentStore(folder, Number.MAX_SAFE_INTEGER));
    const body = new Uint8Array(part("new one", { path: "a.py" }));
    const answer = await full.call(ann.token, "POST", "/v1/content", body, bytes);
    await full.close();
    assert.deepEqual([answer.status, answer.json.code], [507, "no-space"], answer.text);
    assert.match(answer.json.detail, /"a\.py" cannot be kept: the disk of the server is full/);
  });

  it("submits a job with a snapshot only when all of it is there, and shows where it came from", async () => {
    const tree = treeText({ files: [{ path: "train.py", mode: 0o644, bytes: 5, sha256: digest("alpha") }] });
    const workdir = { tree: digest(tree), commit: "a".repeat(40), dirty: true, from: "/home/ann/run" };
    const submit = (user: TestUser, body: object) =>
      server.call(user.token, "POST", "/v1/jobs", { run: "true", ...body });
    const early = await submit(ann, { workdir });
    assert.equal(early.status, 422);
    assert.match(early.json.detail, /is not kept here: send it again/);
    await upload(ann, part(tree));
    const made = await submit(ann, { workdir, venv: { path: "/opt/env", optional: true } });
    assert.equal(made.status, 201, made.text);
    const { spec } = (await server.call(ann.token, "GET", `/v1/jobs/${made.json.id}`)).json;
    assert.deepEqual([spec.workdir, spec.venv], [workdir, { path: "/opt/env", optional: true }]);
    assert.equal((await submit(ann, { workdir: spec.workdir })).status, 201, "what is shown can be submitted");
    const apply = async (commit: string) =>
      (
        await server.call(ann.token, "POST", "/v1/jobs/apply", {
          run: "true",
          name: "svc",
          not_before: "2999-01-01T00:00Z",
          workdir: { ...workdir, commit },
        })
      ).json.id;
    assert.equal(await apply("b".repeat(40)), await apply("c".repeat(40)), "the same files are the same job");
    assert.equal((await submit(eve, { workdir })).status, 422, "another tenant cannot start from it");
    const lacking = treeText({ files: [{ path: "gone.py", mode: 0o644, bytes: 9, sha256: digest("not sent") }] });
    await upload(ann, part(lacking));
    assert.match((await submit(ann, { workdir: { tree: digest(lacking) } })).json.detail, /gone\.py/);
  });

  it("takes a repository or a folder of the node, and refuses what is neither", async () => {
    const submit = (workdir: unknown) => server.call(ann.token, "POST", "/v1/jobs", { run: "true", workdir });
    for (const workdir of [
      "/data/run",
      { in_place: "/home/ann" },
      { git: "https://example.org/a.git", ref: "v1" },
      { git: "git@example.org:a/b.git" },
    ]) {
      const made = await submit(workdir);
      assert.equal(made.status, 201, made.text);
      assert.deepEqual((await server.call(ann.token, "GET", `/v1/jobs/${made.json.id}`)).json.spec.workdir, workdir);
    }
    for (const [workdir, field] of [
      ["run", "workdir"],
      [{ in_place: "." }, "workdir.in_place"],
      [{ git: "--upload-pack=x" }, "workdir.git"],
      [{ git: "ext::sh -c id" }, "workdir.git"],
      [{ git: "https://example.org/a.git", ref: "--exec" }, "workdir.ref"],
    ] as const) {
      const answer = await submit(workdir);
      assert.deepEqual([answer.status, answer.json.field], [422, field], answer.text);
    }
  });
});
