import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StandIn } from "../../testing/stand-in.ts";
import { runTess } from "../../testing/terminal.ts";

const at = new Date().toISOString();
const item = { kind: "browser", address: "10.0.0.7", by: "password", createdAt: at, lastUsedAt: at } as const;
const here = { ...item, id: "tok_here", kind: "tess", device: "tess on laptop", here: true, fresh: false } as const;
const desk = { ...item, id: "tok_desk", device: "Firefox on Linux", here: false, fresh: false } as const;
const odd = { ...item, id: "tok_odd", device: "Chrome on Windows", here: false, fresh: true } as const;

describe("where one is signed in", () => {
  it("is listed by device, with this one and new ones marked", async (t) => {
    const server = await StandIn.start(t);
    server.on("listSessions", () => ({ items: [here, desk, odd] }));
    const { out, code } = await runTess(["session", "get"], { env: server.env, columns: 140 });
    assert.equal(code, 0);
    assert.match(out, /tok_here .*tess on laptop.*10\.0\.0\.7.*this one/);
    assert.match(out, /tok_odd .*Chrome on Windows.*new device: was it you\?/);
    const { out: json } = await runTess(["session", "get", "-o", "json"], { env: server.env });
    assert.deepEqual(JSON.parse(json).items?.length ?? JSON.parse(json).length, 3);
  });

  it("ends one by its name, or all others, and never this one by --others", async (t) => {
    const server = await StandIn.start(t);
    server.on("listSessions", () => ({ items: [here, desk, odd] }));
    server.on("revokeToken", () => ({}));
    const ended = () => server.requestsTo("revokeToken").map(({ at: { token } }) => token);
    await runTess(["session", "revoke", "Firefox on Linux", "-y"], { env: server.env });
    assert.deepEqual(ended(), ["tok_desk"]);
    const { out } = await runTess(["session", "revoke", "--others", "-y"], { env: server.env });
    assert.deepEqual(ended(), ["tok_desk", "tok_desk", "tok_odd"]);
    assert.match(out, /tok_odd \(Chrome on Windows\) ended/);
    assert.equal((await runTess(["session", "revoke"], { env: server.env })).code, 2, "nothing named");
  });

  it("gets a name", async (t) => {
    const server = await StandIn.start(t);
    server.on("listSessions", () => ({ items: [odd] }));
    server.on("nameSession", ({ body }) => ({ ...odd, device: (body as { label: string }).label, fresh: false }));
    const { out } = await runTess(["session", "name", "tok_odd", "desk"], { env: server.env });
    assert.match(out, /tok_odd is desk/);
  });
});

describe("second factors in a terminal", () => {
  const phone = { id: "fac_1", kind: "totp", label: "phone", createdAt: at } as const;

  it("are listed, removed by name, and added in a browser", async (t) => {
    const server = await StandIn.start(t);
    server.on("listFactors", () => ({ needed: true, items: [phone] }));
    server.on("removeFactor", () => ({}));
    const env = server.env;
    assert.match((await runTess(["factor", "get"], { env })).out, /fac_1\s+authenticator app\s+phone/);
    assert.match((await runTess(["factor", "remove", "phone", "-y"], { env })).out, /phone removed/);
    assert.equal(server.requestsTo("removeFactor")[0]!.at.factor, "fac_1");
    assert.match((await runTess(["factor", "add"], { env })).out, /^Open http:.*\/people\/me/);
  });
});

it("asks for the password once more where a credential needs it, and sends it with the same request", async (t) => {
  const server = await StandIn.start(t);
  server.on("createToken", ({ body }) => {
    const { currentPassword } = body as { currentPassword?: string };
    if (currentPassword === "correct horse") return made;
    const field = "currentPassword";
    const detail = "is missing: credentials are changed only with the password";
    return {
      status: 403,
      body: { code: "forbidden", title: "", status: 403, detail, field, problems: [{ field, message: detail }] },
    };
  });
  const made = {
    ...{ id: "tok_1", user: "usr_1", prefix: "tess_abc", label: "", scopes: [], createdAt: at },
    token: "tess_made",
  };
  const { code, out } = await runTess(["token", "create"], {
    env: server.env,
    columns: 80,
    input: "correct horse\n",
  });
  assert.equal(code, 0);
  assert.match(out, /tess_made/);
  const [first, second] = server.requestsTo("createToken");
  assert.equal(first!.headers["idempotency-key"], second!.headers["idempotency-key"]);
  assert.equal((await runTess(["token", "create"], { env: server.env })).code, 77, "a script is not asked");
});
