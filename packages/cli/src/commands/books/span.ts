/** Flags of reports about a time and an account. */
export interface SpanFlags {
  readonly from?: string;
  readonly to?: string;
  readonly account?: string;
}

/** What was said of them, as a query: what was not said is the server's to choose. */
export function spanOf({ from, to, account }: SpanFlags): SpanFlags {
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(account !== undefined && { account }),
  };
}
