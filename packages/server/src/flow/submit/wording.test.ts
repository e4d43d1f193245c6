import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { JobSpecBody } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy, type TestServer, type TestUser } from "../../testing/tenancy.ts";

describe("the answer to a mistake", () => {
  let server: TestServer;
  let owner: TestUser;
  let ada: TestUser;

  before(async () => {
    const control = await TestControl.start(undefined, fleetOf(2, 8));
    const tenancy = new Tenancy(control);
    await tenancy.account("lab");
    owner = await tenancy.user("own", "platform-owner");
    ada = await tenancy.user("ada", "member", "lab");
    await tenancy.job("lab", ada.id, { gpus: "H100:6" });
    server = await serveApi(control);
  });
  after(() => server.close());

  const submit = (body: object) => server.call(ada.token, "POST", "/v1/jobs/dry-run", { run: "x", ...body });

  const cases: readonly [body: object, message: string, fix: RegExp][] = [
    [{ run: true }, "run must be text, and is the value true.", /Quote it: run: "true"\.$/],
    [{ run: "" }, "run is empty.", /^Write the shell command that the job runs/],
    [{ gpus: "lots" }, "gpus: The fleet has no lots.", /^Write a count \(8\), MODEL:COUNT or a part .*: H100\.$/],
    [{ gpus: "lots of them" }, 'gpus "lots of them" is not a number of GPUs or MODEL:COUNT.', /H100:8/],
    [{ gpus: "A100:all" }, 'gpus "A100:all" asks for all GPUs of a node, and no node has A100.', /H100/],
    [{ gpus: 1.5 }, "gpus 1.5 is neither a whole number of GPUs nor a part of one.", /^Write 2 .* or 0\.5/],
    [{ nodes: "two" }, 'nodes "two" is not a number or a range.', /or a range such as 4\.\.8/],
    [{ max_time: 90 }, "max_time 90 has no unit.", /^Write 90s, 90m or 90h: /],
    [{ max_time: "90" }, 'max_time "90" is not a duration.', /^Write a number with a unit, such as 90s/],
    [{ memory: "banana" }, 'memory "banana" is not a size or a number of MiB.', /^Write a size such as 512MiB, 64GiB/],
    [
      { env: { TESS_NODE: "x" } },
      "env.TESS_NODE cannot set TESS_NODE: names that begin with TESS_ are set by Tessera.",
      /^Choose another name\.$/,
    ],
    [{ env: ["A=1", "A=2"] }, "env[1] sets A again.", /^Give each name once\.$/],
    [{ array: "1-1000000000" }, 'array "1-1000000000" has 1000000000 elements (limit 10000).', /^Split it/],
    [
      { priority: 99_999 },
      "priority 99999 is above 1000.",
      /^Write low, normal or high, or a whole number from -1000 to 1000\.$/,
    ],
    [{ deadline: "2020-01-01T00:00:00Z" }, 'deadline "2020-01-01T00:00:00Z" has passed.', /^Give a time in the future/],
    [{ video: "500d" }, 'video.length "500d" is out of range.', /^Give more than 0s, up to 365d\.$/],
    [{ project: "lav" }, 'project: There is no account "lav", or you may not see it.', /^Did you mean lab\?$/],
    [{ members: 20_000 }, "This job would run 20000 members without a GPU at a time (limit 10000).", /fewer/],
  ];
  for (const [body, message, fix] of cases) {
    it(`is: ${message}`, async () => {
      const { json } = await submit(body);
      assert.equal(json.detail, message, JSON.stringify(json));
      assert.match(json.hint, fix);
    });
  }

  it("is none where the meaning is plain: a clock, a list of variables, all GPUs of a node", async () => {
    const understood = await submit({ max_time: "01:30:00", env: ["A=1", "B=x=y"], gpus: "all" });
    assert.equal(understood.status, 200, understood.text);
    const { max_time, env, gpus } = understood.json.spec;
    assert.deepEqual([max_time, env, gpus], ["1h30m", { A: "1", B: "x=y" }, 8]);
    assert.equal((await submit({ gpus: ["H100:all"], max_time: "2-00:00:00" })).json.spec.max_time, "2d");
    assert.equal((await submit({ env: { TESS_SERVER: "http://x", RANK: 1 } })).status, 200);
  });

  it("shows times that people can read", async () => {
    const [node] = (await server.call(owner.token, "GET", "/v1/nodes")).json.items;
    const past = { from: "2020-01-01T08:00", to: "2020-01-01T09:00", tz: "Europe/Berlin" };
    const { status, json } = await server.call(owner.token, "POST", `/v1/nodes/${node.name}/maintenance`, past);
    assert.deepEqual([status, json.detail], [422, 'to "2020-01-01T08:00:00Z" has passed.']);
  });

  it("says what stays above a max that was lowered below what runs", async () => {
    const edit = (max: object) => server.call(owner.token, "PATCH", "/v1/accounts/lab", { max });
    const lowered = await edit({ H100: 2 });
    assert.deepEqual(lowered.json.aboveMax, [
      "6 H100 GPUs are held, 4 above the max of 2: they stay until their jobs end, and no other job starts until then",
    ]);
    assert.equal((await edit({ H100: 6 })).json.aboveMax, undefined);
  });

  it("never shows a regular expression, words of a schema, or an epoch, whatever a field holds", async () => {
    const values = [true, "", [], {}, -1, 1e15, 0.3333, "x y", "9".repeat(40), null, [[]], { a: 1 }, ["", 7], "\u202e"];
    const forbidden = /must NOT|must match|propert|schema|regex|\\|\^|\$\)|\{\d|\b1[5-9]\d{11}\b|\[object/i;
    const fields = Object.keys(JobSpecBody.properties);
    for (const value of values) {
      const { json } = await submit(Object.fromEntries(fields.map((field) => [field, value])));
      assert.ok(json.problems.length > 10, `${JSON.stringify(value)}: ${JSON.stringify(json)}`);
      for (const { field, message, fix = "" } of json.problems) {
        // What the caller sent is told back in quotes.
        const words = `${message} ${fix}`.replaceAll(/"(?:[^"\\]|\\.)*"/g, "");
        assert.doesNotMatch(words, forbidden, `${field}: ${JSON.stringify(value)}`);
      }
    }
  });
});
