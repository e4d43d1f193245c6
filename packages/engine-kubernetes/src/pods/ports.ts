import type { Clock } from "@tessera/engine";
import type { ApiClient } from "../api/client.ts";
import type { Inside } from "../inside/inside.ts";
import type { Inventory } from "../nodes/inventory.ts";
import type { KubernetesSettings } from "../settings.ts";
import type { Walls } from "../walls/walls.ts";
import type { StartLimits } from "./start-limits.ts";
import type { LeaseStore } from "./store.ts";

/** What the members of an engine need from the rest of it. */
export interface MembersPorts {
  readonly engine: string;
  /** Of this process: what another one does to a held pod makes our knowledge of it out of date. */
  readonly instance: string;
  readonly client: ApiClient;
  readonly settings: KubernetesSettings;
  readonly limits: StartLimits;
  readonly store: LeaseStore;
  readonly walls: Walls;
  /** Both are opened after the members, which they look at. */
  readonly inventory: () => Inventory;
  readonly inside: () => Inside;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}
