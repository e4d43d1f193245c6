import assert from "node:assert/strict";
import { it } from "node:test";
import { plainTerms, unitsPerGpu } from "@tessera/core";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { serveApi, Tenancy } from "../../testing/tenancy.ts";
import { previewOf } from "./preview.ts";

it("tries an edit of a quota on a copy, model by model, and changes nothing", async (t) => {
  const control = await TestControl.start(undefined, [
    ...fleetOf(1, 8),
    { ...fleetOf(1, 8, "A100")[0]!, name: "a1", place: { zone: "z1", block: "b1", rack: "r2", nvlink: "a1" } },
  ]);
  const tenancy = new Tenancy(control);
  const guarantee = { H100: 4 * unitsPerGpu, A100: 4 * unitsPerGpu };
  await tenancy.account("lab", { ...plainTerms, quota: { guarantee, weight: 1 } });
  await tenancy.account("mill", { ...plainTerms, quota: { guarantee: { H100: 4 * unitsPerGpu }, weight: 1 } });
  const owner = await tenancy.user("own", "platform-owner");
  const ada = await tenancy.user("ada", "member", "lab");
  const admin = await tenancy.user("adm", "tenant-admin", "lab");
  const h100 = await tenancy.job("lab", ada.id, { gpus: "H100:4", name: "on-h100" });
  const a100 = await tenancy.job("lab", ada.id, { gpus: "A100:4", name: "on-a100" });
  for (const job of [h100, a100]) await control.run(job);
  const server = await serveApi(control);
  t.after(() => server.close());
  const preview = (who: { token: string }, body: object) =>
    server.call(who.token, "POST", "/v1/accounts/lab/preview", body);
  const before = await control.reader.head();

  const same = await preview(owner, { guarantee: { H100: 4, A100: 4 } });
  assert.deepEqual(same.json.byModel, []);
  const less = await preview(owner, { guarantee: { H100: 0, A100: 4 } });
  assert.deepEqual(
    less.json.byModel.map(({ model, losesClass }: { model: string; losesClass: { jobs: number } }) => [
      model,
      losesClass.jobs,
    ]),
    [["H100", 1]],
  );
  assert.equal(less.json.byModel[0].losesClass.named[0].name, "on-h100");
  const tooMuch = { message: /^guarantee 904 is too much: .* exceeds .*\.$/, fix: /^Lower it, .*\.$/ };
  const { whyNot } = (await preview(owner, { guarantee: { H100: 900, A100: 4 } })).json;
  assert.equal(whyNot.field, "guarantee");
  assert.match(whyNot.message, tooMuch.message);
  assert.match(whyNot.fix, tooMuch.fix);
  assert.equal((await preview(owner, { guarantee: { H100: -1 } })).status, 400);
  assert.equal((await preview(admin, { guarantee: 1 })).status, 403);
  assert.deepEqual(await control.reader.head(), before);

  const miller = await tenancy.user("mia", "tenant-admin", "mill");
  const lab = control.state.accountByPath.get("lab")!;
  const terms = { ...lab.terms, quota: { ...lab.terms.quota, guarantee: {} } };
  const command = { kind: "account.edit", path: "lab", terms } as const;
  await tenancy.job("lab", ada.id, { gpus: "H100:8", name: "for-room" });
  const capped = (await preview(owner, { max: 6, guarantee: 4 })).json;
  assert.match(capped.aboveMax[0], /^8 GPUs are held, 2 above the max of 6: they stay/);
  const ofH100 = capped.byModel.find(({ model }: { model: string }) => model === "H100");
  assert.deepEqual([ofH100.heldBack.jobs, ofH100.heldBack.gpus, ofH100.heldBack.named[0].name], [1, 8, "for-room"]);
  const roomy = (await preview(owner, { max: 16 })).json;
  assert.deepEqual([roomy.aboveMax, roomy.byModel], [undefined, []]);
  const told = previewOf(control.state, control.state.users.get(miller.id)!, command, control.now());
  const [first] = told.byModel;
  assert.deepEqual([first!.losesClass.jobs, first!.losesClass.named], [1, []], "jobs of others are counted, not named");
});
