/** Slurm's `1-12:30:00`, `1-12` or `90:00` (minutes and seconds) as a duration of ours; undefined for anything else. */
export function durationOfSlurm(text: string): string | undefined {
  const [, days, clock = ""] = /^(?:(\d{1,4})-)?(\d{1,4}(?::\d{1,2}){0,2})$/.exec(text) ?? [];
  const parts = clock.split(":").map(Number);
  if (clock === "" || (days === undefined && parts.length === 1)) return undefined;
  // After days, and in three parts, the first is hours; two parts alone are minutes and seconds.
  const [hours = 0, minutes = 0, seconds = 0] = days !== undefined || parts.length === 3 ? parts : [0, ...parts];
  return durationText(((Number(days ?? 0) * 24 + hours) * 60 + minutes) * 60 + seconds);
}

function durationText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3_600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  return parts.map(([count, unit]) => (count === 0 ? "" : `${count}${unit}`)).join("") || "0s";
}
