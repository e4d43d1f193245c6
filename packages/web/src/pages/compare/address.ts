/** The page that shows two runs beside each other, the earlier one first; without it, the run before. */
export function compareAddress(earlier: string | undefined, later: string): string {
  return `/compare?${new URLSearchParams({ ...(earlier !== undefined && { a: earlier }), b: later })}`;
}
