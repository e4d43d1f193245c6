import type { Event } from "../journal/event.ts";
import type { Instant } from "../model/units.ts";
import { apply } from "../state/apply/apply.ts";
import { emptyState } from "../state/empty.ts";
import type { State } from "../state/state.ts";
import { balanceOf, type DeviceUse, type FleetBalance } from "./balance.ts";
import { type DeviceChange, DeviceTimeline } from "./device-timeline.ts";
import { Meter, type MeterRecord, meteredOf } from "./meter.ts";
import { type Stretch, stretchesUntil } from "./stretch.ts";
import type { Metered } from "./usage.ts";

/** What the meter made of some events. */
export interface Replay {
  readonly state: State;
  readonly records: readonly MeterRecord[];
  readonly stretches: readonly Stretch[];
  readonly metered: Metered;
  readonly devices: readonly DeviceChange[];
}

interface ReplayOptions {
  readonly eventsPerRow?: number;
  /** Replaces the state between rows. */
  readonly restart?: (state: State) => State;
}

/** Meters the events from nothing, as a rebuild of the projections does. By default each event is a row of its own. */
export function meterEvents(events: readonly Event[], { eventsPerRow = 1, restart }: ReplayOptions = {}): Replay {
  let state = emptyState();
  const records: MeterRecord[] = [];
  const devices: DeviceChange[] = [];
  for (let from = 0; from < events.length; from += eventsPerRow) {
    const timeline = new DeviceTimeline();
    const meter = new Meter(from + 1, timeline);
    for (const event of events.slice(from, from + eventsPerRow)) {
      meter.see(event, state);
      apply(state, event);
    }
    meter.finish(state);
    records.push(...meter.records);
    devices.push(...timeline.changes);
    state = restart?.(state) ?? state;
  }
  const stretches = records.flatMap((each) => (each.is === "stretch" ? [each.record] : []));
  return { state, records, stretches, metered: meteredOf(records), devices };
}

/** A stretch by device, as the usage table holds it. */
export function usesOf({ devices, unitsEach, fromAt, toAt }: Stretch): DeviceUse[] {
  return devices.map(({ state }) => ({ state, units: unitsEach, fromAt, toAt }));
}

/** The balance of everything up to `to`, open stretches included; a test may break either side before it is drawn. */
export function balanceUntil(
  { state, stretches, devices }: Replay,
  to: Instant,
  change: {
    readonly stretches?: (all: Stretch[]) => Stretch[];
    readonly devices?: (all: DeviceChange[]) => DeviceChange[];
  } = {},
): FleetBalance {
  const all = [...stretches, ...stretchesUntil(state, to)];
  const used = (change.stretches?.(all) ?? all).flatMap(usesOf);
  const sorted = devices.toSorted((a, b) => (a.gpu === b.gpu ? a.at - b.at : a.gpu < b.gpu ? -1 : 1));
  return balanceOf(change.devices?.(sorted) ?? sorted, used, { from: 0, to });
}
