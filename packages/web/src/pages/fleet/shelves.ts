/** Boxes in rows, each with its corner. */
export interface Shelved<Item> {
  readonly width: number;
  readonly height: number;
  readonly placed: readonly { readonly item: Item; readonly x: number; readonly y: number }[];
}

/** Puts boxes side by side in their order, and begins a new row where the next one would pass the end of the shelf. */
export function shelve<Item extends { readonly w: number; readonly h: number }>(
  items: readonly Item[],
  shelf: number,
  between: number,
): Shelved<Item> {
  const placed: { item: Item; x: number; y: number }[] = [];
  let [x, y, rowHeight, width] = [0, 0, 0, 0];
  for (const item of items) {
    if (x > 0 && x + item.w > shelf) {
      x = 0;
      y += rowHeight + between;
      rowHeight = 0;
    }
    placed.push({ item, x, y });
    width = Math.max(width, x + item.w);
    x += item.w + between;
    rowHeight = Math.max(rowHeight, item.h);
  }
  return { width, height: y + rowHeight, placed };
}
