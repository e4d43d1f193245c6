import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("login names", () => {
  let server: TestServer;
  let owner: TestUser;
  let admins: { readonly [tenant: string]: TestUser };

  before(async () => {
    const control = await TestControl.start();
    const tenancy = new Tenancy(control);
    for (const path of ["lab", "lab/vision", "mill"]) await tenancy.account(path);
    owner = await tenancy.user("own", "platform-owner");
    const lab = await tenancy.user("la", "tenant-admin", "lab");
    admins = { lab, mill: await tenancy.user("mi", "tenant-admin", "mill") };
    server = await serveApi(control);
  });
  after(() => server.close());

  const make = async (by: TestUser, name: string, account: string) => {
    const { status, json } = await server.call(by.token, "POST", "/v1/users", { name, role: "member", account });
    return [status, status === 201 ? json.name : json.detail];
  };

  it("that exist in another tenant are given like any other", async () => {
    assert.deepEqual(await make(admins.lab!, "bob", "lab"), [201, "bob.lab"]);
    assert.deepEqual(await make(admins.mill!, "bob", "mill"), [201, "bob.mill"]);
    assert.deepEqual(await make(owner, "bob", "lab/vision"), [201, "bob"]);
    assert.deepEqual(await make(admins.mill!, "bob.lab", "mill"), [201, "bob.lab.mill"]);
  });

  it("are refused where one's own tenant has them, and where they become too long", async () => {
    const taken = await make(admins.lab!, "bob.lab", "lab/vision");
    assert.deepEqual(taken, [409, 'name "bob.lab" is the login name of another user.']);
    const long = await make(admins.lab!, "b".repeat(60), "lab");
    assert.equal(long[0], 422);
    assert.match(long[1], /too long with the name of its tenant/);
  });
});
