import type { AddressInfo } from "node:net";
import type { Keys } from "../access/keys.ts";
import type { ControlPlane } from "../flow/control.ts";
import { type ApiConfig, buildApi } from "./build.ts";

/** A running API. */
export interface Api {
  readonly url: string;
  close(): Promise<void>;
}

/** Builds the API and listens. */
export async function startApi(what: {
  control: ControlPlane;
  keys: Keys;
  config: ApiConfig & { readonly host: string; readonly port: number };
}): Promise<Api> {
  const { host, port, tls } = what.config;
  const built = await buildApi(what);
  await built.app.listen({ host, port });
  const address = built.app.server.address() as AddressInfo;
  const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return { url: `${tls === undefined ? "http" : "https"}://${shown}:${address.port}`, close: built.close };
}
