import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import type { UserId } from "@tessera/core";
import type { PasskeyMade, PasskeyShown } from "@tessera/wire";
import type { PasskeyFactor } from "./factors.ts";

/**
 * Passkeys belong to a name. They come after a password, a token or a provider here, so that a touch is enough: whether
 * the device also asked for a fingerprint or a PIN is left to it.
 */
const requireUserVerification = false;
/** Ed25519, ECDSA with P-256, RSA: of what else there is, Node warns that it is an experiment. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** What a browser makes a passkey for. */
export function offerPasskey(name: string, user: UserId, userName: string, known: readonly PasskeyFactor[]) {
  return generateRegistrationOptions({
    ...{ rpName: "Tessera", rpID: name, userName, userID: new TextEncoder().encode(user), attestationType: "none" },
    excludeCredentials: known.map(({ credential }) => ({ id: credential })),
    supportedAlgorithmIDs,
    authenticatorSelection: { residentKey: "preferred", userVerification: "preferred" },
  });
}

/** The passkey that a browser made for this challenge at this host; undefined where it is for something else. */
export async function passkeyMade(
  host: string,
  expectedChallenge: string,
  { id, transports = [], ...response }: PasskeyMade,
): Promise<Pick<PasskeyFactor, "credential" | "publicKey" | "counter" | "transports"> | undefined> {
  const made = await verifyRegistrationResponse({
    response: { id, rawId: id, type: "public-key", clientExtensionResults: {}, response },
    ...{ expectedChallenge, requireUserVerification, supportedAlgorithmIDs, ...expectedAt(host) },
  }).catch(() => undefined); // whatever is malformed is as wrong as a wrong signature
  if (!made?.verified) return undefined;
  const { credential } = made.registrationInfo;
  const publicKey = Buffer.from(credential.publicKey).toString("base64url");
  return { credential: credential.id, publicKey, counter: credential.counter, transports };
}

/** What one of these passkeys is to sign. */
export function challengePasskeys(name: string, passkeys: readonly PasskeyFactor[]) {
  const allowCredentials = passkeys.map(({ credential }) => ({ id: credential }));
  return generateAuthenticationOptions({ rpID: name, userVerification: "preferred", allowCredentials });
}

/** What any passkey of this name is to sign that the browser finds, with a finger or a PIN. */
export function challengeAnyPasskey(name: string, challenge: Uint8Array) {
  return generateAuthenticationOptions({
    rpID: name,
    userVerification: "required",
    challenge: new Uint8Array(challenge),
  });
}

/** The challenge that the browser says was signed. */
export function challengeSigned({ clientDataJSON }: PasskeyShown): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8")) as {
      challenge?: unknown;
    };
    return typeof challenge === "string" ? challenge : undefined;
  } catch {
    return undefined;
  }
}

/** The new counter of the passkey if it signed this challenge at this host; a counter that went back is a copy. */
export async function passkeyShown(
  host: string,
  expectedChallenge: string,
  { credential, publicKey, counter }: Pick<PasskeyFactor, "credential" | "publicKey" | "counter">,
  { id, ...response }: PasskeyShown,
  userVerified = requireUserVerification,
): Promise<number | undefined> {
  const shown = await verifyAuthenticationResponse({
    response: { id, rawId: id, type: "public-key", clientExtensionResults: {}, response },
    ...{ expectedChallenge, requireUserVerification: userVerified, ...expectedAt(host) },
    credential: { id: credential, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter },
  }).catch(() => undefined);
  return shown?.verified ? shown.authenticationInfo.newCounter : undefined;
}

/** The name that passkeys of this host belong to; browsers make none for an address of digits. */
export function passkeyName(host: string): string | undefined {
  const name = host.replace(/:\d+$/, "");
  return /^\d+(\.\d+){3}$/.test(name) || name.startsWith("[") || name === "" ? undefined : name;
}

/** Something in front of the server may do TLS, so both schemes are ours. */
function expectedAt(host: string) {
  return { expectedOrigin: [`http://${host}`, `https://${host}`], expectedRPID: passkeyName(host) ?? "" };
}
