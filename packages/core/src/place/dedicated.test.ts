import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountTerms } from "../model/account.ts";
import { type AccountNo, noAccount, rootAccount } from "../model/ids.ts";
import type { Job } from "../model/job.ts";
import { minute, unitsPerGpu } from "../model/units.ts";
import { accountOf, tenantOf } from "../quota/accounts.ts";
import { remainderOf } from "../state/apply/dedicated.ts";
import { jobOf } from "../state/live-jobs.ts";
import { readSnapshot, writeSnapshot } from "../state/snapshot/snapshot.ts";
import type { State } from "../state/state.ts";
import { diceOf } from "../testing/dice.ts";
import { jobId, World } from "../testing/world.ts";
import { reasonFor } from "../why/reason-for.ts";

function gpusOf(w: World, path: string): number {
  return w.state.usage[w.state.accountByPath.get(path)!.no]!.units / unitsPerGpu;
}

function jobNamed(w: World, id: string): Job {
  return w.state.jobById.get(jobId(id))!;
}

function nodeOf(w: World, id: string): string | undefined {
  const lease = jobNamed(w, id).leases[0];
  return lease === undefined ? undefined : w.state.fleet.node(lease.node).facts.name;
}

function why(w: World, id: string): string {
  return reasonFor(w.state, jobNamed(w, id), w.now).kind;
}

function world(...nodes: [string, string][]): World {
  const w = new World().nodes(...nodes);
  w.must({ kind: "policy.set", policy: { rebalance: "on", minRuntimeMs: 0, graceMs: 0, backfill: true } });
  return w;
}

describe("nodes of confidential tenants", () => {
  it("[U3] hold no other tenant, with or without GPUs, and explain says so", () => {
    const w = world(["n0", "H100:4"], ["n1", "H100:4"]).account("bank", { trust: "confidential" }).account("lab");
    w.submit("b", "bank", { gpus: 1 });
    w.submit("l", "lab", { gpus: 2 });
    w.submit("cores", "lab", { gpus: 0, cpus: 1 });
    assert.deepEqual([nodeOf(w, "b"), nodeOf(w, "l"), nodeOf(w, "cores")], ["n0", "n1", "n1"]);
    w.submit("l2", "lab", { gpus: 3 });
    w.submit("b2", "bank", { gpus: 4 });
    w.submit("both", "lab", { gpus: 1, members: 5 });
    assert.deepEqual([why(w, "l2"), why(w, "b2"), why(w, "both")], ["isolation", "shape", "isolation"]);
    w.run("b").exit("b", 0);
    assert.equal(nodeOf(w, "b2"), "n0");
  });

  it("[U3] are charged whole, to the lowest account above all jobs that came since the node was empty", () => {
    const w = world(["n0", "H100:8"]).account("bank", { trust: "confidential" });
    w.account("bank/risk").account("bank/desk");
    w.submit("r", "bank/risk", { gpus: 1 });
    assert.deepEqual([gpusOf(w, "bank/risk"), gpusOf(w, "bank/desk"), gpusOf(w, "bank")], [8, 0, 8]);
    w.submit("d", "bank/desk", { gpus: 2 });
    assert.deepEqual([gpusOf(w, "bank/risk"), gpusOf(w, "bank/desk"), gpusOf(w, "bank")], [1, 2, 8]);
    w.run("r").exit("r", 0);
    const again = readSnapshot(writeSnapshot(w.state));
    for (const state of [w.state, again]) {
      const held = (path: string) => state.usage[state.accountByPath.get(path)!.no]!.units / unitsPerGpu;
      assert.deepEqual([held("bank/risk"), held("bank/desk"), held("bank"), held("")], [0, 2, 8, 8]);
    }
    w.run("d").exit("d", 0);
    assert.deepEqual([gpusOf(w, "bank"), gpusOf(w, "")], [0, 0]);
  });

  it("[C5] count whole under a max, and a full node of one's own costs nothing more", () => {
    const w = world(["n0", "H100:4"], ["n1", "H100:4"]).account("bank", { trust: "confidential", max: 7 });
    w.submit("a", "bank", { gpus: 1 });
    w.submit("b", "bank", { gpus: 3 });
    w.submit("c", "bank", { gpus: 1 });
    assert.deepEqual([nodeOf(w, "a"), nodeOf(w, "b"), why(w, "c")], ["n0", "n0", "quota"]);
    assert.equal(gpusOf(w, "bank"), 4);
  });

  it("[U3] become the tenant's own when it becomes confidential, and are given up when it no longer is", () => {
    const w = world(["n0", "H100:4"]).account("bank").account("lab");
    w.submit("b", "bank", { gpus: 1 });
    const trust = (trust: AccountTerms["trust"]) => {
      const terms = { ...w.state.accountByPath.get("bank")!.terms, trust };
      w.must({ kind: "account.edit", path: "bank", terms });
    };
    trust("confidential");
    w.submit("l", "lab", { gpus: 1 });
    assert.deepEqual([gpusOf(w, "bank"), why(w, "l")], [4, "isolation"]);
    trust("trusted");
    assert.deepEqual([gpusOf(w, "bank"), nodeOf(w, "l")], [1, "n0"]);
  });

  it("[T1] are reclaimed by other tenants only whole", () => {
    const w = world(["n0", "H100:4"]).account("bank", { trust: "confidential" }).account("lab", { guarantee: 2 });
    w.submit("a", "bank", { gpus: 1 });
    w.submit("b", "bank", { gpus: 1 });
    w.run("a").run("b");
    w.submit("l", "lab", { gpus: 1 });
    assert.deepEqual([w.stateOf("a"), w.stateOf("b"), why(w, "l")], ["stopping", "stopping", "evicting"]);
    w.exit("a", 143);
    assert.equal(w.stateOf("l"), "waiting");
    w.exit("b", 143);
    assert.deepEqual([nodeOf(w, "l"), why(w, "a"), gpusOf(w, "bank")], ["n0", "isolation", 0]);
  });

  it("[U3] keep the usage of every account correct on random days", () => {
    for (let seed = 1; seed <= 25; seed++) randomDay(seed);
  });
});

/** Submissions, ends, losses, edits of trust; after each the promises are checked. */
function randomDay(seed: number): void {
  const roll = diceOf(seed);
  const w = world(["n0", "H100:4"], ["n1", "H100:4"], ["n2", "H100:2"], ["n3", "H100:8"]);
  const paths = ["bank", "bank/risk", "bank/desk", "lab", "lab/a", "vault"];
  const trusted = { bank: "confidential", vault: "confidential" } as Record<string, AccountTerms["trust"]>;
  for (const path of paths) {
    const trust = trusted[path] === undefined ? {} : { trust: trusted[path] };
    w.account(path, { guarantee: path.includes("/") ? 0 : roll(5), max: 6 + roll(10), ...trust });
  }
  for (let step = 0; step < 60; step++) {
    const jobs = [...w.state.jobs.values()];
    const job = jobs[roll(jobs.length || 1)];
    const id = job?.id.replace("job_", "");
    switch (roll(8)) {
      case 0:
        if (job?.state === "running" && job.leases.every((lease) => lease.state === "running")) {
          for (const { rank } of job.leases) if (w.state.jobById.has(job.id)) w.exit(id!, 0, rank);
        }
        break;
      case 1:
        if (job !== undefined) w.do({ kind: "job.cancel", job: job.id });
        break;
      case 2: {
        const node = `n${roll(4)}`;
        w.must(roll(2) === 0 ? { kind: "node.down", node, reason: "fan" } : { kind: "node.up", node });
        break;
      }
      case 3:
        w.tick(minute);
        for (const each of jobs) {
          if (each.state !== "stopping") continue;
          for (const lease of [...each.leases]) w.reportOn(lease.id, { kind: "exited", ran: true, code: 143 });
        }
        break;
      case 4: {
        const { terms } = w.state.accountByPath.get("vault")!;
        const trust = terms.trust === "trusted" ? "confidential" : "trusted";
        if (roll(4) === 0) w.must({ kind: "account.edit", path: "vault", terms: { ...terms, trust } });
        break;
      }
      default: {
        const members = roll(4) === 0 ? { members: `1..${1 + roll(3)}` } : roll(4) === 0 ? { members: 2 } : {};
        const preemptible = roll(5) !== 0;
        const wish = { gpus: roll(4), priority: roll(2), preemptible, ...members };
        w.submit(`j${step}`, paths[roll(paths.length)]!, wish as Parameters<World["submit"]>[2]);
      }
    }
    for (const each of w.state.jobs.values()) if (each.state === "starting") w.run(each.id.replace("job_", ""));
    checkBooks(w.state, seed, step);
  }
}

function checkBooks(state: State, seed: number, step: number): void {
  const at = `seed ${seed}, step ${step}`;
  const held = new Map<AccountNo, number>();
  const count = (account: AccountNo, units: number): void => {
    for (let each = account; each !== noAccount; each = accountOf(state, each).parent)
      held.set(each, (held.get(each) ?? 0) + units);
  };
  const tenants = new Map<number, Set<AccountNo>>();
  for (const lease of state.leases.values()) {
    const { account } = jobOf(state, lease.job);
    count(account, lease.unitsEach * lease.gpus.length);
    const on = tenants.get(lease.node) ?? new Set();
    tenants.set(lease.node, on.add(tenantOf(state, account).no));
  }
  const bank = state.accountByPath.get("bank")!.no;
  for (const [node, on] of tenants)
    assert.ok(!on.has(bank) || on.size === 1, `${at}: the bank is not alone on ${node}`);
  for (const job of state.claimants)
    for (const seat of job.claim!.seats) count(job.account, seat.gpus.length * unitsPerGpu);
  for (const [node, account] of state.dedicated) count(account, remainderOf(state, node).units);
  const again = readSnapshot(writeSnapshot(state));
  for (const account of state.accounts) {
    if (account === undefined) continue;
    assert.equal(state.usage[account.no]!.units, held.get(account.no) ?? 0, `${at}: usage of ${account.path}`);
    assert.deepEqual(again.usage[account.no]!.units, state.usage[account.no]!.units, `${at}: restart, ${account.path}`);
  }
  assert.equal(writeSnapshot(again), writeSnapshot(state), at);
  assert.ok(state.usage[rootAccount]!.units >= 0);
}
