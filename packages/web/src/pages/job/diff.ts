export interface DiffLine {
  readonly sign: " " | "+" | "-";
  readonly text: string;
}

/** The lines of `after` with those of `before` that are gone, by the longest common sequence. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const common: number[][] = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  );
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i]![j] =
        before[i] === after[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: " ", text: after[j++]! });
      i++;
    } else if (i < before.length && (j >= after.length || common[i + 1]![j]! >= common[i]![j + 1]!)) {
      lines.push({ sign: "-", text: before[i++]! });
    } else lines.push({ sign: "+", text: after[j++]! });
  }
  return lines;
}
