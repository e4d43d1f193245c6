/** The state of a lease during a stretch of usage. The price book decides which of them are billed. */
export type UsageState = "starting" | "running" | "stopping" | "scrub" | "reshape" | "stranded" | "dedicated";
