/** How much later than its grace a process that does not listen may be killed, on a busy machine. */
const lateMsMax = 3_000;
/** The log has the time of day, the grace is counted on a clock that cannot be set. */
const clocksApartMs = 10;

/**
 * What became of one job, by the log of the attempt that was stopped and of the one after it. `saved` and `resumed` are
 * undefined where there was nothing to save, or the job does not return.
 */
export function judge(saves, graceMs, first, second) {
  const told = first.find(({ stream, text }) => stream === "tessera" && text.includes(" of grace"));
  const killed = first.find(({ stream, text }) => stream === "tessera" && text.startsWith("still there"));
  const saved = valuesOf(first, "saved");
  const back = valuesOf(second ?? [], "up at");
  const toldGrace = told?.text.endsWith(`SIGTERM, then ${graceMs / 1000} s of grace`) ?? false;
  const livedMs = killed === undefined || told === undefined ? undefined : Date.parse(killed.at) - Date.parse(told.at);
  if (saves.length === 0) {
    return { grace: toldGrace && livedMs >= graceMs - clocksApartMs && livedMs <= graceMs + lateMsMax, livedMs };
  }
  const allSaved = saves.every((name) => saved.has(name));
  return {
    // A launcher may take longer than its workers, and be killed when the grace is over.
    grace: toldGrace && allSaved && !(livedMs < graceMs - clocksApartMs),
    saved: allSaved,
    ...(second && { resumed: allSaved && saves.every((name) => back.get(name) === saved.get(name)) }),
    ...(livedMs !== undefined && { livedMs }),
    ...(!allSaved && { log: first.map(({ text }) => text) }),
  };
}

/** `saved 93 step` and `up at 93 step`, by name; a launcher may put its own mark before. */
export function valuesOf(lines, verb) {
  const found = lines.map(({ text }) => new RegExp(`\\b${verb} (\\d+) (\\S+)$`).exec(text)).filter(Boolean);
  return new Map(found.map(([, value, name]) => [name, value]));
}
