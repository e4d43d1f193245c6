import type { Account, Instant, ReadonlyState } from "@tessera/core";
import { isInside } from "@tessera/core";
import type { TelemetryRow, TelemetryStore } from "@tessera/telemetry";
import type { ControlPlane } from "../control.ts";
import { freshMs, type Holding, holdingsOf } from "./holding.ts";

/** Prometheus, consoles and `tess top` all ask every few seconds: what was found is shown for so long. */
const keptMs = 3_000;

interface Found {
  readonly at: Instant;
  readonly rows: readonly TelemetryRow[];
  readonly holdings: readonly Holding[];
}

/** What is held now, joined with the newest samples. */
export class Activity {
  readonly #control: Pick<ControlPlane, "state" | "now">;
  readonly #store: Pick<TelemetryStore, "latest"> | undefined;
  #found: Found | undefined;

  constructor(control: Pick<ControlPlane, "state" | "now">, store: Pick<TelemetryStore, "latest"> | undefined) {
    this.#control = control;
    this.#store = store;
  }

  /** Samples that still tell of now, also of GPUs that no lease holds. */
  rows(): readonly TelemetryRow[] {
    return this.#look().rows;
  }

  /** Everything that is held in these accounts and below. */
  holdings(accounts: readonly Account[]): readonly Holding[] {
    const { state } = this.#control;
    const inside = new Map<number, boolean>();
    return this.#look().holdings.filter(({ account }) => {
      const known = inside.get(account);
      if (known !== undefined) return known;
      const is = accounts.some(({ no }) => isInside(state, account, no));
      inside.set(account, is);
      return is;
    });
  }

  #look(): Found {
    const now = this.#control.now();
    const known = this.#found;
    if (known !== undefined && now >= known.at && now - known.at < keptMs) return known;
    const rows = newestOf((this.#store?.latest() ?? []).filter(({ at }) => at > now - freshMs));
    this.#found = { at: now, rows, holdings: joined(this.#control.state, rows, now) };
    return this.#found;
  }
}

/** The rows of the last sample of each GPU: one for each lease that holds it, not those of leases that are over. */
function newestOf(rows: readonly TelemetryRow[]): TelemetryRow[] {
  const newest = new Map<string, Instant>();
  const devices = rows.map(({ node, gpu, instance = "" }) => `${node} ${gpu} ${instance}`);
  for (const [i, { at }] of rows.entries()) {
    const device = devices[i]!;
    if (at > (newest.get(device) ?? 0)) newest.set(device, at);
  }
  return rows.filter(({ at }, i) => at === newest.get(devices[i]!));
}

function joined(state: ReadonlyState, rows: readonly TelemetryRow[], now: Instant): Holding[] {
  const byHolder = new Map<string, TelemetryRow>();
  for (const row of rows) if (row.lease !== undefined) byHolder.set(`${row.lease} ${row.gpu}`, row);
  return holdingsOf(state, (lease, gpu) => byHolder.get(`${lease} ${gpu}`), now);
}
