import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it, mock } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { HostileProvider, sendJson } from "../../testing/hostile-provider.ts";
import { type Post, signInWith } from "../../testing/oidc-cases.ts";
import { serveApi, Tenancy, type TestServer } from "../../testing/tenancy.ts";

const terms = { clientId: "tessera", label: "Corp", groupsClaim: "groups", scopes: [], rules: [], acr: [] };

describe("a provider that changes its keys", () => {
  let control: TestControl;
  let server: TestServer;
  let provider: HostileProvider;
  let post: Post;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    await new Tenancy(control).user("root", "platform-owner");
    server = await serveApi(control);
    post = async (path, body, headers) => {
      const { status, headers: answered, json } = await server.call(undefined, "POST", path, body, headers);
      return { status, cookies: answered.getSetCookie(), json };
    };
    mock.timers.enable({ apis: ["Date"], now: Date.now() });
  });
  beforeEach(async () => {
    await provider?.close();
    provider = await HostileProvider.start();
    await control.must({ kind: "provider.set", name: "corp", terms: { ...terms, issuer: provider.issuer } });
  });
  after(async () => {
    mock.timers.reset();
    await provider.close();
    await server.close();
  });

  const later = (seconds: number) => mock.timers.setTime(Date.now() + seconds * 1_000);
  const keysAsked = () => provider.asked.get("/jwks") ?? 0;
  const enter = async () => (await signInWith(post, "corp", (url) => provider.authorize(url))).status;
  const tell = async (token: string) => {
    const form = new URLSearchParams({ logout_token: token });
    return (await fetch(`${server.url}/sign-in/logout/corp`, { method: "POST", body: form })).status;
  };

  it("is asked for its keys once, and the new one is believed, a minute after the last time", async () => {
    assert.equal(await enter(), 200);
    assert.equal(await enter(), 200);
    assert.equal(keysAsked(), 1);
    await provider.rollKeys();
    assert.equal(await enter(), 401, "within the minute the keys stay as they are");
    assert.equal(keysAsked(), 1);
    later(60);
    assert.equal(await enter(), 200);
    assert.equal(await enter(), 200);
    assert.equal(keysAsked(), 2);
  });

  it("takes a key back: as soon as another is seen, and after five minutes in any case", async () => {
    assert.equal(await enter(), 200);
    await provider.rollKeys();
    later(60);
    assert.equal(await enter(), 200);
    provider.misdeed = { sign: "retired" };
    assert.equal(await enter(), 401, "the new keys are known, and this one is not among them");
    provider.misdeed = {};
    await provider.rollKeys();
    provider.misdeed = { sign: "retired" };
    later(299);
    assert.equal(await enter(), 200, "not known yet to be taken back");
    later(1);
    assert.equal(await enter(), 401);
  });

  it("is not asked again and again by tokens that name keys which it does not have", async () => {
    assert.equal(await enter(), 200);
    await provider.rollKeys();
    const strange = () => Promise.all(Array.from({ length: 20 }, enter));
    assert.deepEqual(new Set(await strange()), new Set([401]));
    assert.equal(keysAsked(), 1);
    provider.misdeed = { sign: "unpublished" };
    later(60);
    assert.deepEqual(new Set(await strange()), new Set([401]));
    assert.equal(keysAsked(), 2);
  });

  it("has its logout tokens believed by the same rules, and is not asked more often by anyone who sends some", async () => {
    assert.equal(await tell(await provider.logoutToken({ sub: "ana" })), 200);
    await provider.rollKeys();
    for (let i = 0; i < 20; i++) assert.equal(await tell(await provider.logoutToken({ sub: "ana" })), 400);
    later(29);
    assert.equal(await tell(await provider.logoutToken({ sub: "ana" })), 400);
    assert.equal(keysAsked(), 1, "tokens with an unknown key, no request");
    later(1);
    assert.equal(await tell(await provider.logoutToken({ sub: "ana" })), 200);
    assert.equal(await tell(await provider.logoutToken({ sub: "ana" }, "retired")), 400);
    assert.equal(keysAsked(), 2);
    await provider.rollKeys();
    later(299);
    assert.equal(await tell(await provider.logoutToken({ sub: "ana" }, "retired")), 200);
    later(1);
    assert.equal(await tell(await provider.logoutToken({ sub: "ana" }, "retired")), 400);
    assert.equal(keysAsked(), 3);
  });

  it("is not asked more often while its keys cannot be had", async () => {
    provider.misdeed = { answers: { "/jwks": (response) => sendJson(response, { error: "away" }, 503) } };
    for (let i = 0; i < 20; i++) assert.equal(await tell(await provider.logoutToken({ sub: "ana" })), 400);
    assert.equal(keysAsked(), 1);
    provider.misdeed = {};
    later(5);
    assert.equal(await tell(await provider.logoutToken({ sub: "ana" })), 200);
  });
});
