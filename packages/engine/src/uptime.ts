import { readFileSync } from "node:fs";
import { uptime } from "node:os";

/**
 * Changes when the machine restarts. Where the kernel gives no such id, the minute of the last start stands in; it
 * can differ by one after the clock was set, and then members are held for lost rather than run twice.
 */
export function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return `booted-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
  }
}

/** For how long the machine has been up, its sleep included: the same for all programs on it, and not to be set. */
export function upMs(): number {
  return Math.round(uptime() * 1000);
}
