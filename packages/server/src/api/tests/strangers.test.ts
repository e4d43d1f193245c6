import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("a token that is refused", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let owner: TestUser;
  let ada: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 1));
    tenancy = new Tenancy(control);
    await tenancy.account("lab");
    owner = await tenancy.user("own", "platform-owner");
    ada = await tenancy.user("ada", "member", "lab");
    server = await serveApi(control);
  });
  after(() => server.close());

  async function told(token: string | undefined): Promise<[string, string]> {
    const { status, json } = await server.call(token, "GET", "/v1/whoami");
    assert.deepEqual([status, json.code], [401, "unauthenticated"]);
    return [json.detail, json.hint];
  }

  it("is told apart by its cause, with what to do, for whoever holds it", async () => {
    assert.deepEqual(await told(undefined), [
      "The request has no token.",
      "Log in with tess login, or send Authorization: Bearer tess_….",
    ]);
    assert.match((await told("tess_short"))[0], /does not have the form of a token/);
    assert.deepEqual(await told(`tess_${"A".repeat(43)}`), [
      "This server does not know the token.",
      "Check that it belongs to this server and was copied as a whole. Make another one with tess token create where you are signed in, or ask an administrator for one.",
    ]);

    const expired = await tenancy.token(ada.id, [], control.now() - 1);
    assert.match((await told(expired.token))[0], /^The token expired at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\.$/);

    const made = (await server.call(ada.token, "POST", "/v1/tokens", {})).json;
    await server.call(ada.token, "DELETE", `/v1/tokens/${made.id}`);
    assert.match((await told(made.token))[0], /^The token was revoked at \d{4}-/);

    await server.call(owner.token, "POST", `/v1/users/${ada.id}/disable`);
    assert.deepEqual(await told(ada.token), [
      "The token is valid, but its user is disabled.",
      "Ask an administrator to enable the user: tess user enable NAME.",
    ]);
    await server.call(owner.token, "POST", `/v1/users/${ada.id}/enable`);
  });

  it("says nothing of a token to anyone who does not hold all of it", async () => {
    const made = (await server.call(ada.token, "POST", "/v1/tokens", {})).json;
    await server.call(ada.token, "DELETE", `/v1/tokens/${made.id}`);
    const [unknown] = await told(`tess_${"B".repeat(43)}`);
    const other = made.token.endsWith("A") ? "B" : "A";
    assert.equal((await told(`${made.token.slice(0, -1)}${other}`))[0], unknown);
  });

  it("is still known as revoked after a restart", async () => {
    const made = (await server.call(ada.token, "POST", "/v1/tokens", {})).json;
    await server.call(ada.token, "DELETE", `/v1/tokens/${made.id}`);
    await server.close();
    server = await serveApi(control);
    assert.match((await told(made.token))[0], /was revoked at/);
  });

  it("is told the same when it is put into a browser", async () => {
    const made = (await server.call(ada.token, "POST", "/v1/tokens", {})).json;
    await server.call(ada.token, "DELETE", `/v1/tokens/${made.id}`);
    const { status, json } = await server.call(undefined, "POST", "/v1/session", { token: made.token });
    assert.deepEqual([status, /was revoked at/.test(json.detail)], [401, true]);
  });
});
