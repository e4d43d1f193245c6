import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { guarantorOf, heldWords, wordsOfQuota } from "./guarantor.ts";

const nlp = { path: "lab/nlp", guarantee: {} };
const lab = { path: "lab", guarantee: { H100: 12, L40S: 4 } };

describe("what an account holds, by class", () => {
  it("is guaranteed by the lowest account in whose guarantee it fits", () => {
    assert.equal(guarantorOf([nlp, lab], 4), lab);
    assert.equal(guarantorOf([{ ...nlp, guarantee: { "*": 4 } }, lab], 12), lab);
    assert.equal(guarantorOf([nlp, lab], 17), undefined);
    assert.equal(guarantorOf([nlp], 0), undefined, "nothing fits into no guarantee");
  });

  it("is told as jobs are, also where the guarantee lies above, seen or not", () => {
    assert.deepEqual(wordsOfQuota([lab], 12, 0), { title: "12 of 16 GPUs", about: "guaranteed, no burst" });
    assert.deepEqual(wordsOfQuota([nlp, lab], 4, 8), {
      title: "4 GPUs",
      about: "guaranteed within the 16 of lab, and 8 GPUs burst, which can be taken back",
    });
    assert.deepEqual(wordsOfQuota([nlp], 4, 0), { title: "4 GPUs", about: "guaranteed by accounts above, no burst" });
    const small = { ...nlp, guarantee: { "*": 2 } };
    assert.equal(wordsOfQuota([small], 4, 0).about, "guaranteed, 2 of them to it alone, no burst");
    assert.deepEqual(wordsOfQuota([nlp], 0, 1), {
      title: "0 GPUs",
      about: "guaranteed, and 1 GPU burst, which can be taken back",
    });
  });

  it("is not measured against a guarantee that the account has not", () => {
    assert.equal(heldWords(12, 16, 0), "12 of 16 GPUs");
    assert.equal(heldWords(20, 16, 4), "20 of 16 GPUs, 4 burst");
    assert.equal(heldWords(12, 0, 8), "12 GPUs, 8 burst");
  });
});
