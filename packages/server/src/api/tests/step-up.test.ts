import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Route, type RouteId, routes } from "@tessera/wire";
import { fleetOf, TestControl } from "../../testing/control.ts";
import { FactorBrowser } from "../../testing/factor-browser.ts";
import { expected, makeWorld, requestFor } from "../../testing/role-matrix.ts";
import { serveApi, type TestServer } from "../../testing/tenancy.ts";
import { stepUpMs } from "../guard/second-factors.ts";

const all = Object.entries(routes) as [RouteId, Route][];
const dangerous = all.filter(([, { stepUp }]) => stepUp !== undefined).map(([id]) => id);

/** What writes and needs no second factor, with the reason. A new route is on this list or carries `stepUp`. */
const harmless: Readonly<Partial<Record<RouteId, string>>> = {
  signIn: "it is how one comes in",
  beginSignIn: "it is how one comes in",
  challengeSignIn: "it is how one comes in",
  beginLogin: "it is how a program asks to come in; a person allows it",
  takeLogin: "a person has allowed it",
  beginStepUp: "it is how a factor is shown",
  allowStepUp: "a factor is shown with it",
  takeStepUp: "a factor was shown for it",
  previewProvider: "changes nothing",
  previewExchange: "changes nothing",
  leaveTopic: "one reads less",
  signOut: "takes rights away",
  nameSession: "a name that only its user sees",
  signOutEverywhere: "takes rights away",
  revokeToken: "takes rights away",
  revokeScimToken: "takes rights away",
  linkSession: "the browser that it opens is asked itself",
  challengeFactor: "it is how a factor is shown",
  showFactor: "it is how a factor is shown",
  offerFactor: "nothing counts before addFactor",
  submitJob: "bounded by quota and budget",
  applyJob: "bounded by quota and budget",
  dryRunJob: "changes nothing",
  previewAccount: "changes nothing",
  estimateJob: "changes nothing",
  previewPrices: "changes nothing",
  previewContract: "changes nothing",
  previewPool: "changes nothing",
  previewBudget: "changes nothing",
  previewBilling: "changes nothing",
  startWhatIf: "changes nothing; bounded in time and memory",
  cancelWhatIf: "ends what changes nothing",
  previewClose: "changes nothing",
  findMissing: "changes nothing",
  putContent: "bounded by quota; runs nothing",
  holdJob: "ordinary work with jobs",
  releaseJob: "ordinary work with jobs",
  suspendJob: "ordinary work with jobs",
  requeueJob: "ordinary work with jobs",
  editJob: "ordinary work with jobs",
  enterJob: "ordinary work with jobs",
  checkJob: "ordinary work with jobs",
  cordonNode: "stops no job; an emergency must not wait",
  drainNode: "jobs have their grace; an emergency must not wait",
  maintainNode: "jobs have their grace",
  upNode: "gives capacity back",
  checkNode: "runs on idle GPUs",
  closeRepair: "gives capacity back",
  witnessHead: "done by programs; keeps a line of another server",
};

describe("acts that need a second factor", () => {
  let control: TestControl;
  let server: TestServer;
  let world: Awaited<ReturnType<typeof makeWorld>>;
  let owner: FactorBrowser;

  before(async () => {
    control = await TestControl.start(undefined, fleetOf(1, 0));
    world = await makeWorld(control);
    server = await serveApi(control);
    owner = await FactorBrowser.signIn(server, control, world.users["platform-owner"]);
    await owner.enrol();
  });
  after(() => server.close());

  const requestOf = async (id: RouteId) => {
    const { path, body } = await requestFor(world.tenancy, id, "platform-owner", "own");
    return [routes[id].method, path, (routes[id] as Route).stepUp === "force" ? { force: true } : body] as const;
  };
  /** Of factors themselves, tokens of programs are always refused: there the walk of roles knows another status. */
  const ofFactors = (id: RouteId) => routes[id].path.startsWith("/v1/factors");

  it("are all that write, but for those that are known to be harmless", () => {
    const writing = all.filter(([, { method }]) => method !== "GET").map(([id]) => id);
    const unknown = writing.filter((id) => !dangerous.includes(id) && harmless[id] === undefined);
    assert.deepEqual(unknown, [], "say stepUp: true in the table of routes, or here why it is harmless");
    assert.deepEqual(
      Object.keys(harmless).filter((id) => dangerous.includes(id as RouteId) || !(id in routes)),
      [],
      "both",
    );
  });

  it("are refused without one, done with one, and not asked of programs", async () => {
    control.setTime(control.now() + stepUpMs + 1);
    for (const id of dangerous) {
      const { status, json } = await owner.ask(...(await requestOf(id)));
      assert.deepEqual([id, status, json?.code], [id, 403, "step-up-required"]);
    }
    await owner.show();
    for (const id of dangerous) {
      if (id === "removeFactor" || id === "renewRecovery") continue;
      const { status, json } = await owner.ask(...(await requestOf(id)));
      assert.notEqual(json?.code, "step-up-required", id);
      if (!ofFactors(id)) assert.equal(status, expected(id, "platform-owner", "own"), `${id}: ${json?.detail}`);
    }
    for (const id of dangerous) {
      const answer = await server.call(world.users["platform-owner"].token, ...(await requestOf(id)));
      assert.equal(answer.status, expected(id, "platform-owner", "own"), id);
    }
    console.log(`step-up: ${dangerous.length} routes refused without a factor and done with it`);
  });

  it("are remembered for 5 minutes, and cancelling needs one only with force", async () => {
    control.setTime(control.now() + 30_000);
    await owner.show();
    control.setTime(control.now() + stepUpMs - 1);
    assert.notEqual((await owner.ask(...(await requestOf("putSecret")))).status, 403);
    control.setTime(control.now() + 2);
    assert.equal((await owner.ask(...(await requestOf("putSecret")))).json.code, "step-up-required");
    const { path } = await requestFor(world.tenancy, "cancelJob", "platform-owner", "own");
    assert.equal((await owner.ask("POST", path)).status, 200);
  });
});
