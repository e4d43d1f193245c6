import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sessionBounds } from "@tessera/core";
import { isSameOrigin } from "../../access/origin.ts";
import { CheckQueue, SignInAttempts } from "../../access/session-attempts.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { type Answer, serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const password = "correct horse battery";
const minute = 60_000;
const [sessionIdleMs, sessionLifeMs] = [sessionBounds.idle.plainMs, sessionBounds.life.plainMs];

describe("sessions", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ana: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    tenancy = new Tenancy(control);
    await tenancy.account("acme");
    ana = await tenancy.user("ana", "member", "acme");
    server = await serveApi(control);
    const set = await server.call(ana.token, "PUT", `/v1/users/${ana.id}/password`, { password });
    assert.equal(set.status, 204);
  });
  after(() => server.close());

  /** What a browser keeps: the cookie in its jar, the proof in the storage of the console's origin. */
  interface Halves {
    readonly cookie: string;
    readonly "tessera-proof": string;
  }

  const own = { "sec-fetch-site": "same-origin" };
  const signIn = (body: object = { name: "ana", password }, headers: Record<string, string> = own) =>
    server.call(undefined, "POST", "/v1/session", body, headers);
  const cookieOf = (answer: Answer) =>
    answer.headers
      .getSetCookie()
      .find((each) => each.startsWith("tessera="))!
      .split(";")[0]!;
  const halvesOf = (answer: Answer): Halves => ({
    cookie: cookieOf(answer),
    "tessera-proof": answer.json.proof,
  });
  const ask = (halves: Partial<Halves>, method: string, path: string, body?: unknown, headers: object = own) =>
    server.call(undefined, method, path, body, { ...halves, ...headers } as Record<string, string>);
  const statusOf = async (halves: Partial<Halves>) => (await ask(halves, "GET", "/v1/whoami")).status;

  it("are opened with name and password, half in a cookie that scripts and other sites cannot use", async () => {
    const answer = await signIn();
    assert.equal(answer.status, 200);
    assert.equal(answer.json.me.name, "ana");
    assert.match(
      answer.headers.getSetCookie().find((each) => each.startsWith("tessera=")) ?? "",
      /^tessera=sess_[\w-]{43}\.\d+\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=7776000$/,
    );
    const me = await ask(halvesOf(answer), "GET", "/v1/whoami");
    assert.equal(me.json.user, ana.id);
  });

  it("are worth nothing by the cookie alone, which pages on other ports of the host are sent too", async () => {
    const { cookie, "tessera-proof": proof } = halvesOf(await signIn());
    const other = halvesOf(await signIn());
    assert.equal(await statusOf({ cookie }), 401);
    assert.equal(await statusOf({ "tessera-proof": proof }), 401);
    assert.equal(await statusOf({ cookie, "tessera-proof": other["tessera-proof"] }), 401);
    assert.equal((await ask({ cookie }, "DELETE", "/v1/session")).status, 401);
    assert.equal((await server.call(undefined, "GET", "/v1/jobs", undefined, { cookie, ...own })).status, 401);
    assert.equal(await statusOf({ cookie, "tessera-proof": proof }), 200, "and none of this ended it");
  });

  it("are bound to the address at which the browser signed in", async () => {
    const halves = halvesOf(await signIn());
    const elsewhere = server.url.replace("127.0.0.1", "localhost");
    assert.equal((await fetch(`${elsewhere}/v1/whoami`, { headers: { ...halves, ...own } })).status, 401);
    assert.equal((await fetch(`${server.url}/v1/whoami`, { headers: { ...halves, ...own } })).status, 200);
  });

  it("never hold a token: one is exchanged, with its scopes, its expiry and its end", async () => {
    const expiresAt = control.now() + 10 * minute;
    const { token, tokenId } = await tenancy.token(ana.id, ["job.read", "self.read"], expiresAt);
    const answer = await signIn({ token });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("set-cookie")!.includes(token.slice(5)), false);
    assert.equal(answer.text.includes(token.slice(5)), false);
    const halves = halvesOf(answer);
    assert.deepEqual((await ask(halves, "GET", "/v1/whoami")).json.scopes, ["job.read", "self.read"]);
    assert.equal((await ask(halves, "GET", "/v1/nodes")).status, 403);
    const session = [...control.state.tokens.values()].find(({ parent }) => parent === tokenId)!;
    assert.equal(session.expiresAt, expiresAt);
    await control.must({ kind: "token.revoke", token: tokenId });
    assert.equal(await statusOf(halves), 401);
    assert.equal(control.state.tokens.has(session.id), false);
    assert.equal((await signIn({ token: `tess_${"x".repeat(43)}` })).status, 401);
  });

  it("leave the token alone that they were exchanged for, when they end", async () => {
    const halves = halvesOf(await signIn({ token: ana.token }));
    const out = await ask(halves, "DELETE", "/v1/session");
    assert.match(out.headers.get("set-cookie")!, /^tessera=; .*Max-Age=0/);
    assert.equal(await statusOf(halves), 401);
    assert.equal((await server.call(ana.token, "GET", "/v1/whoami")).status, 200);
  });

  it("are not what older versions put into the cookie, and take that out of the browser", async () => {
    const cookie = `tessera=${ana.token}`;
    assert.equal(await statusOf({ cookie, "tessera-proof": "x" }), 401);
    const asked = await ask({ cookie }, "GET", "/v1/session");
    assert.deepEqual(asked.json, {});
    assert.match(asked.headers.get("set-cookie")!, /^tessera=; .*Max-Age=0/);
  });

  it("come from a link that works once, soon, and for its owner", async () => {
    const link = await server.call(ana.token, "POST", "/v1/session/link");
    const [, ticket] = /^\/sign-in#ticket=([\w-]{43})$/.exec(link.json.path) ?? assert.fail(link.text);
    const answer = await signIn({ ticket });
    assert.equal(answer.json.me.user, ana.id);
    assert.equal(await statusOf(halvesOf(answer)), 200);
    assert.equal((await signIn({ ticket })).status, 401);
    const late = (await server.call(ana.token, "POST", "/v1/session/link")).json.path.split("=")[1];
    control.setTime(control.now() + 10 * minute);
    assert.equal((await signIn({ ticket: late })).status, 401);
    const { token, tokenId } = await tenancy.token(ana.id);
    const revoked = (await server.call(token, "POST", "/v1/session/link")).json.path.split("=")[1];
    await control.must({ kind: "token.revoke", token: tokenId });
    assert.equal((await signIn({ ticket: revoked })).status, 401);
  });

  it("change their cookie every few minutes; a lost answer does no harm", async () => {
    const first = halvesOf(await signIn());
    control.setTime(control.now() + 6 * minute);
    const lost = await ask(first, "GET", "/v1/whoami");
    assert.match(lost.headers.get("set-cookie")!, /^tessera=sess_/);
    const next = { ...first, cookie: cookieOf(await ask(first, "GET", "/v1/whoami")) };
    assert.notEqual(next.cookie, first.cookie);
    assert.equal(await statusOf(next), 200);
    assert.equal(await statusOf(first), 200, "requests that were on their way");
    assert.equal((await ask(next, "GET", "/v1/whoami")).headers.get("set-cookie"), null);
  });

  it("end for all when a cookie that was replaced is used again, and the audit says so", async () => {
    const stolen = halvesOf(await signIn());
    control.setTime(control.now() + 6 * minute);
    const next = { ...stolen, cookie: cookieOf(await ask(stolen, "GET", "/v1/whoami")) };
    assert.equal(await statusOf(next), 200);
    control.setTime(control.now() + minute);
    const { "tessera-proof": _, ...cookieAlone } = stolen;
    assert.equal(await statusOf(cookieAlone), 401);
    assert.equal(await statusOf(next), 200, "with the cookie alone it cannot even be ended");
    const used = await ask(stolen, "GET", "/v1/whoami");
    assert.equal(used.status, 401);
    assert.match(used.json.detail, /may have been copied/);
    assert.equal(await statusOf(next), 401);
  });

  it("are twenty for a user at most; one more ends the oldest", async () => {
    const first = halvesOf(await signIn({ token: ana.token }));
    for (let i = 0; i < 20; i++) {
      control.setTime(control.now() + 1);
      await signIn({ token: ana.token });
    }
    assert.equal(await statusOf(first), 401);
    const sessions = [...control.state.tokens.values()].filter(({ prefix }) => prefix.startsWith("sess_"));
    assert.equal(sessions.length, 20);
  });

  it("tell a page whether anybody is signed in, without an error", async () => {
    const halves = halvesOf(await signIn());
    assert.deepEqual((await server.call(undefined, "GET", "/v1/session")).json, {});
    assert.equal((await ask(halves, "GET", "/v1/session")).json.me.name, "ana");
  });

  it("do not count as a bearer token", async () => {
    const { cookie, "tessera-proof": proof } = halvesOf(await signIn());
    for (const text of [cookie.split("=")[1], cookie.split("=")[1]!.split(".")[0], proof])
      assert.equal((await server.call(text, "GET", "/v1/whoami")).status, 401);
  });

  it("work only for our own page", async () => {
    const halves = halvesOf(await signIn());
    const make = (headers: Record<string, string>) => ask(halves, "POST", "/v1/session/link", undefined, headers);
    assert.equal((await make({ "sec-fetch-site": "cross-site" })).status, 403);
    assert.equal((await make({ "sec-fetch-site": "same-site" })).status, 403);
    assert.equal((await make({ origin: "http://evil.example" })).status, 403);
    assert.equal((await make({})).status, 403);
    assert.equal((await make({ origin: server.url })).status, 200);
    const read = await ask(halves, "GET", "/v1/whoami", undefined, { "sec-fetch-site": "same-site" });
    assert.equal(read.status, 403);
    assert.equal((await ask(halves, "POST", "/v1/tokens", {})).json.field, "currentPassword");
    assert.equal((await signIn(undefined, { "sec-fetch-site": "cross-site" })).status, 403);
  });

  it("[S33] end at once when they are revoked, also a stream that is open", async () => {
    const halves = halvesOf(await signIn());
    const stream = await EventStream.open(`${server.url}/v1/jobs`, "", { ...halves });
    await stream.next();
    assert.equal((await ask(halves, "DELETE", "/v1/session")).status, 204);
    assert.equal(await statusOf(halves), 401);
    assert.equal(await stream.next(), undefined);
  });

  it("end everywhere when that is asked for, and when the password is changed", async () => {
    const first = halvesOf(await signIn());
    const second = halvesOf(await signIn());
    assert.equal((await ask(first, "DELETE", "/v1/sessions")).status, 204);
    for (const halves of [first, second]) assert.equal(await statusOf(halves), 401);
    const third = halvesOf(await signIn());
    const fourth = halvesOf(await signIn());
    await ask(third, "PUT", `/v1/users/${ana.id}/password`, { password, currentPassword: password });
    assert.equal(await statusOf(third), 200);
    assert.equal(await statusOf(fourth), 401);
  });

  it("end when nobody uses them, and after half a day whatever happens", async () => {
    const idle = halvesOf(await signIn());
    control.setTime(control.now() + sessionIdleMs + 1);
    assert.equal(await statusOf(idle), 401);
    let old = halvesOf(await signIn());
    for (let spent = 0; spent < sessionLifeMs; spent += sessionIdleMs) {
      const answer = await ask(old, "GET", "/v1/whoami");
      assert.equal(answer.status, 200);
      if (spent > 0) old = { ...old, cookie: cookieOf(answer) };
      control.setTime(control.now() + sessionIdleMs);
    }
    assert.equal(await statusOf(old), 401);
  });

  it("answer a wrong password like a name that nobody has, and make one wait after the fifth", async () => {
    const wrong = await signIn({ name: "ana", password: "wrong" });
    const nobody = await signIn({ name: "nobody", password: "wrong" });
    assert.equal(wrong.status, 401);
    assert.equal(wrong.json.detail, nobody.json.detail);
    assert.equal(wrong.text.includes("wrong"), false);
    // A busy machine may take longer to answer than the first waits last; they double.
    let late = nobody;
    for (let i = 0; i < 12 && late.status !== 429; i++) late = await signIn({ name: "nobody", password: "wrong" });
    assert.equal(late.status, 429);
    assert.match(late.headers.get("retry-after")!, /^\d+$/);
    assert.equal((await signIn()).status, 200, "another name is not kept waiting");
  });
});

describe("attempts to sign in", () => {
  const from = (address: string) => ({ name: "a", address, device: undefined });

  it("cost a wait that doubles up to a quarter of an hour, by name and address", () => {
    const attempts = new SignInAttempts();
    const one = from("1.1.1.1");
    for (let i = 0; i < 5; i++) {
      assert.equal(attempts.waitMs(one, 0), 0);
      attempts.failed(one, 0);
    }
    assert.equal(attempts.waitMs(one, 0), 1_000);
    attempts.failed(one, 0);
    assert.equal(attempts.waitMs(one, 500), 1_500);
    assert.equal(attempts.waitMs(from("2.2.2.2"), 0), 0);
    for (let i = 0; i < 14; i++) attempts.failed(one, 0);
    assert.equal(attempts.waitMs(one, 0), 900_000);
    attempts.succeeded(one);
    assert.equal(attempts.waitMs(one, 0), 0);
  });

  it("from many addresses of one network are one source: the loopback, a /64 and a /24", () => {
    for (const address of [(i: number) => `127.0.0.${i + 1}`, (i: number) => `2001:db8:0:1::${i + 1}`]) {
      const attempts = new SignInAttempts();
      let guesses = 0;
      for (let i = 0; i < 60; i++) {
        if (attempts.waitMs(from(address(i)), 0) > 0) continue;
        attempts.failed(from(address(i)), 0);
        guesses++;
      }
      assert.equal(guesses, 5);
    }
    const attempts = new SignInAttempts();
    let guesses = 0;
    for (let i = 0; i < 250; i++) {
      const attempt = { ...from(`10.1.1.${i}`), name: `n${i % 50}` };
      if (attempts.waitMs(attempt, 0) > 0) continue;
      attempts.failed(attempt, 0);
      guesses++;
    }
    assert.equal(guesses, 100);
  });

  it("from everywhere do not keep out a browser in which the user has signed in, nor one try from a new network", () => {
    const attempts = new SignInAttempts();
    for (let i = 0; i < 150; i++) attempts.failed(from(`10.${i}.0.1`), 0);
    assert.equal(attempts.waitMs(from("192.0.2.7"), 0), 0, "one right password from anywhere gets in");
    attempts.failed(from("192.0.2.7"), 0);
    assert.ok(attempts.waitMs(from("192.0.2.7"), 0) > 0, "a second guess waits");
    for (let i = 0; i < 500; i++) attempts.failed(from(`11.${i % 250}.${i}.1`), 0);
    assert.ok(attempts.waitMs(from("192.0.2.8"), 0) > 0);
    assert.equal(attempts.waitMs({ ...from("192.0.2.8"), device: "known" }, 0), 0);
    assert.equal(attempts.waitMs({ ...from("11.1.1.1"), device: "known" }, 0), 0);
  });

  it("are not paid for with one's own password, fade, and never more than ten thousand are kept", () => {
    const attempts = new SignInAttempts();
    for (let i = 0; i < 40; i++) {
      attempts.failed({ ...from("1.1.1.1"), name: `n${i}` }, 0);
      attempts.succeeded({ ...from("1.1.1.1"), name: "mine" });
    }
    assert.ok(attempts.waitMs(from("1.1.1.1"), 0) > 0);
    assert.equal(attempts.waitMs(from("1.1.1.1"), 3_600_000), 0);
    for (let i = 0; i < 12_000; i++) attempts.failed({ ...from("1.1.1.1"), name: `m${i}` }, 0);
    assert.equal(attempts.size, 10_000);
  });

  it("are checked two at a time, and refused when too many wait", async () => {
    const queue = new CheckQueue();
    let running = 0;
    let most = 0;
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const one = (address: string, device?: string) =>
      queue.run({ address, device }, async () => {
        most = Math.max(most, ++running);
        await gate;
        running--;
        return "done";
      });
    const flood = Array.from({ length: 40 }, () => one("10.0.0.1"));
    const others = Array.from({ length: 40 }, (_, i) => one(`10.0.${i}.2`));
    const known = one("10.0.0.1", "her browser");
    go();
    const done = async (asked: Promise<string | undefined>[]) =>
      (await Promise.all(asked)).filter((answer) => answer === "done").length;
    assert.equal(await known, "done", "a flood does not refuse a known browser");
    assert.deepEqual([await done(flood), await done(others), most], [6, 28, 2]);
    assert.equal(await one("10.0.0.1"), "done");
  });

  it("believe what a browser says about where a request comes from", () => {
    assert.equal(isSameOrigin({ "sec-fetch-site": "same-origin", origin: "http://other" }), true);
    assert.equal(isSameOrigin({ "sec-fetch-site": "none" }), false);
    assert.equal(isSameOrigin({ host: "a:1", origin: "https://a:1" }), true);
    assert.equal(isSameOrigin({ host: "a:1", origin: "null" }), false);
    assert.equal(isSameOrigin({ host: "a:1" }), "untold");
  });
});
