import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Instant } from "@tessera/core";

const stepMs = 30_000;
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** 160 bits, as authenticator apps take them. */
export function newTotpSecret(): string {
  return base32(randomBytes(20));
}

/** What an app reads from a QR code or a link. */
export function totpUri(secret: string, user: string, host: string): string {
  const label = encodeURIComponent(`Tessera ${host}:${user}`);
  return `otpauth://totp/${label}?secret=${secret}&issuer=${encodeURIComponent(`Tessera ${host}`)}`;
}

/** The code of a step [RFC 6238]: six digits, SHA-1, 30 seconds; what every app can do. */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const number = mac.readUInt32BE(mac[19]! & 0xf) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}

export function totpStepAt(now: Instant): number {
  return Math.floor(now / stepMs);
}

/** The step that a code belongs to: this one or a neighbour, as clocks differ, and later than the last one used. */
export function totpStepOf(secret: string, code: string, now: Instant, lastStep = -1): number | undefined {
  const here = totpStepAt(now);
  const right = [here - 1, here, here + 1].filter((step) => same(totpCode(secret, step), code));
  return right.find((step) => step > lastStep);
}

export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{5}/g) ?? []).map((five) => letters[Number.parseInt(five, 2)]).join("");
}

function bytesOf(text: string): Buffer {
  const bits = [...text].map((letter) => letters.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}

function same(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
