import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Decision } from "../journal/outcome.ts";
import { isRefusal } from "../journal/refusal.ts";
import { type AccountTerms, type GpuAmounts, plainTerms, type Quota } from "../model/account.ts";
import type { AccountId } from "../model/ids.ts";
import { hour, unitsPerGpu } from "../model/units.ts";
import { World } from "../testing/world.ts";
import { exceeds, overcommitted } from "./account.ts";

type Gpus = { readonly [model: string]: number };

const units = (gpus: Gpus): GpuAmounts =>
  Object.fromEntries(Object.entries(gpus).map(([model, count]) => [model, count * unitsPerGpu]));

/** GPUs by which guarantees exceed what is above them. */
const excess = (below: Gpus, above: Gpus) => exceeds(units(below), units(above)) / unitsPerGpu;

function termsOf(guarantee: Gpus, quota: Partial<Quota> = {}, rest: Partial<AccountTerms> = {}): AccountTerms {
  return { ...plainTerms, quota: { guarantee: units(guarantee), weight: 1, ...quota }, ...rest };
}

function create(w: World, path: string, terms: AccountTerms): Decision {
  return w.do({ kind: "account.create", id: `acc_${path.replaceAll("/", "-")}` as AccountId, path, terms });
}

const edit = (w: World, path: string, terms: AccountTerms) => w.do({ kind: "account.edit", path, terms });

function refused(decision: Decision, field: string, why: RegExp): void {
  assert.ok(isRefusal(decision), "was accepted");
  assert.equal(decision.field, field);
  assert.match(decision.detail, why);
}

function accepted(decision: Decision): void {
  assert.ok(!isRefusal(decision), JSON.stringify(decision));
}

const eightGpus = () => new World().nodes(["n0", "H100:8"]);

describe("guarantees by model", () => {
  it("[U2] may be served from the guarantee for any model", () => {
    assert.equal(excess({ H100: 4 }, { H100: 2, "*": 2 }), 0);
    assert.equal(excess({ H100: 4 }, { H100: 2, "*": 1 }), 1);
  });

  it("[U2] serve a guarantee for any model with what is left of them", () => {
    assert.equal(excess({ "*": 4 }, { H100: 2, A100: 2 }), 0);
    assert.equal(excess({ "*": 4, H100: 1 }, { H100: 2, A100: 2 }), 1);
  });

  it("[U2] are not served by another model", () => {
    assert.equal(excess({ H100: 1 }, { A100: 8 }), 1);
  });
});

describe("a tenant", () => {
  it("[U2] is not guaranteed GPUs that the fleet does not have", () => {
    const w = eightGpus().account("a", { guarantee: 6 });
    refused(create(w, "b", termsOf({ "*": 3 })), "guarantee", /exceeds what the fleet has by 1 GPUs/);
    accepted(create(w, "b", termsOf({ "*": 2 })));
  });

  it("[U2] is guaranteed a model by the name of its family", () => {
    const w = new World().nodes(["n0", "H100-80GB:8"]);
    refused(create(w, "a", termsOf({ H100: 9 })), "guarantee", /by 1 GPUs/);
    accepted(create(w, "a", termsOf({ H100: 8 })));
  });

  it("may be guaranteed more than the fleet has where its owner accepts it, which is then shown", () => {
    const w = eightGpus();
    const root = w.state.accounts[0]!;
    accepted(create(w, "a", termsOf({ "*": 8 })));
    assert.equal(overcommitted(w.state, root), false);
    accepted(create(w, "b", termsOf({ "*": 1 }, {}, { overcommit: true })));
    assert.equal(overcommitted(w.state, root), true);
  });
});

describe("an account inside a tenant", () => {
  it("is not guaranteed more than the account above it", () => {
    const w = eightGpus().account("lab", { guarantee: 4 }).account("lab/a", { guarantee: 3 });
    refused(create(w, "lab/b", termsOf({ "*": 2 })), "guarantee", /exceeds what lab is guaranteed by 1 GPUs/);
    refused(edit(w, "lab/a", termsOf({ "*": 5 })), "guarantee", /exceeds what lab is guaranteed by 1 GPUs/);
    accepted(create(w, "lab/b", termsOf({ "*": 1 })));
  });

  it("keeps the account above it from lowering its guarantee below theirs", () => {
    const w = eightGpus().account("lab", { guarantee: 4 }).account("lab/a", { guarantee: 3 });
    refused(edit(w, "lab", termsOf({ "*": 2 })), "guarantee", /accounts below it are guaranteed 1 GPUs more/);
    accepted(edit(w, "lab", termsOf({ "*": 3 })));
  });

  it("[U4] is not guaranteed for good what the account above has only during a window", () => {
    const w = eightGpus().account("lab", { guarantee: 2 });
    const quota = { guarantee: units({ "*": 6 }) };
    w.must({ kind: "account.window", path: "lab", window: { from: w.now + hour, to: w.now + 2 * hour, quota } });
    w.tick(hour);
    refused(create(w, "lab/a", termsOf({ "*": 3 })), "guarantee", /exceeds what lab is guaranteed by 1 GPUs/);
    accepted(create(w, "lab/a", termsOf({ "*": 2 })));
  });

  it("[U4] leaves to others only what comes back to no sibling when a window ends", () => {
    const w = eightGpus().account("a", { guarantee: 6 });
    const quota = { guarantee: units({ "*": 1 }) };
    w.must({ kind: "account.window", path: "a", window: { from: w.now + hour, to: w.now + 2 * hour, quota } });
    w.tick(hour);
    refused(create(w, "b", termsOf({ "*": 3 })), "guarantee", /by 1 GPUs/);
  });

  it("has the trust of its tenant", () => {
    const w = eightGpus().account("lab");
    const untrusted = termsOf({}, {}, { trust: "untrusted" });
    refused(create(w, "lab/a", untrusted), "trust", /inside a tenant/);
    accepted(create(w, "other", untrusted));
  });
});

describe("a max", () => {
  it("[C5] is not below the guarantee, in all or of a model", () => {
    const w = eightGpus();
    refused(create(w, "a", termsOf({ "*": 4 }, { max: units({ "*": 3 }) })), "max", /below the guarantee/);
    refused(create(w, "a", termsOf({ H100: 4 }, { max: units({ H100: 3 }) })), "max.H100", /below the guarantee/);
    accepted(create(w, "a", termsOf({ H100: 4 }, { max: units({ "*": 4, H100: 4 }) })));
  });
});
