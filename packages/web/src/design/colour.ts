/** A CSS colour, also with `var()` or `light-dark()`, resolved for a canvas. */
export function paintOf(colour: string): string {
  const probe = document.createElement("span");
  probe.style.color = colour;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** A token of the design, resolved for a canvas. */
export function readColour(name: string): string {
  return paintOf(`var(${name})`);
}
