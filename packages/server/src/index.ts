/** What simulations, soaks and benchmarks use of the server. */
export { eventsOf, type Recovered, recover, replayRow } from "./flow/recover.ts";
export { Writer, type WriteRequest, type Written } from "./flow/writer.ts";
export * from "./store/index.ts";
