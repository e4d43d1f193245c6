/** Calls to another process through a unix socket: one HTTP request each, a list of arguments, an answer in JSON. */
export { RemoteCalls } from "./remote/calls.ts";
export { BadMessage, failureOf, type SentFailure, sentFailure } from "./remote/failure.ts";
