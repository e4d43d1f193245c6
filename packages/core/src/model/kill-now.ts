/** The stop of a cancel by force [L2]; no other stop begins with this signal. */
export const killNow = { signal: "SIGKILL", graceMs: 0 } as const;
