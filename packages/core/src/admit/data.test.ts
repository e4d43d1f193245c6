import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AskedGrant } from "../journal/command.ts";
import { isRefusal } from "../journal/refusal.ts";
import { jobId, World } from "../testing/world.ts";
import { volumeFor } from "./data.ts";

/** Two tenants, one trusted and one not; ana is a member of lab and a viewer of its project vision. */
function world(grants?: readonly AskedGrant[], readOnly = false): World {
  const w = new World().nodes(["n0", "H100:2"]);
  w.account("lab").account("lab/vision").account("lab/speech").account("mill", { trust: "untrusted" });
  w.must({ kind: "volume.create", account: "lab", name: "scans", path: "/srv/scans", readOnly });
  if (grants !== undefined) w.must({ kind: "volume.grant", account: "lab", name: "scans", grants });
  return w;
}

const mount = (source: string) => ({ mounts: { "/scans": source } });

/** What a job is told; empty where it is admitted. */
function told(w: World, account: string, raw: object): string {
  const id = `job${w.events.length}`;
  const done = w.submit(id, account, raw);
  if (!isRefusal(done)) w.must({ kind: "job.cancel", job: jobId(id) });
  return isRefusal(done) ? `${done.field} ${done.detail}; ${done.hint}` : "";
}

describe("grants of data", () => {
  it("decide as a plain table says", () => {
    const eu: AskedGrant = { access: "read", regions: ["eu"] };
    const training: AskedGrant = { access: "read", purposes: ["training", "tests"] };
    const vision: AskedGrant = { access: "write", accounts: ["lab/vision"] };
    const mill: AskedGrant = { access: "read", accounts: ["mill"] };
    const trusted: AskedGrant = { access: "read", accounts: ["lab", "mill"], trust: ["trusted", "confidential"] };
    const own = mount("vol:scans");
    const far = mount("vol:lab/scans");
    const table: [grants: AskedGrant[] | undefined, account: string, raw: object, answer: RegExp][] = [
      [undefined, "lab", own, /^$/],
      [undefined, "lab/vision", own, /^$/],
      [[], "lab", own, /is granted to no job; ask an administrator of lab$/],
      [[eu], "lab", own, /^mounts\.\/scans is granted only in the region eu; add region: eu$/],
      [[eu], "lab", { ...own, region: "us" }, /only in the region eu/],
      [[training], "lab/speech", own, /only for the purposes training, tests; add purpose: training$/],
      [[training], "lab/speech", { ...own, purpose: "tests" }, /^$/],
      [[training], "lab/speech", { ...own, purpose: "sale" }, /only for the purposes/],
      [[vision], "lab/vision", own, /^$/],
      [[vision], "lab/speech", own, /is not granted to jobs of lab\/speech; ask an administrator of lab$/],
      [[vision, training], "lab/speech", { ...own, purpose: "training" }, /^$/],
      [[mill], "mill", far, /^$/],
      [[trusted], "lab", own, /^$/],
      [[trusted], "mill", far, /only to tenants that are trusted or confidential/],
      [[{ ...mill, purposes: ["tests"] }], "mill", far, /only for the purpose tests/],
    ];
    for (const [grants, account, raw, answer] of table) {
      assert.match(told(world(grants), account, raw), answer, JSON.stringify([grants, account, raw]));
    }
  });

  it("ask for a role at the account of the job, not for one elsewhere", () => {
    const w = world([{ access: "read", roles: ["member"] }]);
    const ana = "usr_ana" as never;
    w.must({ kind: "user.create", user: ana, first: { role: "member", account: "lab/speech" } });
    assert.match(told(w, "lab/vision", mount("vol:scans")), /only to users with the role member/);
    assert.equal(told(w, "lab/speech", mount("vol:scans")), "");
    w.must({ kind: "role.bind", user: ana, role: "member", account: "lab" });
    assert.equal(told(w, "lab/vision", mount("vol:scans")), "");
  });

  it("name accounts, which keep their grant only as long as they are", () => {
    const w = world();
    const asked = { kind: "volume.grant", account: "lab", name: "scans" } as const;
    const wrong = w.do({ ...asked, grants: [{ access: "read", accounts: ["lab", "moon"] }] });
    assert.ok(isRefusal(wrong) && wrong.field === "grants.0.accounts.1" && wrong.value === "moon");
    w.must({ ...asked, grants: [{ access: "read", accounts: ["mill"] }] });
    w.must({ kind: "account.delete", path: "mill" });
    w.account("mill");
    const of = w.state.accountByPath.get("mill")!.no;
    assert.equal(volumeFor(w.state, of, { volume: "scans", of: "lab", readOnly: false }), undefined, "another mill");
  });

  it("change, and are taken back, without another volume", () => {
    const w = world([]);
    const [, before] = [...w.state.volumes][0]!;
    w.now += 1000;
    w.must({ kind: "volume.grant", account: "lab", name: "scans" });
    const [, after] = [...w.state.volumes][0]!;
    assert.deepEqual([after.createdAt, after.grants], [before.createdAt, undefined]);
    assert.equal(told(w, "lab", mount("vol:scans")), "");
  });
});
