export * from "./clock.ts";
export * from "./port.ts";
