/** After this long without a key, a pointer or a wheel in the window, nobody is taken to be there. */
const restMs = 60_000;

let touchedAt = performance.now();

function touched(): void {
  touchedAt = performance.now();
}

for (const kind of ["keydown", "pointerdown", "pointermove", "touchmove", "wheel"])
  addEventListener(kind, touched, { capture: true, passive: true });

/** Whether somebody may be reading this window. */
export function isAttended(): boolean {
  return !document.hidden && performance.now() - touchedAt < restMs;
}

/** So long what has just been done may take to be seen in a list. */
const actedMs = 5_000;

let actedAt = Number.NEGATIVE_INFINITY;

/** The person has done something that lists will show. */
export function noteAct(): void {
  actedAt = performance.now();
}

/** Whether the person waits to see in a list what they have just done. */
export function hasJustActed(): boolean {
  return performance.now() - actedAt < actedMs;
}
