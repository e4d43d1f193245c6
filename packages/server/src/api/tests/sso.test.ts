import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { FactorBrowser } from "../../testing/factor-browser.ts";
import { HostileProvider } from "../../testing/hostile-provider.ts";
import { type Post, signInWith } from "../../testing/oidc-cases.ts";
import { startOidcProvider } from "../../testing/oidc-provider.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";
import { signedInMs } from "../guard/passwords.ts";
import { stepUpMs } from "../guard/second-factors.ts";

describe("signing in with a provider", () => {
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;
  let provider: HostileProvider;
  let post: Post;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 2));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    owner = await tenancy.user("root", "platform-owner");
    server = await serveApi(control);
    provider = await HostileProvider.start();
    post = async (path, body, headers) => {
      const { status, headers: answered, json } = await server.call(undefined, "POST", path, body, headers);
      return { status, cookies: answered.getSetCookie(), json };
    };
    const set = await put("corp", { issuer: provider.issuer, clientId: "tessera", clientSecret: "s3cret-canary" });
    assert.equal(set.status, 200, JSON.stringify(set.json));
  });
  after(async () => {
    await server.close();
    await provider.close();
  });

  const put = (name: string, body: object) => server.call(owner.token, "PUT", `/v1/providers/${name}`, body);
  const enter = () => signInWith(post, "corp", (url) => provider.authorize(url));
  /** As the answer of a request, with the cookies of the browser. */
  const entered = async () => {
    const { status, cookies, json } = await enter();
    const headers = new Headers(cookies.map((each): [string, string] => ["set-cookie", each]));
    return { status, headers, json, text: JSON.stringify(json) };
  };
  const rolesOf = (user: string) =>
    [...control.state.users.values()]
      .find(({ id }) => id === user)!
      .bindings.map(({ role, from }) => (from === undefined ? role : `${role} ${from}`));
  const me = (entered: Awaited<ReturnType<typeof enter>>) => entered.json.me as { user: string; name: string };

  it("is offered on the sign-in page, and its secret is never shown", async () => {
    const { json } = await server.call(undefined, "GET", "/v1/session");
    assert.deepEqual(json.providers, [{ name: "corp", label: "corp" }]);
    const shown = await server.call(owner.token, "GET", "/v1/providers/corp");
    assert.equal(shown.json.hasSecret, true);
    assert.doesNotMatch(JSON.stringify(shown.json), /canary/);
  });

  it("makes a user at the first sign-in and finds it at the next", async () => {
    provider.subject = "ana-1";
    provider.person = { preferred_username: "Ana Ü@corp", email: "ana@corp.example" };
    const first = await enter();
    assert.equal(me(first).name, "ana-u");
    assert.equal(me(await enter()).user, me(first).user);
    const token = [...control.state.tokens.values()].findLast(({ user }) => user === me(first).user)!;
    assert.deepEqual(token.signIn, { by: "sso", provider: "corp" });
    provider.subject = "ana-2";
    const namesake = await enter();
    assert.equal(me(namesake).name, "ana-u.corp", "another person of the same name is another user");
    await control.must({ kind: "user.disable", user: me(namesake).user as never });
    assert.notEqual((await enter()).status, 200, "a disabled user stays out");
  });

  it("gives the roles of groups, takes them when the group goes, and leaves those given by hand", async () => {
    provider.subject = "bob";
    provider.person = { preferred_username: "bob", groups: ["ml", "staff"] };
    const rules = [
      { group: "ml", role: "member", account: "lab" },
      { group: "staff", role: "viewer", account: "lab" },
    ];
    assert.equal((await put("corp", { rules })).status, 200);
    const bob = me(await enter()).user;
    assert.deepEqual(rolesOf(bob), ["member sso:corp", "viewer sso:corp"]);
    await control.must({ kind: "role.bind", user: bob as never, role: "viewer", account: "lab" });
    const changed = [{ group: "ml", role: "finance", account: "lab" }];
    const preview = await server.call(owner.token, "POST", "/v1/providers/corp/preview", {
      rules: changed,
      groups: ["ml"],
    });
    assert.deepEqual(preview.json.given, [{ role: "finance", account: "lab" }]);
    const [seen] = preview.json.users;
    assert.deepEqual(
      [seen.name, seen.gains[0].role, seen.loses.map((each: { role: string }) => each.role)],
      ["bob", "finance", ["member"]],
    );
    assert.deepEqual(rolesOf(bob), ["member sso:corp", "viewer"], "nothing changed by looking");
    await put("corp", { rules: changed });
    assert.deepEqual(rolesOf(bob), ["viewer"], "what no rule gives is gone at once");
    await enter();
    assert.deepEqual(rolesOf(bob), ["viewer", "finance sso:corp"]);
    provider.person = { preferred_username: "bob", groups: [] };
    await enter();
    assert.deepEqual(rolesOf(bob), ["viewer"]);
  });

  it("signs in as an existing user only where an owner said so", async () => {
    provider.subject = "root-at-corp";
    provider.person = { preferred_username: "root" };
    assert.notEqual(me(await enter()).user, owner.id, "the name alone is nothing");
    const link = await server.call(owner.token, "POST", "/v1/providers/corp/link", {
      user: "root",
      subject: "root-at-corp",
    });
    assert.equal(link.status, 204);
    assert.equal(me(await enter()).user, owner.id);
  });

  it("counts an acr that the owner names as a second factor", async () => {
    await put("corp", { acr: ["mfa"] });
    provider.subject = "fay";
    provider.person = { preferred_username: "fay" };
    provider.misdeed = { claims: (right) => ({ ...right, amr: ["pwd", "mfa"] }) };
    const { user } = me(await enter());
    provider.misdeed = {};
    const token = [...control.state.tokens.values()].findLast((each) => each.user === user)!;
    assert.equal(typeof token.signIn?.factorAt, "number");
  });

  it("asks at the provider again for what needs a factor or a credential, and for none of one's own", async () => {
    await put("corp", { acr: ["mfa"], rules: [{ group: "admins", role: "tenant-admin", account: "lab" }] });
    provider.subject = "hal";
    provider.person = { preferred_username: "hal", groups: ["admins"] };
    provider.misdeed = { claims: (right) => ({ ...right, amr: ["mfa"] }) };
    const secret = (browser: FactorBrowser) => browser.ask("PUT", "/v1/accounts/lab/secrets/KEY", { value: "x" });
    const shown = FactorBrowser.of(server, control, await entered());
    assert.ok((await secret(shown)).status < 300, "the provider asked for it a moment ago");
    control.setTime(control.now() + stepUpMs + 1);
    const { json } = await secret(shown);
    assert.equal(json.code, "step-up-required");
    assert.match(json.hint, /Sign in again with your provider/);
    provider.misdeed = {};
    const plain = FactorBrowser.of(server, control, await entered());
    const make = () => plain.ask("POST", "/v1/tokens", { label: "mine" });
    assert.equal((await make()).status, 201);
    control.setTime(control.now() + signedInMs + 1);
    assert.match((await make()).json.detail, /within 15 minutes of signing in/);
  });

  it("ends what it opened when the provider says that the person signed out, and believes no other token", async () => {
    provider.subject = "gil";
    provider.person = { preferred_username: "gil" };
    provider.misdeed = { claims: (right) => ({ ...right, sid: "s-1" }) };
    const { user } = me(await enter());
    const open = () => [...control.state.tokens.values()].filter((each) => each.user === user).length;
    const tell = async (token: string) => {
      const form = new URLSearchParams({ logout_token: token });
      return (await fetch(`${server.url}/sign-in/logout/corp`, { method: "POST", body: form })).status;
    };
    const now = Math.floor(Date.now() / 1000);
    const wrong = [
      await provider.logoutToken({ sub: "gil" }, "none"),
      await provider.logoutToken({ sub: "gil" }, "public-key"),
      await provider.logoutToken({ sub: "gil" }, "unpublished"),
      await provider.logoutToken({ sub: "gil", aud: "another" }),
      await provider.logoutToken({ sub: "gil", iss: "https://elsewhere.example" }),
      await provider.logoutToken({ sub: "gil", nonce: "n" }),
      await provider.logoutToken({ sub: "gil", events: {} }),
      await provider.logoutToken({ sub: "gil", exp: now - 600, iat: now - 700 }),
      await provider.logoutToken({ sub: "gil", iat: now - 3_600 }),
      await provider.logoutToken({ sub: "gil", jti: undefined }),
      await provider.logoutToken({}),
      "garbage",
    ];
    for (const [i, token] of wrong.entries()) assert.equal(await tell(token), 400, `token ${i}`);
    assert.equal(open(), 1);
    const right = await provider.logoutToken({ sub: "gil" });
    assert.equal(await tell(right), 200);
    assert.equal(open(), 0);
    assert.equal(await tell(right), 400, "used already");
    await enter();
    assert.equal(await tell(await provider.logoutToken({ sid: "s-1" })), 200);
    assert.equal(open(), 0, "by the provider's session alone");
    provider.misdeed = {};
  });

  it("ends sessions and takes roles when the provider is removed", async () => {
    await put("corp", { rules: [{ group: "ml", role: "member", account: "lab" }] });
    provider.subject = "eve";
    provider.person = { preferred_username: "eve", groups: ["ml"] };
    const { user } = me(await enter());
    assert.equal((await server.call(owner.token, "DELETE", "/v1/providers/corp")).status, 204);
    assert.deepEqual(rolesOf(user), []);
    assert.equal([...control.state.tokens.values()].filter((each) => each.user === user).length, 0);
    assert.equal((await enter()).status, 401);
  });

  it("works with another implementation, asked by a browser that types a name and a password", async () => {
    const real = await startOidcProvider(`${server.url}/sign-in/back/real`);
    const set = await put("real", { issuer: real.issuer, clientId: "tessera", clientSecret: real.secret });
    assert.equal(set.status, 200, JSON.stringify(set.json));
    const entered = await signInWith(post, "real", (url) => real.visit(url, "carla"));
    assert.equal(entered.status, 200, entered.detail);
    assert.equal(me(entered).name, "carla");
    await real.close();
  });

  it("refuses providers that are not there, or that would be told secrets without TLS", async () => {
    const gone = await put("gone", { issuer: "http://127.0.0.1:9", clientId: "x" });
    assert.equal(gone.status, 422);
    const plain = await put("plain", { issuer: "http://id.example.org", clientId: "x" });
    assert.match(plain.json.detail, /TLS/);
  });
});
