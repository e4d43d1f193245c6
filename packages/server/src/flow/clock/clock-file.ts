import { readFileSync } from "node:fs";
import type { Boot } from "./steady-clock.ts";

/** The file beside the store from which a later start of the server goes on. */
export interface ClockFile {
  read(): readonly Boot[];
  write(boots: readonly Boot[]): void;
}

/** `write` puts a file in its place as a whole. Without a file, or with a damaged one, the machine's clock is believed. */
export function clockFile(path: string, write: (path: string, text: string) => void): ClockFile {
  return {
    read() {
      try {
        const { boots } = JSON.parse(readFileSync(path, "utf8")) as { readonly boots: readonly Boot[] };
        return boots.filter(({ id, plusMs }) => typeof id === "string" && Number.isFinite(plusMs));
      } catch {
        return [];
      }
    },
    write(boots) {
      try {
        write(path, `${JSON.stringify({ boots })}\n`);
      } catch {} // on a full disk; the one that is there still holds to within what was followed since
    },
  };
}
