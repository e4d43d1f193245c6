import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { HostileProvider } from "../../testing/hostile-provider.ts";
import { type Post, playCases, signInWith } from "../../testing/oidc-cases.ts";
import { serveApi, Tenancy, type TestServer } from "../../testing/tenancy.ts";

const terms = { clientId: "tessera", label: "Corp", groupsClaim: "groups", scopes: [], rules: [], acr: [] };

describe("a hostile provider", () => {
  let control: TestControl;
  let server: TestServer;
  let post: Post;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    await new Tenancy(control).user("root", "platform-owner");
    server = await serveApi(control, { providerLimits: { bytesMax: 262_144, msMax: 300 } });
    post = async (path, body, headers) => {
      const { status, headers: answered, json } = await server.call(undefined, "POST", path, body, headers);
      return { status, cookies: answered.getSetCookie(), json };
    };
  });
  after(() => server.close());

  const start = async (name: string) => {
    const provider = await HostileProvider.start();
    if (control.state.providers.has(name)) await control.must({ kind: "provider.remove", name });
    await control.must({ kind: "provider.set", name, terms: { ...terms, issuer: provider.issuer } });
    return { provider, name };
  };

  it("signs nobody in by a wrong answer", async () => {
    const results = await playCases(post, () => start("corp"));
    const wrong = results.filter(({ entered, mayEnter }) => entered !== mayEnter);
    assert.deepEqual(wrong, []);
  });

  it("cannot use an answer again, in another browser, or for another provider", async () => {
    const { provider } = await start("corp");
    const { provider: second } = await start("second");
    const first = await signInWith(post, "corp", (url) => provider.authorize(url));
    assert.equal(first.status, 200);
    const { body, headers } = first.sent!;
    assert.equal((await post("/v1/session", body, headers)).status, 401, "again");
    const elsewhere = await post("/v1/session/begin", { provider: "corp" }, { "sec-fetch-site": "same-origin" });
    const answer = provider.authorize(String(elsewhere.json.url));
    const stranger = { ...headers, cookie: `tessera-sign-in=${"x".repeat(43)}` };
    assert.equal((await post("/v1/session", { provider: "corp", answer }, stranger)).status, 401, "another browser");
    // Mix-up: the person was sent to one provider, and the answer is said to be of the other.
    const mixed = await signInWith(post, "second", (url) => {
      const forFirst = new URL(url);
      return provider.authorize(forFirst.href).replace(/&iss=.*/, "");
    });
    assert.equal(mixed.status, 401, "the code of one provider at the other");
    const begun = await post("/v1/session/begin", { provider: "corp" }, headers);
    const moved = { provider: "second", answer: provider.authorize(String(begun.json.url)) };
    assert.equal((await post("/v1/session", moved, headers)).status, 401, "the answer of one as that of the other");
    await Promise.all([provider.close(), second.close()]);
  });

  it("is left alone by pages of other sites, and named only by owners", async () => {
    const crossed = await post("/v1/session/begin", { provider: "corp" }, { "sec-fetch-site": "cross-site" });
    assert.equal(crossed.status, 403);
    assert.equal((await post("/v1/session/begin", { provider: "nobody" }, {})).status, 401);
  });
});
