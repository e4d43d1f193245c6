/**
 * Xid numbers for which a node must never be taken out of use: those that the vendor says to ignore or to restart the program
 * for, without a hardware origin. Written apart from the catalogue, which it judges.
 */
export const harmless: ReadonlySet<number> = new Set([
  8, 11, 13, 25, 31, 32, 37, 38, 39, 40, 41, 43, 44, 45, 60, 63, 66, 67, 68, 69, 70, 71, 72, 75, 76, 77, 80, 82, 83, 84,
  85, 86, 88, 89, 92, 93, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 109, 111, 121, 126, 127, 128, 129,
  130, 131, 132, 133, 134, 135, 137, 139, 141, 142, 152, 153, 160, 161, 162,
]);
