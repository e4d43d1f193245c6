import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { plainTerms, unitsPerGpu } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("submitting", () => {
  let control: TestControl;
  let tenancy: Tenancy;
  let server: TestServer;
  let ada: TestUser;
  let both: TestUser;
  let owner: TestUser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(2, 8));
    tenancy = new Tenancy(control);
    const terms = { ...plainTerms, quota: { guarantee: { H100: 8 * unitsPerGpu }, weight: 1 } };
    await tenancy.account("lab", terms);
    await tenancy.account("lab/vision", { ...plainTerms, quota: { guarantee: { H100: 4 * unitsPerGpu }, weight: 1 } });
    await tenancy.account("mill");
    ada = await tenancy.user("ada", "member", "lab/vision");
    both = await tenancy.user("bob", "member", "lab/vision");
    await control.must({ kind: "role.bind", user: both.id, role: "member", account: "mill" });
    owner = await tenancy.user("own", "platform-owner");
    server = await serveApi(control);
  });
  after(() => server.close());

  const submit = (who: TestUser, body: object) => server.call(who.token, "POST", "/v1/jobs", body);
  const waits = { run: "true", not_before: "2100-01-01T00:00:00Z" };

  it("goes to the caller's only project, and asks when there are several", async () => {
    assert.equal((await submit(ada, waits)).json.project, "lab/vision");
    const unclear = await submit(both, waits);
    assert.deepEqual([unclear.status, unclear.json.field], [422, "project"]);
    assert.match(unclear.json.hint, /lab\/vision, mill/);
    assert.equal((await submit(both, { ...waits, project: "mill" })).status, 201);
    assert.equal((await submit(owner, waits)).status, 422);
    const whoAmI = await server.call(both.token, "GET", "/v1/whoami");
    assert.equal(whoAmI.json.defaultProject, "lab/vision");
  });

  it("settles times by zone and refuses a deadline that has passed", async () => {
    const made = await submit(ada, {
      run: "true",
      not_before: "2099-07-01T09:00",
      deadline: "2099-07-02T09:00",
      tz: "America/Sao_Paulo",
    });
    const job = (await server.call(ada.token, "GET", `/v1/jobs/${made.json.id}`)).json;
    assert.equal(job.spec.not_before, "2099-07-01T12:00:00.000Z");
    assert.equal(job.spec.tz, "America/Sao_Paulo");
    assert.equal(job.reason.kind, "not-yet");
    const late = await submit(ada, { run: "true", deadline: "2020-01-01T00:00:00Z" });
    assert.deepEqual([late.status, late.json.field], [422, "deadline"]);
    assert.equal((await submit(ada, { run: "true", deadline: "2099-01-01T00:00", tz: "Nowhere" })).json.field, "tz");
  });

  it("refuses what the engine cannot do, instead of leaving it out", async () => {
    for (const [field, value] of Object.entries({
      image: "pytorch",
      isolation: "mig",
      gpu_compute: "30%",
      gpus: "H100:0.5",
      port: 80,
    })) {
      const answer = await submit(ada, { run: "true", [field]: value });
      assert.deepEqual([answer.status, answer.json.code, answer.json.field], [422, "unsupported", field]);
    }
    assert.equal((await submit(ada, { run: "true", workdir: "relative" })).json.field, "workdir");
    control.capabilities = { images: true, isolation: ["whole", "mig"], workdir: false };
    assert.equal((await submit(ada, { ...waits, image: "pytorch", isolation: "mig" })).status, 201);
    assert.equal((await submit(ada, { run: "true", workdir: "/tmp" })).json.code, "unsupported");
    control.capabilities = { images: false, isolation: ["whole"], workdir: true };
  });

  it("refuses a second tenant where the engine cannot keep tenants apart", async () => {
    const { capabilities } = control;
    const oneTenant = { why: "all jobs run as one user", hint: "run it as root" };
    const lab = control.state.accountByPath.get("lab")!.id;
    control.capabilities = { ...capabilities, oneTenant: { ...oneTenant, tenant: lab } };
    assert.equal((await submit(ada, { ...waits })).status, 201);
    control.capabilities = { ...capabilities, oneTenant: { ...oneTenant, tenant: "acc_other" } };
    const { status, json } = await submit(ada, { ...waits });
    assert.deepEqual([status, json.code, json.field, json.hint], [422, "unsupported", "project", "Run it as root."]);
    assert.match(json.detail, /all jobs run as one user/);
    control.capabilities = capabilities;
  });

  it("[P3] sizes a job by what it is, and shows how in a dry run", async () => {
    const dry = (body: object) => server.call(ada.token, "POST", "/v1/jobs/dry-run", { run: "true", ...body });
    const served = (await dry({ model: { name: "70B", precision: "fp16" } })).json;
    assert.deepEqual([served.spec.gpus, served.spec.topology, served.spec.type], ["H100:4", "nvlink", "service"]);
    assert.deepEqual(served.spec.model, { name: "70B", precision: "fp16" });
    assert.match(served.sizing.join("\n"), /131\.4 GiB of weights/);
    const again = (await dry(served.spec)).json;
    assert.deepEqual(again.spec, served.spec, "what is shown can be submitted as it is");
    const { id } = (await submit(ada, { ...waits, model: { name: "70B", precision: "fp16" } })).json;
    const lighter = {
      set: { model: { name: "70B", precision: "fp8" } },
      unset: ["gpus", "gpu_memory", "nodes", "members", "topology"],
    };
    const edited = await server.call(ada.token, "PATCH", `/v1/jobs/${id}`, lighter);
    assert.deepEqual([edited.json.spec.gpus, edited.json.spec.model.precision], ["H100:2", "fp8"], "sized again");
    const made = await submit(ada, { ...waits, frames: "1-240%24" });
    assert.deepEqual([made.status, made.json.size], [201, 240]);
    const refused = await dry({ video: "90m" });
    assert.deepEqual([refused.status, refused.json.code, refused.json.field], [422, "never-fits", "video"]);
    assert.equal((await dry({ gpus: "H100:1", needs: ["rt"] })).json.code, "never-fits");
    assert.equal((await dry({ gpus: 1, frames: "1-2", model: "7B" })).json.field, "frames");
  });

  it("takes secrets by name, from the account or above, and only those that are set", async () => {
    await tenancy.secret("lab", "HF_TOKEN", "x");
    assert.equal((await submit(ada, { ...waits, secrets: ["HF_TOKEN"] })).status, 201);
    const unset = await submit(ada, { ...waits, secrets: ["HF_TOKEN", "NOPE"] });
    assert.deepEqual([unset.status, unset.json.field, unset.json.value], [422, "secrets[1]", "NOPE"]);
  });

  it("comes after jobs by id or name, live or ended, and never after one that cannot be seen", async () => {
    const first = await submit(ada, { run: "true", name: "prepare" });
    const second = await submit(ada, { run: "true", name: "train", after: "prepare" });
    assert.equal(second.status, 201, second.text);
    const job = (await server.call(ada.token, "GET", `/v1/jobs/${second.json.id}`)).json;
    assert.deepEqual(job.spec.after, [{ job: first.json.id, when: "succeeded" }]);
    assert.equal(job.reason.kind, "dependency");
    await control.run(first.json.id);
    await control.finish(first.json.id, 0);
    assert.equal((await server.call(ada.token, "GET", `/v1/jobs/${second.json.id}`)).json.state, "starting");
    const third = await submit(ada, { ...waits, after: [{ job: first.json.id, when: "ended" }, "train"] });
    assert.equal(third.status, 201, third.text);
    await control.run(second.json.id);
    await control.finish(second.json.id, 3);
    const late = await submit(ada, { ...waits, after: "train" });
    assert.deepEqual([late.status, late.json.code], [409, "conflict"]);
    const elsewhere = await tenancy.job("mill", both.id, { name: "hidden" }, 4e12);
    for (const after of ["hidden", elsewhere, "job_aaaaaaaaaaaaaaaa"]) {
      const answer = await submit(ada, { ...waits, after });
      assert.deepEqual(
        [answer.status, answer.json.field, answer.json.detail],
        [422, "after", `after "${after}" is not a job that you can see.`],
      );
    }
  });

  it("looks again when a job it comes after ends between looking and deciding", async () => {
    const first = await submit(ada, { run: "true", name: "racer" });
    await control.run(first.json.id);
    const ask = control.ask.bind(control);
    let raced = false;
    control.ask = async (command, by, privates) => {
      if (command.kind === "job.submit" && !raced) {
        raced = true;
        await control.finish(first.json.id, 0);
      }
      return ask(command, by, privates);
    };
    try {
      const second = await submit(ada, { ...waits, after: "racer" });
      assert.equal(second.status, 201, second.text);
      assert.equal(raced, true);
    } finally {
      control.ask = ask;
    }
  });

  it("applies a file once: the same spec is the same job, another spec is a new one", async () => {
    const apply = (body: object) => server.call(ada.token, "POST", "/v1/jobs/apply", body);
    const one = await apply({ ...waits, name: "svc" });
    assert.equal(one.status, 200);
    assert.equal(one.json.applied, "created");
    assert.deepEqual((await apply({ ...waits, name: "svc" })).json, { ...one.json, applied: "unchanged" });
    const two = await apply({ ...waits, name: "svc", run: "false" });
    assert.notEqual(two.json.id, one.json.id);
    assert.equal((await apply({ ...waits, name: "svc", run: "false" })).json.id, two.json.id);
  });

  it("rehearses without a trace", async () => {
    const dry = (body: object) => server.call(ada.token, "POST", "/v1/jobs/dry-run", body);
    const before = control.state.nextJob;
    const fits = await dry({ run: "true", gpus: "H100:4" });
    assert.deepEqual([fits.json.wouldStart, fits.json.class, fits.json.members.length], [true, "guaranteed", 1]);
    assert.equal(fits.json.members[0].model, "H100");
    const wide = await dry({ run: "true", gpus: "H100:8", nodes: 2 });
    assert.equal(wide.json.class, "burst");
    const later = await dry(waits);
    assert.deepEqual([later.json.wouldStart, later.json.reason.kind], [false, "not-yet"]);
    assert.equal((await dry({ run: "true", gpus: "B200:1" })).json.code, "never-fits");
    assert.equal(control.state.nextJob, before);
  });

  it("[B1] gives a job that declares no limit the default of its account, and says so in a dry run", async () => {
    const terms = { limits: { defaultTime: "4h" } };
    const edited = await server.call(owner.token, "PATCH", "/v1/accounts/lab", terms);
    assert.deepEqual([edited.status, edited.json.limits], [200, terms.limits], edited.text);
    const dry = async (body: object) =>
      (await server.call(ada.token, "POST", "/v1/jobs/dry-run", { run: "true", ...body })).json;
    const plain = await dry({});
    const usual = "0.1 cores and 2GiB for each member: usual for jobs without GPUs";
    assert.deepEqual([plain.spec.max_time, plain.sizing], ["4h", [usual, "max_time 4h: the default of lab"]]);
    assert.deepEqual((await dry({ gpus: 1, max_time: "1h" })).sizing ?? [], []);
    assert.equal((await dry({ max_time: "9h" })).spec.max_time, "9h");
    assert.equal((await dry({ type: "service" })).spec.max_time, undefined);
    const none = await server.call(owner.token, "PATCH", "/v1/accounts/lab", { limits: { defaultTime: "0s" } });
    assert.equal(none.json.field, "limits.defaultTime");
  });

  it("shows arrays as one line and their elements on request", async () => {
    const made = await submit(ada, { ...waits, name: "frames", array: "1-5%2" });
    assert.deepEqual([made.json.size, made.json.gpus], [5, 0]);
    const list = (await server.call(ada.token, "GET", "/v1/jobs?name=frames")).json.items;
    assert.deepEqual(
      list.map((job: { id: string }) => job.id),
      [made.json.id],
    );
    assert.deepEqual(list[0].elements, { size: 5, waiting: 5, active: 0, succeeded: 0, failed: 0 });
    const elements = (await server.call(ada.token, "GET", `/v1/jobs?array=${made.json.id}`)).json.items;
    assert.equal(elements.length, 5);
    assert.deepEqual(elements[0].array.id, made.json.id);
    assert.equal((await server.call(ada.token, "GET", `/v1/jobs/${made.json.id}.3`)).json.array.index, 3);
    const gone = await server.call(ada.token, "POST", `/v1/jobs/${made.json.id}/cancel`);
    assert.deepEqual([gone.json.state, gone.json.outcome], ["ended", "cancelled"]);
    const ended = (await server.call(ada.token, "GET", "/v1/jobs?name=frames&state=ended")).json.items;
    assert.deepEqual(
      ended.map((job: { id: string }) => job.id),
      [made.json.id],
    );
  });

  it("explains why a job waits", async () => {
    const made = await submit(ada, { ...waits, name: "why" });
    const told = (await server.call(ada.token, "GET", "/v1/jobs/why/explain")).json;
    assert.equal(told.job, made.json.id);
    assert.deepEqual([told.state, told.reason.kind], ["waiting", "not-yet"]);
  });
});
