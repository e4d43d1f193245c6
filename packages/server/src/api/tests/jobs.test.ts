import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { MemoryPlace } from "../../store/index.ts";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("jobs over HTTP", () => {
  const place = new MemoryPlace();
  let control: TestControl;
  let server: TestServer;
  let tenancy: Tenancy;
  let ada: TestUser;

  before(async () => {
    control = await TestControl.start(place, fleetOf(2, 8));
    tenancy = new Tenancy(control);
    await tenancy.account("lab");
    await tenancy.account("lab/vision");
    ada = await tenancy.user("ada", "member", "lab/vision");
    server = await serveApi(control);
  });
  after(() => server.close());

  it("submits, shows, lists and cancels a job", async () => {
    const made = await server.call(ada.token, "POST", "/v1/jobs", {
      name: "train",
      run: "sleep 1",
      gpus: "H100:8",
      memory: "64GiB",
      max_time: "90m",
    });
    assert.equal(made.status, 201, made.text);
    assert.match(made.json.id, /^job_[a-z0-9]{16}$/);
    assert.deepEqual(
      { ...made.json, id: "", submittedAt: "" },
      {
        id: "",
        name: "train",
        project: "lab/vision",
        user: ada.id,
        state: "waiting",
        size: 1,
        gpus: 8,
        submittedAt: "",
      },
    );
    const shown = await server.call(ada.token, "GET", `/v1/jobs/${made.json.id}`);
    assert.equal(shown.json.state, "starting");
    assert.equal(shown.json.userName, "ada");
    assert.equal(shown.json.spec.gpus, "H100:8");
    assert.equal(shown.json.spec.memory, "64GiB");
    assert.equal(shown.json.spec.max_time, "1h30m");
    assert.equal(shown.json.members[0].gpus.length, 8);
    const byName = await server.call(ada.token, "GET", "/v1/jobs/train");
    assert.equal(byName.json.id, made.json.id);
    const listed = await server.call(ada.token, "GET", "/v1/jobs");
    assert.deepEqual(
      listed.json.items.map((job: { id: string }) => job.id),
      [made.json.id],
    );
    const cancelled = await server.call(ada.token, "POST", `/v1/jobs/${made.json.id}/cancel`);
    assert.equal(cancelled.json.state, "stopping");
  });

  it("shows when a job ended, not when the server heard of it after an outage", async () => {
    const began = control.now();
    control.setTime(began);
    const { id } = (await server.call(ada.token, "POST", "/v1/jobs", { run: "x" })).json;
    await control.run(id);
    control.setTime(began + 60_000);
    await control.end(id, began + 5_000);
    const { endedAt, attempts } = (await server.call(ada.token, "GET", `/v1/jobs/${id}`)).json;
    assert.deepEqual([Date.parse(endedAt), Date.parse(attempts[0].endedAt)], [began + 5_000, began + 5_000]);
  });
});
