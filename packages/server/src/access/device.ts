import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { UserId } from "@tessera/core";
import { cookieNamed } from "./cookies.ts";

const pattern = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/;
const keptSeconds = 365 * 24 * 3_600;

/**
 * A browser in which a user has signed in before is known by a cookie. It opens nothing: wrong passwords from elsewhere
 * do not count against it, so that nobody can keep a user out by guessing.
 */
export class Devices {
  readonly #key: Buffer;
  readonly #cookie: string;
  readonly #attributes: string;

  constructor(serverKey: Buffer, secure: boolean) {
    this.#key = serverKey;
    this.#cookie = secure ? "__Host-tessera-device" : "tessera-device";
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${keptSeconds}${secure ? "; Secure" : ""}`;
  }

  /** The device, if this user has signed in on it. */
  known(header: string | undefined, user: UserId | undefined): string | undefined {
    const [, device, mac] = pattern.exec(cookieNamed(header, this.#cookie) ?? "") ?? [];
    if (device === undefined || mac === undefined || user === undefined) return undefined;
    return timingSafeEqual(Buffer.from(mac, "base64url"), this.#macOf(user, device)) ? device : undefined;
  }

  /** The header that makes a browser known for a user. */
  cookieFor(user: UserId): string {
    const device = randomBytes(16).toString("base64url");
    return `${this.#cookie}=${device}.${this.#macOf(user, device).toString("base64url")}; ${this.#attributes}`;
  }

  #macOf(user: UserId, device: string): Buffer {
    return createHmac("sha256", this.#key).update(`device\n${user}\n${device}`).digest();
  }
}
