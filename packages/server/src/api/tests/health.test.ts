import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("the health of nodes", () => {
  let control: TestControl;
  let server: TestServer;
  let owner: TestUser;
  let ada: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 1));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    owner = await tenancy.user("own", "platform-owner");
    ada = await tenancy.user("ada", "member", "lab");
    server = await serveApi(control);
    const about = { node: "n1", gpuUuid: "GPU-1-0", source: "xid", text: "pid=7, name=secret-model" } as const;
    for (const code of ["43", "79"]) await control.must({ kind: "node.finding", ...about, code, at: control.now() });
  });
  after(() => server.close());

  const get = async (user: TestUser, path: string) => (await server.call(user.token, "GET", path)).json;

  it("is shown to everyone, lines of the log only with the right to change nodes", async () => {
    const seen = await get(owner, "/v1/nodes/n1/health");
    assert.deepEqual(
      seen.findings.map(({ name, action }: { name: string; action: string }) => [name, action]),
      [
        ["Xid 79", "quarantine"],
        ["Xid 43", "ignore"],
      ],
    );
    assert.equal(seen.findings[0].text, "pid=7, name=secret-model");
    assert.deepEqual([seen.mode, seen.repair, seen.faults, seen.checking], ["maintenance", 1, 1, false]);
    const others = JSON.stringify(await get(ada, "/v1/nodes/n1/health"));
    assert.ok(others.includes("Xid 79") && !others.includes("secret-model"));
    assert.deepEqual((await get(ada, "/v1/nodes/n2/health")).findings, []);
  });

  it("has repairs with evidence, which the owner closes; then the node takes work again", async () => {
    const { items } = await get(owner, "/v1/repairs?node=n1");
    assert.deepEqual([items[0].id, items[0].cause, items[0].evidence.length], [1, "Xid 79", 1]);
    assert.equal((await server.call(ada.token, "GET", "/v1/repairs")).status, 403);
    assert.equal((await server.call(owner.token, "POST", "/v1/nodes/n1/up", {})).status, 409);
    const close = (id: string) => server.call(owner.token, "POST", `/v1/repairs/${id}/close`, { reason: "new riser" });
    assert.equal((await close("7")).status, 404);
    assert.equal((await close("x")).status, 404);
    const closed = await close("1");
    assert.deepEqual([closed.status, closed.json.closedWhy], [200, "new riser"]);
    assert.equal((await get(owner, "/v1/nodes/n1")).mode, "up");
    assert.deepEqual((await get(owner, "/v1/repairs")).items, []);
    assert.equal((await get(owner, "/v1/repairs?state=all")).items.length, 1);
  });

  it("refuses to check a job that holds no GPUs", async () => {
    const made = await server.call(ada.token, "POST", "/v1/jobs", { run: "true", gpus: 0, project: "lab" });
    const checked = await server.call(ada.token, "POST", `/v1/jobs/${made.json.id}/check`, {});
    assert.deepEqual([checked.status, checked.json.field], [409, "job"]);
  });
});
