import { join } from "node:path";

/** Where samples are kept. Backups leave it out: it says nothing about jobs or money. */
export function telemetryFolderIn(dataFolder: string): string {
  return join(dataFolder, "telemetry");
}
