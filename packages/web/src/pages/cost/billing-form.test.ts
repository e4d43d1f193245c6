import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { BillingShape } from "@tessera/wire";
import { billingBody, billingCommand, billingDraftOf, billingEffect } from "./billing-form.ts";

const billing: BillingShape = {
  ...{ tenant: "lab", currency: "EUR", mode: "chargeback", creditLimitMicros: "5000000000", stopped: false },
  ...{ owedMicros: "1000000000", heldMicros: "0", openMicros: "500000000", leftMicros: "3500000000" },
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

  it("says what stops now, and what credit is left", () => {
    const effect = (limit: string, mode: BillingShape["mode"] = "chargeback", of = billing) =>
      billingEffect(of, billingBody({ mode, limit }, "en")!);
    assert.deepEqual(effect("1500"), {
      ...{ text: "lab owes 1,500.00 EUR, with what is not invoiced yet: its burst jobs stop now.", bad: true },
    });
    assert.equal(effect("2000").text, "500.00 EUR of credit are left. Nothing stops now.");
    assert.equal(effect("1500", "showback").bad, false);
    assert.match(effect("", "chargeback", { ...billing, stopped: true }).text, /may start again/);
  });
});
