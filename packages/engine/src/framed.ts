/** Entries as bytes: how one passes through a socket, for engines whose members are in other processes. */
export { Channel } from "./channel.ts";
export { FramedEntry } from "./framed-entry.ts";
export { type Frame, frameOf, framesOf, jsonFrame, jsonIn, kinds, send } from "./frames.ts";
