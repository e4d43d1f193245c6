import { openBackup } from "../../store/backup.ts";
import { StoreDamaged } from "../../store/port.ts";
import { verify } from "./verify.ts";

/** Throws StoreDamaged, with the part, when a backup is not what was written: nothing is restored from it then. */
export async function checkBackup(file: string): Promise<void> {
  const reader = await openBackup(file);
  try {
    const { sound, badSeq, fault } = await verify(reader);
    if (sound) return;
    const place = badSeq === undefined ? "" : ` at row ${badSeq}`;
    throw new StoreDamaged(
      `The backup ${file} is damaged${place}: ${fault}. Nothing was restored; take another backup.`,
    );
  } finally {
    await reader.close();
  }
}
