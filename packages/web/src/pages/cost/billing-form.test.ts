import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BillingPreview, BillingShape } from "@tessera/wire";
import { billingBody, billingCommand, billingDraftOf, billingEffects } from "./billing-form.ts";

const billing: BillingShape = {
  ...{ tenant: "lab", currency: "EUR", mode: "chargeback", creditLimitMicros: "5000000000", stopped: false },
  ...{ owedMicros: "1000000000", heldMicros: "0", openMicros: "500000000", leftMicros: "3500000000" },
  revision: "r1",
};
const preview: BillingPreview = {
  ...{ tenant: "lab", currency: "EUR", owedMicros: "1000000000", openMicros: "500000000", leftMicros: "500000000" },
  ...{ stopped: false, stops: { jobs: 0, gpus: 0, named: [] } },
};

describe("how a tenant is billed, as it is typed", () => {
  it("is one command, in whatever language the limit was typed", () => {
    assert.deepEqual(billingBody(billingDraftOf(billing)), { mode: "chargeback", creditLimitMicros: "5000000000" });
    const command = (limit: string, locale: string) =>
      billingCommand("lab", billingBody({ mode: "chargeback", limit }, locale)!);
    assert.equal(command("41.472,22", "de"), "tess billing set lab --mode chargeback --credit-limit 41472.22");
    assert.equal(command("", "en"), "tess billing set lab --mode chargeback --credit-limit none");
    assert.equal(billingBody({ mode: "chargeback", limit: "5.000" }, "en"), undefined);
  });

  it("says where the tenant would stand as the server counts it, what stops now, and what credit is left", () => {
    const texts = (of: Partial<BillingPreview>, mode: BillingShape["mode"] = "chargeback", wasStopped = false) =>
      billingEffects({ ...preview, ...of }, { mode }, wasStopped).map(({ text }) => text);
    assert.deepEqual(texts({}), [
      "lab owes 1,000.00 EUR; since its last invoice it used 500.00 EUR, before credits for lending.",
      "500.00 EUR of credit are left. Nothing stops now.",
    ]);
    const named = [{ id: "job_1", name: "llama", project: "lab", gpus: 4 }];
    const stops = { jobs: 2, gpus: 12, named };
    assert.deepEqual(texts({ owedMicros: "-1000000", leftMicros: "-1", stopped: true, stops }), [
      "lab has paid 1.00 EUR in advance; since its last invoice it used 500.00 EUR, before credits for lending.",
      "Its credit is used up: no further burst job of lab starts, and 2 jobs on 12 GPUs stop now: llama of lab and 1 more.",
    ]);
    const { leftMicros: _left, ...unlimited } = preview;
    const shown = billingEffects({ ...unlimited, owedMicros: "0" }, { mode: "showback" }, true);
    assert.deepEqual(
      shown.map(({ text, bad }) => [text, bad]),
      [
        ["lab owes nothing; what it used since its last invoice is not owed either.", false],
        ["Burst jobs of lab, which its credit stops now, may start again.", false],
      ],
    );
  });
});
