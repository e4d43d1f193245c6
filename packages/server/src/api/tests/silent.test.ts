import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { UserId } from "@tessera/core";
import { type Route, type RouteId, routes } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { Ground, lasting, type OpenStream, type Reader } from "../../testing/open-streams.ts";
import { makeWorld, requestFor, someProvider } from "../../testing/role-matrix.ts";
import { serveApi, type Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

/** Only what is committed may end a stream here: nothing looks by itself. */
const never = 2e9;
/** Far beyond what it takes, so that a busy machine does not matter; a stream that goes on is still found. */
const endsWithinMs = 20_000;
const page = { "sec-fetch-site": "same-origin" };

describe("a user that an identity system deactivates", () => {
  let control: TestControl;
  let server: TestServer;
  let tenancy: Tenancy;
  let ground: Ground;
  let root: TestUser;
  let reader: Reader;
  let user: UserId;
  let deactivate: () => Promise<void>;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 8));
    const world = await makeWorld(control);
    tenancy = world.tenancy;
    root = world.users["platform-owner"];
    await control.must({
      kind: "provider.set",
      name: "idp",
      terms: { ...someProvider, issuer: "https://idp.example" },
    });
    const streams = { perTokenMax: 1_000, perUserMax: 1_000, max: 9_000, lookEveryMs: never };
    const rate = { burst: 1e9, perSecond: 1e9 };
    server = await serveApi(control, {
      streams,
      inside: { lookEveryMs: never },
      rates: { user: rate, stranger: rate },
    });
    ground = await Ground.start(control, server);
    const { token: scim } = await server.must<{ token: string }>(root, "POST", "/v1/providers/idp/scim");
    const { json } = await server.call(scim, "POST", "/scim/v2/Users", { userName: "eve", externalId: "eve-1" });
    user = [...control.state.users.keys()].at(-1)!;
    await control.must({ kind: "role.bind", user, role: "platform-owner", account: "" });
    const job = await tenancy.job("acme", user, { name: "talks", gpus: 1 });
    await control.run(job);
    const { token } = await tenancy.token(user);
    const { json: session, headers } = await server.call(undefined, "POST", "/v1/session", { token }, page);
    const cookies = headers.getSetCookie().map((each) => each.split(";")[0]!);
    const cookie = cookies.find((each) => each.startsWith("tessera="))!;
    reader = { token, job, browser: { ...page, cookie, "tessera-proof": session.proof } };
    deactivate = async () => {
      const Operations = [{ op: "Replace", path: "active", value: "False" }];
      const done = await server.call(scim, "PATCH", `/scim/v2/Users/${json.id}`, { Operations });
      assert.equal(done.status, 200, done.text);
    };
  });
  after(async () => {
    ground.close();
    await server.close();
  });

  it("was opened every stream that the server has", () => {
    const folder = fileURLToPath(new URL("../../../src/api/", import.meta.url));
    const sources = globSync("**/*.ts", { cwd: folder }).filter((name) => !name.endsWith(".test.ts"));
    const streaming = sources.filter((name) =>
      /\bhijack\(\)|\.on\("upgrade"/.test(readFileSync(folder + name, "utf8")),
    );
    // Whatever answers past the framework can go on for ever: it is opened by open-streams.ts, or it is not here.
    assert.deepEqual(streaming.sort(), [
      "build.ts",
      "handle/files.ts",
      "handle/logs.ts",
      "inside/upgrade.ts",
      "watch/shared.ts",
    ]);
    assert.ok(lasting.length >= 18, lasting.join());
  });

  it("is silent on every stream at once, and refused on every route", async () => {
    const opened: OpenStream[] = [];
    for (const id of lasting) opened.push(...(await ground.open(id, reader)));
    const kept = await keepsakes(reader);
    const others = await keepsakes({ token: root.token, job: reader.job });
    const over = new Set<string>();
    const ends = opened.map((each) => each.over.then(() => over.add(each.name)));
    await sleep(100);
    assert.deepEqual([...over], [], "all are open");
    const began = performance.now();
    await deactivate();
    await Promise.race([Promise.all(ends), sleep(endsWithinMs, undefined, { ref: false })]);
    const ms = Math.round(performance.now() - began);
    assert.deepEqual(
      opened.map(({ name }) => name).filter((name) => !over.has(name)),
      [],
      "go on",
    );
    for (const [what, use] of Object.entries(kept)) assert.ok((await use()) >= 400, what);
    for (const [what, use] of Object.entries(others)) assert.ok((await use()) < 400, `${what} of someone else`);
    ground.quiet();
    const routesAsked = await askEveryRoute();
    console.log(
      `silent: ${opened.length} streams after ${ms} ms, ${routesAsked} routes refused by token and by session`,
    );
  });

  /** What was given to a person before, and could be used later. */
  async function keepsakes(by: Pick<Reader, "token" | "job">): Promise<Record<string, () => Promise<number>>> {
    const verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const { login } = (await server.call(undefined, "POST", "/v1/logins", { challenge, label: "laptop" })).json;
    assert.equal((await server.call(by.token, "POST", `/v1/logins/${login}/allow`, {})).status, 200);
    const [, ticket] = (await server.call(by.token, "POST", "/v1/session/link")).json.path.split("ticket=");
    const { host, cookie } = await ground.openPage(by);
    const unused = new URL(await ground.enter(by, { how: "page" }));
    const post = async (path: string, body: object) => (await server.call(undefined, "POST", path, body, page)).status;
    return {
      "a login that was allowed": () => post(`/v1/logins/${login}/token`, { verifier }),
      "a link into the console": () => post("/v1/session", { ticket }),
      "a token that would be a session": () => post("/v1/session", { token: by.token }),
      "the cookie of a page": () => ground.statusOf("/", { host, cookie }),
      "the ticket of a page": () => ground.statusOf(`/${unused.search}`, { host: unused.host }),
    };
  }

  /** The same request is refused to the person and not to someone else; of what anyone may ask, nothing more is told. */
  async function askEveryRoute(): Promise<number> {
    const wrong: string[] = [];
    const all = Object.entries(routes) as [RouteId, Route][];
    const others = ["/metrics", "/metrics/tenant"].map((path) => ["GET", path, undefined, false] as const);
    const asked = [...others];
    for (const [id, { method, resource }] of all) {
      const { path, body } = await requestFor(tenancy, id, "platform-owner", "own");
      asked.push([method, path, body, resource === "anyone"] as never);
    }
    for (const [method, path, body, anyone] of asked) {
      const byToken = await server.call(reader.token, method, path, body);
      const bySession = await server.call(undefined, method, path, body, reader.browser);
      const { token } = await tenancy.token(root.id);
      const other = await server.call(anyone ? undefined : token, method, path, body, anyone ? page : {});
      const refused = anyone ? [other.status, other.status] : [401, 401];
      if (byToken.status !== refused[0] || bySession.status !== refused[1] || (!anyone && other.status === 401))
        wrong.push(`${method} ${path}: ${byToken.status} ${bySession.status} ${other.status}`);
    }
    assert.deepEqual(wrong, []);
    return asked.length;
  }
});
