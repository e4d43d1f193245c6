import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

interface Told {
  readonly field: string;
  readonly value?: unknown;
  readonly message: string;
  readonly fix?: string;
  readonly example?: string;
}

describe("a job with mistakes", () => {
  let server: TestServer;
  let ada: TestUser;

  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(2, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    await tenancy.account("lab/vision");
    await tenancy.account("mill");
    ada = await tenancy.user("ada", "member", "lab");
    server = await serveApi(control);
  });
  after(() => server.close());

  const submit = (body: object) => server.call(ada.token, "POST", "/v1/jobs", body);
  const fields = (problems: readonly Told[]) => problems.map(({ field }) => field);

  it("is told all of them at once, those of shape first, and the first as before", async () => {
    const { status, json } = await submit({
      run: true,
      gpuss: 1,
      gpus: ["H100:8", "1.5", "H100:2.5"],
      max_time: 90,
      memory: "banana",
      checkpoint: { signal: "SIGKILL", grace: "2m" },
      retry: { when: ["oops", "failed", 3] },
      workdir: "relative",
      deadline: "2020-01-01T00:00:00Z",
      secrets: ["NOPE"],
      spread: "galaxy",
    });
    assert.equal(status, 400);
    const told: readonly Told[] = json.problems;
    assert.deepEqual(
      [json.field, json.detail, json.hint],
      [told[0]!.field, told[0]!.message, told[0]!.fix],
      "the first is the answer that older clients show",
    );
    assert.deepEqual(
      fields(told).toSorted(),
      [
        ...["checkpoint.signal", "deadline", "gpus[1]", "gpus[2]", "gpuss", "max_time", "memory"],
        ...["retry.when[0]", "retry.when[2]", "run", "secrets[0]", "spread", "workdir"],
      ].toSorted(),
    );
    assert.deepEqual(
      told.find(({ field }) => field === "max_time"),
      {
        field: "max_time",
        value: 90,
        message: "max_time 90 has no unit.",
        fix: "Write 90s, 90m or 90h: a number with a unit, such as 90s, 45m, 2h30m or 1d, or hours:minutes:seconds.",
        example: "max_time: 90m",
      },
    );
  });

  it("is told what the fleet cannot hold together with what cannot be read", async () => {
    const { status, json } = await submit({ run: "x", gpus: "H100:64", deadline: "2100-02-31", tz: "Moon/Base" });
    assert.equal(status, 422);
    assert.deepEqual(fields(json.problems), ["tz", "deadline", "gpus"]);
  });

  it("is told nothing twice, and nothing that only follows from another mistake", async () => {
    const needs = await submit({ run: "x", gpus: "a b", needs: ["rt"], frames: 7, scene: "interior" });
    assert.deepEqual(fields(needs.json.problems), ["gpus", "frames"]);
    const typo = await submit({ rn: "true" });
    assert.deepEqual(fields(typo.json.problems), ["rn"]);
    assert.equal(typo.json.hint, "Did you mean run?");
  });

  it("is told of its project beside the rest, and of nothing that lies at a project it may not use", async () => {
    const unknown = await submit({ run: "x", project: "lab/visoin", max_time: "0s", secrets: ["S"] });
    assert.deepEqual([unknown.status, fields(unknown.json.problems)], [404, ["project", "max_time"]]);
    assert.deepEqual([unknown.json.value, unknown.json.hint], ["lab/visoin", "Did you mean lab/vision?"]);
    const foreign = await submit({ run: 7, project: "mill", secrets: ["S"] });
    assert.deepEqual([foreign.status, fields(foreign.json.problems)], [400, ["run", "project"]]);
    assert.doesNotMatch(foreign.text, /mill\/|secret/);
  });

  it("is told the first mistake only where the body is large, and never more than fifty", async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`x-${i}`, i]));
    assert.equal((await submit({ run: "x", env: many })).json.problems.length, 50);
    const more = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`x-${i}`, i]));
    assert.equal((await submit({ run: "x", env: more })).json.problems.length, 1);
    const lists = { run: 7, env: Array.from({ length: 3_000 }, () => ({ a: [1] })) };
    const { status, json } = await submit(lists);
    assert.deepEqual([status, json.problems.length], [400, 1]);
  });
});
