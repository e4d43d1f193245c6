import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { weaknessOf } from "./weak-passwords.ts";

const ana = { name: "ana.mueller", email: "ana@acme-robotics.example" };

describe("weak passwords", () => {
  it("are found whatever is done to them", () => {
    for (const password of [
      "passwordpassword",
      "PasswordPassword",
      "P@ssw0rd1234",
      "Welcome2024!!",
      "iloveyou12345678",
      "123456789012",
      "qwertyuiopas",
      "1qaz2wsx3edc",
      "aaaaaaaaaaaab",
      "abcabcabcabcabc",
      "letmeinletmein",
      "SummerSunshine1",
      "dragon-monkey-1!",
      "correctcorrect",
      "mueller123456",
      "Tessera2026!!",
      "acme-robotics-password",
    ]) {
      assert.notEqual(weaknessOf(password, ana), undefined, password);
    }
  });

  it("are not those that nobody would try", () => {
    for (const password of [
      "a long enough one",
      "correct horse battery staple",
      "vK3-xQ9r-Lm2t",
      "seven geese ate my homework",
      "krähe im frühling 9",
      "dragon 829461-57302",
    ]) {
      assert.equal(weaknessOf(password, ana), undefined, password);
    }
  });
});
