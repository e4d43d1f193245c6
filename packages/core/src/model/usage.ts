/** What a lease was doing. The price book decides which of these states are billed. */
export type UsageState = "starting" | "running" | "stopping" | "scrub" | "reshape" | "stranded" | "dedicated";
