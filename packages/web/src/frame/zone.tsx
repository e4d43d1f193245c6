import { Fragment, type ReactNode, useSyncExternalStore } from "react";
import { chooseZone, onZone, zoneChosen, zoneName } from "../format/zone.ts";

const zones = ["local", "utc"] as const;

/** In which zone all times are shown. */
export function ZoneChoice() {
  const chosen = useSyncExternalStore(onZone, zoneChosen);
  return (
    <fieldset className="row wrap" style={{ border: 0, padding: "6px 10px", margin: 0 }}>
      <legend className="hidden-text">Times</legend>
      {zones.map((zone) => (
        <button
          key={zone}
          type="button"
          className="chip"
          aria-pressed={chosen === zone}
          onClick={() => chooseZone(zone)}
        >
          {zone === "utc" ? "UTC" : `local (${zoneName("local")})`}
        </button>
      ))}
    </fieldset>
  );
}

/** Draws everything in it again when another zone is chosen. */
export function InZone({ children }: { children: ReactNode }) {
  return <Fragment key={useSyncExternalStore(onZone, zoneChosen)}>{children}</Fragment>;
}
