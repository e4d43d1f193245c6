import { divideRounded, shareOut } from "../money/amount.ts";
import { type PriceVersion, rateFor } from "../money/price.ts";
import { perHour } from "../money/unit-price.ts";
import { noWaste, type WasteAmounts, type WasteCell, wasteClasses } from "./waste.ts";

/**
 * What each cell is worth, in micros, at the list's price of a GPU beyond the floor: what it could have earned. The
 * value of a model's GPUs is rounded once and shared out, so that the parts add up to it exactly.
 */
export function worthOf(cells: readonly WasteCell[], list: PriceVersion | undefined): WasteAmounts[] {
  const worth = cells.map(() => noWaste());
  for (const model of new Set(cells.map((cell) => cell.model))) {
    const places = cells.flatMap((cell, i) =>
      cell.model !== model ? [] : wasteClasses.filter((name) => cell.amounts[name] > 0n).map((name) => ({ i, name })),
    );
    const weights = places.map(({ i, name }) => cells[i]!.amounts[name]);
    const parts = shareOut(listValueOf(sumOf(weights), model, list), weights);
    for (const [k, { i, name }] of places.entries()) worth[i]![name] = parts[k]!;
  }
  return worth;
}

/** The value of unit-milliseconds of a model; 0 where no list has a price for it. */
export function listValueOf(unitMs: bigint, model: string, list: PriceVersion | undefined): bigint {
  const rate = list === undefined ? undefined : rateFor(list.gpus, model);
  return divideRounded(unitMs * BigInt(rate?.burstMicros ?? 0), perHour("burst"), "half-up");
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
