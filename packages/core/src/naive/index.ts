export * from "./amount.ts";
export * from "./counts.ts";
export * from "./judge.ts";
export * from "./order.ts";
export * from "./search.ts";
export * from "./take.ts";
export * from "./world.ts";
