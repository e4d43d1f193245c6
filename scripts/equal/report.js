import { isUnnamed } from "./named.js";
import { isLarge, isSlow, isSlowOnCore, limits } from "./speed.js";

const charsMax = 600;
/** The most differences that are shown with their decisions; of the others only the name is. */
const shownMax = 20;

/** The nth difference of a run, as soon as it is found. */
export function differenceLines({ name, index, base, present, failure, accepted }, nth) {
  const head = accepted === undefined ? `DIFFERS ${name}` : `accepted ${name}: ${accepted}`;
  if (failure !== undefined) return [`${head}: it could not be played`, ...(nth > shownMax ? [] : [failure])];
  if (nth > shownMax) return [head];
  return [`${head}, first at decision ${index}`, `  base     ${shown(base)}`, `  present  ${shown(present)}`];
}

/** What the comparison of decisions found in all. */
export function decisionLines({ streams, fromCache, decisions, groups, differences, needless }) {
  const named = differences.length - differences.filter(isUnnamed).length;
  return [
    ...needless.map((stream) => `accepted without need, remove it from accepted.js: ${stream}`),
    ...groups.map(
      ({ name, streams: count, differ }) =>
        `  ${name.padEnd(14)}${String(count).padStart(5)} streams  ${differ} differ`,
    ),
    `${streams} decision streams compared (${fromCache} of the base from the cache), ` +
      `${decisions.base} decisions of the base, ${decisions.present} of the present; ` +
      `${differences.length} differ, ${named} of them accepted`,
  ];
}

function shown(line) {
  if (line === undefined) return "(nothing: the stream has ended)";
  return line.length > charsMax ? `${line.slice(0, charsMax)}…` : line;
}

const columns = ["base/s", "present/s", "ratio", "min", "max", "on a core", "base MiB", "MiB", "ratio"];

/** The speed and memory of both sides, a line for each case. */
export function speedLines(cases) {
  const those = (fault) => {
    const names = cases.filter(fault).map(({ name }) => name);
    return names.length === 0 ? "none" : names.join(", ");
  };
  return [
    row("case", "pairs", columns),
    ...cases.map(({ name, pairs, base, present, speed, cpu, memory }) =>
      row(name, pairs, [
        ...[base.perSecond, present.perSecond].map(figure),
        ...[speed.median, speed.min, speed.max, cpu.median].map((ratio) => ratio.toFixed(3)),
        ...[base.peakMiB, present.peakMiB].map(figure),
        memory.median.toFixed(3),
      ]),
    ),
    `below ${limits.speed} of the base's speed: ${those(isSlow)} (by time on a core: ${those(isSlowOnCore)}); ` +
      `above ${limits.memory} of its memory: ${those(isLarge)}`,
    ...cases.filter(({ accepted }) => accepted).map(({ name, accepted }) => `accepted ${name}: ${accepted}`),
  ];
}

function row(name, pairs, cells) {
  return [name.padEnd(14), String(pairs).padStart(5), ...cells.map((cell) => cell.padStart(11))].join("");
}

function figure(value) {
  return value < 100 ? value.toPrecision(3) : String(Math.round(value));
}
