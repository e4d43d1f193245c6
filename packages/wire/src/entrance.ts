/**
 * What passes through the WebSocket of an entrance. Bytes are binary messages whose first byte names the channel;
 * everything else is a JSON text message.
 */
export const channels = { input: 0, output: 1, errors: 2 } as const;

/** Longest binary message, the channel included. */
export const messageBytesMax = 256 * 1024;

/** What the client says beside bytes. */
export type ClientSays =
  | { readonly end: "input" }
  | { readonly resize: { readonly columns: number; readonly rows: number } };

/** What the server says beside bytes. `exit` or `broken` is the last message. */
export type ServerSays =
  | { readonly end: "output" | "errors" }
  | { readonly exit: number }
  | { readonly broken: string };

/** Why the server closed the connection, beside the codes of the WebSocket standard. */
export const closeCodes = {
  /** The command ended; its exit code was told. */
  done: 1000,
  /** The server stops or restarts. */
  goingAway: 1001,
  /** The job ended, or what was asked for broke; `broken` was told. */
  broken: 4000,
  /** The rights of the user, the token or the account do not allow it any more. */
  notAllowed: 4403,
} as const;
