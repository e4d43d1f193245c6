/** Primary result codes of SQLite; the error carries the extended code, whose low byte is the primary one. */
export const sqliteError = 1;
export const sqliteBusy = 5;
export const sqliteIoError = 10;
export const sqliteCorrupt = 11;
export const sqliteFull = 13;
export const sqliteCannotOpen = 14;
export const sqliteNotADatabase = 26;

export function primaryCodeOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}
