/** A colour as CSS writes it, such as that of a token or of a theme, as a canvas understands it now. */
export function paintOf(colour: string): string {
  const probe = document.createElement("span");
  probe.style.color = colour;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** The colour that a name of the design stands for now, as a canvas understands it. */
export function readColour(name: string): string {
  return paintOf(`var(${name})`);
}
