import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isSameOrigin, sessionIdleMs, sessionLifeMs } from "../../access/session.ts";
import { CheckQueue, SignInAttempts } from "../../access/session-attempts.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { EventStream } from "../../testing/event-stream.ts";
import { type Answer, serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

const password = "correct horse battery";

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

  const own = { "sec-fetch-site": "same-origin" };
  const signIn = (body: object = { name: "ana", password }, headers: Record<string, string> = own) =>
    server.call(undefined, "POST", "/v1/session", body, headers);
  const cookieOf = (answer: Answer) =>
    answer.headers
      .getSetCookie()
      .find((each) => each.startsWith("tessera="))!
      .split(";")[0]!;
  const withCookie = (cookie: string, method: string, path: string, body?: unknown, headers = own) =>
    server.call(undefined, method, path, body, { cookie, ...headers });

  it("are opened with name and password, in a cookie that scripts and other sites cannot use", async () => {
    const answer = await signIn();
    assert.equal(answer.status, 200);
    assert.equal(answer.json.name, "ana");
    assert.match(
      answer.headers.getSetCookie().find((each) => each.startsWith("tessera=")) ?? "",
      /^tessera=sess_[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    const me = await withCookie(cookieOf(answer), "GET", "/v1/whoami");
    assert.equal(me.json.user, ana.id);
  });

  it("tell a page whether anybody is signed in, without an error", async () => {
    const cookie = cookieOf(await signIn());
    assert.deepEqual((await server.call(undefined, "GET", "/v1/session")).json, {});
    assert.equal((await withCookie(cookie, "GET", "/v1/session")).json.me.name, "ana");
  });

  it("do not count as a bearer token", async () => {
    const cookie = cookieOf(await signIn());
    const answer = await server.call(cookie.split("=")[1], "GET", "/v1/whoami");
    assert.equal(answer.status, 401);
  });

  it("change something only for our own page", async () => {
    const cookie = cookieOf(await signIn());
    const ask = (headers: Record<string, string>) =>
      server.call(undefined, "POST", "/v1/tokens", {}, { cookie, ...headers });
    assert.equal((await ask({ "sec-fetch-site": "cross-site" })).status, 403);
    assert.equal((await ask({ "sec-fetch-site": "same-site" })).status, 403);
    assert.equal((await ask({ origin: "http://evil.example" })).status, 403);
    assert.equal((await ask({})).status, 403);
    assert.equal((await ask({ origin: server.url })).json.field, "currentPassword");
    assert.equal((await signIn(undefined, { "sec-fetch-site": "cross-site" })).status, 403);
  });

  it("[S33] end at once when they are revoked, also a stream that is open", async () => {
    const cookie = cookieOf(await signIn());
    const stream = await EventStream.open(`${server.url}/v1/jobs`, "", { cookie });
    await stream.next();
    assert.equal((await withCookie(cookie, "DELETE", "/v1/session")).status, 204);
    assert.equal((await withCookie(cookie, "GET", "/v1/whoami")).status, 401);
    assert.equal(await stream.next(), undefined);
  });

  it("end everywhere when that is asked for, and when the password is changed", async () => {
    const first = cookieOf(await signIn());
    const second = cookieOf(await signIn());
    assert.equal((await withCookie(first, "DELETE", "/v1/sessions")).status, 204);
    for (const cookie of [first, second]) assert.equal((await withCookie(cookie, "GET", "/v1/whoami")).status, 401);
    const third = cookieOf(await signIn());
    const fourth = cookieOf(await signIn());
    await withCookie(third, "PUT", `/v1/users/${ana.id}/password`, { password, currentPassword: password });
    assert.equal((await withCookie(third, "GET", "/v1/whoami")).status, 200);
    assert.equal((await withCookie(fourth, "GET", "/v1/whoami")).status, 401);
  });

  it("end when nobody uses them, and after a day whatever happens", async () => {
    const idle = cookieOf(await signIn());
    control.setTime(control.now() + sessionIdleMs + 1);
    assert.equal((await withCookie(idle, "GET", "/v1/whoami")).status, 401);
    const old = cookieOf(await signIn());
    for (let spent = 0; spent < sessionLifeMs; spent += sessionIdleMs) {
      assert.equal((await withCookie(old, "GET", "/v1/whoami")).status, 200);
      control.setTime(control.now() + sessionIdleMs);
    }
    assert.equal((await withCookie(old, "GET", "/v1/whoami")).status, 401);
  });

  it("can hold a token, which signing out leaves alone", async () => {
    const answer = await signIn({ token: ana.token });
    const cookie = cookieOf(answer);
    assert.equal((await withCookie(cookie, "GET", "/v1/whoami")).status, 200);
    const out = await withCookie(cookie, "DELETE", "/v1/session");
    assert.match(out.headers.get("set-cookie")!, /^tessera=; .*Max-Age=0/);
    assert.equal((await server.call(ana.token, "GET", "/v1/whoami")).status, 200);
    assert.equal((await signIn({ token: `tess_${"x".repeat(43)}` })).status, 401);
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
