import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { base32, newTotpSecret, totpCode, totpStepAt, totpStepOf } from "./totp.ts";

const secret = base32(Buffer.from("12345678901234567890"));

describe("one-time codes", () => {
  it("are those of RFC 6238, appendix B", () => {
    const codes = [59, 1111111109, 1111111111, 1234567890, 2000000000, 20000000000].map((second) =>
      totpCode(secret, totpStepAt(second * 1000)),
    );
    assert.deepEqual(codes, ["287082", "081804", "050471", "005924", "279037", "353130"]);
  });

  it("are good in the step before and after, and no further", () => {
    const now = 1_111_111_111_000;
    const step = totpStepAt(now);
    const found = [-2, -1, 0, 1, 2].map((n) => totpStepOf(secret, totpCode(secret, step + n), now));
    assert.deepEqual(found, [undefined, step - 1, step, step + 1, undefined]);
  });

  it("are good once", () => {
    const now = 1_111_111_111_000;
    const step = totpStepAt(now);
    const code = totpCode(secret, step);
    assert.equal(totpStepOf(secret, code, now, step), undefined);
    assert.equal(totpStepOf(secret, code, now, step - 1), step);
    assert.equal(totpStepOf(secret, "12345", now), undefined);
  });

  it("come from secrets of 160 bits", () => {
    assert.match(newTotpSecret(), /^[A-Z2-7]{32}$/);
  });
});
