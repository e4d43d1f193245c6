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
