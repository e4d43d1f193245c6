import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestControl } from "../../testing/control.ts";
import { someProvider } from "../../testing/role-matrix.ts";
import { playScimCase, type ScimAsk, scimCases } from "../../testing/scim-cases.ts";
import { serveApi, Tenancy, type TestServer } from "../../testing/tenancy.ts";

describe("SCIM, as identity systems send it and as they must not", () => {
  let server: TestServer;
  let ask: ScimAsk;

  before(async () => {
    const control = await TestControl.start();
    const owner = await new Tenancy(control).user("root", "platform-owner");
    server = await serveApi(control);
    await control.must({ kind: "provider.set", name: "corp", terms: someProvider });
    const { token } = await server.must<{ token: string }>(owner, "POST", "/v1/providers/corp/scim");
    ask = (method, path, body, headers) => server.call(token, method, `/scim/v2${path}`, body, headers);
  });
  after(() => server.close());

  for (const [no, each] of scimCases.entries())
    it(`${each.by}: ${each.name}`, async () => assert.equal(await playScimCase(each, ask, `t${no}`), undefined));

  it("are all tried", () => {
    console.log(`scim: ${scimCases.length} cases`);
    assert.ok(scimCases.length >= 75);
  });
});
