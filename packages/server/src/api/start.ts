import type { AddressInfo } from "node:net";
import type { ContentStore } from "@tessera/content";
import type { TelemetryStore } from "@tessera/telemetry";
import type { Keys } from "../access/keys.ts";
import type { Reconciled } from "../flow/activity/reconcile.ts";
import type { Alarms } from "../flow/alarms.ts";
import type { ControlPlane } from "../flow/control.ts";
import type { Engines } from "../flow/engines/engines.ts";
import type { NodeChecks } from "../flow/health/node-checks.ts";
import type { Collector } from "../flow/telemetry/collector.ts";
import type { IdleWatch } from "../flow/watch/idle-watch.ts";
import type { OutboxStatus } from "../notify/outbox.ts";
import type { JournalSeries } from "../work/series.ts";
import type { WhatIfRuns } from "../work/what-if-runs.ts";
import type { ApiWork } from "./away/tasks.ts";
import { type ApiConfig, buildApi } from "./build.ts";

/** A running API. */
export interface Api {
  /** Where this machine reaches it. */
  readonly url: string;
  /** An address that signs the holder of a token in, once. */
  signInLink(token: string): string | undefined;
  close(): Promise<void>;
}

/** Builds the API and listens. */
export async function startApi(what: {
  control: ControlPlane;
  keys: Keys;
  content?: ContentStore;
  dataFolder?: string;
  work?: ApiWork;
  outletsNow?: () => readonly OutboxStatus[];
  alarms?: Alarms;
  engines?: Engines;
  nodeChecks?: NodeChecks;
  telemetry?: TelemetryStore;
  series?: JournalSeries;
  collector?: Collector;
  /** What came of comparing leased with busy time. */
  reconciled?: () => Reconciled | undefined;
  idleWatch?: Pick<IdleWatch, "warningOf">;
  whatIf?: WhatIfRuns;
  config: ApiConfig & { readonly host: string; readonly port: number };
}): Promise<Api> {
  const { host, port, tls } = what.config;
  const built = await buildApi(what);
  await built.app.listen({ host, port });
  const address = built.app.server.address() as AddressInfo;
  const url = `${tls === undefined ? "http" : "https"}://${reachable(address)}:${address.port}`;
  const signInLink = (token: string) => {
    const path = built.signInPath(token);
    return path && `${url}${path}`;
  };
  return { url, signInLink, close: built.close };
}

/** All addresses at once can be listened on but not called. */
function reachable({ address, family }: AddressInfo): string {
  if (family !== "IPv6") return address === "0.0.0.0" ? "127.0.0.1" : address;
  return address === "::" ? "[::1]" : `[${address}]`;
}
