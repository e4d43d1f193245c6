/** What a lease was doing; whether that is billed is for the price book to say. */
export type UsageState = "starting" | "running" | "stopping" | "scrub" | "reshape" | "stranded" | "dedicated";
