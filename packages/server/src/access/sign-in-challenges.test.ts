import assert from "node:assert/strict";
import { it } from "node:test";
import { SignInChallenges } from "./sign-in-challenges.ts";

it("takes a challenge of its own once and in time, and no other", () => {
  const ours = new SignInChallenges(Buffer.alloc(32, 1));
  const challenge = ours.make(1_000).toString("base64url");
  assert.equal(new SignInChallenges(Buffer.alloc(32, 2)).take(challenge, 2_000), false, "another server's");
  const later = Buffer.from(challenge, "base64url");
  later.writeUInt8(later.readUInt8(17) ^ 1, 17);
  assert.equal(ours.take(later.toString("base64url"), 2_000), false, "its time was changed");
  assert.equal(ours.take(`${challenge}=`, 2_000), false, "written in another way");
  assert.equal(ours.take(challenge, 301_000), false, "too late");
  assert.equal(ours.take(challenge, 2_000), true);
  assert.equal(ours.take(challenge, 2_000), false, "twice");
});
