import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Instant } from "@tessera/core";

const lifeMs = 5 * 60_000;
const nonceBytes = 16;
const timeBytes = 6;
const macBytes = 16;

/**
 * What a passkey signs when nothing else says who asks. Anyone may ask for one, so nothing is kept of those that were only
 * made: a challenge says itself until when it is good and that it is ours. Those that were used are remembered until then.
 */
export class SignInChallenges {
  readonly #key: Buffer;
  readonly #used = new Map<string, Instant>();

  constructor(serverKey: Buffer) {
    this.#key = serverKey;
  }

  make(now: Instant): Buffer {
    const time = Buffer.alloc(timeBytes);
    time.writeUIntBE(now + lifeMs, 0, timeBytes);
    const said = Buffer.concat([randomBytes(nonceBytes), time]);
    return Buffer.concat([said, this.#macOf(said)]);
  }

  /** Whether it is ours, in time, and was not used; from now on it was. */
  take(challenge: string, now: Instant): boolean {
    const bytes = Buffer.from(challenge, "base64url");
    if (bytes.length !== nonceBytes + timeBytes + macBytes || bytes.toString("base64url") !== challenge) return false;
    const said = bytes.subarray(0, nonceBytes + timeBytes);
    if (!timingSafeEqual(bytes.subarray(nonceBytes + timeBytes), this.#macOf(said))) return false;
    const expiresAt = said.readUIntBE(nonceBytes, timeBytes);
    for (const [each, at] of this.#used) if (at <= now) this.#used.delete(each);
    if (expiresAt <= now || this.#used.has(challenge)) return false;
    this.#used.set(challenge, expiresAt);
    return true;
  }

  #macOf(said: Buffer): Buffer {
    return createHmac("sha256", this.#key).update("sign-in challenge\n").update(said).digest().subarray(0, macBytes);
  }
}
