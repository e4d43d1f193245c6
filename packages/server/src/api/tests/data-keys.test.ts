import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("data keys", () => {
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;
  const rotate = (body: object) => server.call(owner.token, "POST", "/v1/keys/rotate", body);

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 0));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    await tenancy.account("lab/vision");
    owner = await tenancy.user("root", "platform-owner");
    server = await serveApi(control);
  });
  after(() => server.close());

  it("are rotated by the path of a tenant, or for the platform, and the journal says who did it", async () => {
    const first = await rotate({ account: "lab" });
    const second = await rotate({ account: "lab" });
    const ofPlatform = await rotate({});
    assert.deepEqual([first.status, second.status, ofPlatform.status], [201, 201, 201]);
    assert.equal(second.json.account, "lab");
    assert.equal(second.json.version, first.json.version + 1);
    assert.equal(ofPlatform.json.account, null);
    const { json: body } = await server.call(owner.token, "GET", "/v1/keys");
    const seals = new Map(body.items.map((key: { id: string; seals: boolean }) => [key.id, key.seals]));
    assert.deepEqual(
      [first, second, ofPlatform].map((made) => seals.get(made.json.id)),
      [false, true, true],
    );
    assert.ok(control.state.trail.held.has(second.json.id));
    const [noted] = await control.reader.audit({ accounts: [], action: "keys.note", limit: 1 });
    assert.equal(noted?.actor, owner.id);
    assert.equal(noted?.detail, `key ${ofPlatform.json.id} of platform made`);
  });

  it("belong to tenants only, and are not piled up", async () => {
    for (const account of ["lab/vision", "nowhere"]) {
      const { status, json: body } = await rotate({ account });
      assert.equal(status, 422);
      assert.match(JSON.stringify(body), /only accounts of the top level have a data key/);
    }
    let last = 201;
    for (let tries = 0; tries < 20 && last === 201; tries += 1) last = (await rotate({ account: "lab" })).status;
    assert.equal(last, 409);
  });
});
