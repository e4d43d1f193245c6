interface Chosen {
  readonly label: string;
  /** Not shown until it is chosen. */
  readonly usual?: boolean;
}

const between = "~";

/** The columns that the address names, in their own order; the usual ones where it names none. */
export function chosenColumns<Column extends Chosen>(columns: readonly Column[], text: string): readonly Column[] {
  const wanted = new Set(text.split(between));
  const found = columns.filter(({ label }) => wanted.has(label));
  return found.length > 0 ? found : columns.filter(({ usual }) => usual !== false);
}

/** What the address says once a column was chosen or let go; nothing for the usual ones. */
export function toggledColumns(columns: readonly Chosen[], text: string, label: string): string {
  const shown = new Set(chosenColumns(columns, text).map((column) => column.label));
  if (!shown.delete(label)) shown.add(label);
  const next = columns.filter((column) => shown.has(column.label));
  const isUsual = columns.every((column) => shown.has(column.label) === (column.usual !== false));
  return isUsual ? "" : next.map((column) => column.label).join(between);
}
