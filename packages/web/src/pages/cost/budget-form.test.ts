import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BudgetPreview, BudgetShape } from "@tessera/wire";
import { type BudgetDraft, budgetBody, budgetCommand, budgetDraftOf, budgetEffects } from "./budget-form.ts";

const draft: BudgetDraft = { limit: "90000", every: "month", alerts: "50, 92.5", stop: "stop-all" };
const preview: BudgetPreview = {
  ...{ account: "lab", currency: "EUR", from: "2026-11-01T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" },
  ...{ spentMicros: "13831000000", forecastMicros: "20000000000", passedPerMille: 0 },
  stops: { jobs: 0, gpus: 0, named: [] },
};
const texts = (of: Partial<BudgetPreview>, typed: Partial<BudgetDraft> = {}) =>
  budgetEffects({ ...preview, ...of }, budgetBody({ ...draft, ...typed }, "en")!).map(({ text }) => text);

describe("a budget as it is typed", () => {
  it("is the same command in whatever language its limit was typed, with all that the form sets", () => {
    for (const [locale, limit] of Object.entries({ en: "90,000", de: "90.000", fr: "90 000", fa: "۹۰٬۰۰۰" })) {
      assert.equal(
        budgetCommand("lab/nlp", budgetBody({ ...draft, limit }, locale)!),
        "tess budget set lab/nlp --limit 90000 --every month --alerts 50,92.5 --stop stop-all",
        locale,
      );
    }
    const cents = budgetBody({ ...draft, limit: "41.472,22", alerts: "", every: "once" }, "de")!;
    assert.equal(
      budgetCommand("lab", cents),
      "tess budget set lab --limit 41472.22 --every once --alerts none --stop stop-all",
    );
    for (const limit of ["", "0", "90.000", "12,5"])
      assert.equal(budgetBody({ ...draft, limit }, "en"), undefined, limit);
    assert.equal(budgetBody({ ...draft, alerts: "200" }, "en"), undefined);
  });

  it("begins with the budget that the account has", () => {
    const before: BudgetShape = {
      ...{ account: "lab", currency: "EUR", limitMicros: "41472220000", every: "once", alertsPerMille: [600, 995] },
      ...{ stop: "stop-burst", from: preview.from, to: preview.to, spentMicros: "0", forecastMicros: "0" },
      ...{ stopped: "none", revision: "r1" },
    };
    const { limit, ...rest } = budgetDraftOf(before);
    assert.deepEqual(rest, { every: "once", alerts: "60, 99.5", stop: "stop-burst" });
    assert.equal(budgetBody(budgetDraftOf(before))!.limitMicros, "41472220000", limit);
  });

  it("says what is spent as the server counts it, and what stops now", () => {
    assert.deepEqual(texts({}), [
      "13,831.00 EUR spent this month before credits for lending, 15 % of the limit.",
      "Nothing stops now.",
    ]);
    assert.match(texts({ spentMicros: "200000000" }, { every: "once" })[0]!, /^200\.00 EUR spent since 2026-11-01/);
    assert.match(
      texts({ passedPerMille: 500 })[1]!,
      /^50 % of it is spent already: an alert is sent now, nothing stops/,
    );
    const named = [{ id: "job_1", name: "llama", project: "lab", gpus: 4 }];
    const stops = { jobs: 2, gpus: 12, named };
    assert.equal(
      texts({ passedPerMille: 1000, stops })[1],
      "It is spent already: no further job of lab starts, and 2 jobs on 12 GPUs stop now: llama of lab and 1 more.",
    );
    assert.match(
      texts({ passedPerMille: 1000 }, { stop: "stop-burst" })[1]!,
      /no further burst job of lab starts\. None/,
    );
    assert.match(texts({ passedPerMille: 1000 }, { stop: "alert" })[1]!, /an alert is sent now, nothing stops/);
    assert.match(texts({ passedPerMille: 1000 }, { stop: "refuse-new" })[1]!, /running jobs go on/);
  });
});
