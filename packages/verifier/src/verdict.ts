/** What was found. `row` is the first bad row, or the first that may be bad. */
export type Verdict =
  | { readonly sound: true; readonly checked: readonly string[] }
  | { readonly sound: false; readonly fault: string; readonly row?: number };

export function bad(fault: string, row?: number): Verdict {
  return { sound: false, fault, ...(row !== undefined && { row }) };
}
