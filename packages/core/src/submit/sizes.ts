import type { ReadonlyFleet } from "../fleet/readonly-fleet.ts";
import { migModelOf } from "../gpu/mig-models.ts";
import { isRefusal, type Refusal, refuse } from "../journal/refusal.ts";
import { modelMatches } from "../model/gpu-name.ts";
import { findSize, type SizeClass, type SizeClasses, type SizeCounts } from "../model/size.ts";
import { parseGpus, type RawGpus } from "./gpus.ts";
import type { RawJob } from "./parse.ts";

const sizeName = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;

/** Size names that the fleet's owner defines → their requests, in units of this fleet. */
export function parseSizes(
  given: { readonly [name: string]: string | number },
  fleet: ReadonlyFleet,
): SizeClasses | Refusal {
  const sizes: Record<string, SizeClass> = {};
  for (const name of Object.keys(given).sort()) {
    const field = `sizes.${name}`;
    if (!sizeName.test(name)) return refuse("invalid", field, name, "is not a name", "use letters, digits, _ and -");
    if (findSize(sizes, name) !== undefined)
      return refuse("invalid", field, name, "is given twice", "give each size once; upper and lower case are the same");
    const model = fleet.models.find((each) => modelMatches(name.toUpperCase(), each.toUpperCase()));
    if (model !== undefined)
      return refuse("invalid", field, name, `is the name of a GPU model of the fleet, ${model}`, "use another name");
    const size = sizeOf(String(given[name]), field, fleet);
    if (isRefusal(size)) return size;
    sizes[name] = size;
  }
  return sizes;
}

function sizeOf(text: string, field: string, fleet: ReadonlyFleet): SizeClass | Refusal {
  const asks = parseGpus(text, field);
  if (isRefusal(asks)) return asks;
  const { model, count, unitsEach, part } = asks[0]!;
  if (count === 0) return refuse("invalid", field, text, "has no GPU", "write 1g.10gb, H100:0.25 or H100:1");
  if (part?.profile === undefined) return { ask: text, model, units: count * unitsEach };
  let units = 0;
  fleet.models.forEach((each, no) => {
    if (!modelMatches(model, each)) return;
    const profile = migModelOf(each, fleet.gpuMemoryMiB[fleet.someGpuOf(no)]!)?.profileByName.get(part.profile!);
    // A quota of one must cover the profile on any of these models.
    if (profile !== undefined) units = Math.max(units, profile.compute, profile.memory);
  });
  if (units > 0) return { ask: text, model, units };
  return refuse("never-fits", field, text, "is not a MIG profile of any GPU of the fleet", "see: tess gpus -o wide");
}

/** Amounts by model or size → units by model, the amounts that name no size, and the counts of sizes as given. */
export function sizedAmounts(
  given: { readonly [name: string]: number },
  sizes: SizeClasses | undefined,
  field: string,
):
  | {
      readonly units: { readonly [model: string]: number };
      readonly rest: { readonly [model: string]: number };
      readonly counts: SizeCounts;
    }
  | Refusal {
  const units: Record<string, number> = {};
  const rest: Record<string, number> = {};
  const counts: Record<string, number> = {};
  for (const key of Object.keys(given).sort()) {
    const size = findSize(sizes, key);
    if (size === undefined) {
      rest[key] = given[key]!;
      continue;
    }
    const count = given[key]!;
    if (!Number.isSafeInteger(count))
      return refuse("invalid", `${field}.${key}`, count, "is not a whole number", "give whole sizes");
    counts[size.name] = count;
    units[size.model] = (units[size.model] ?? 0) + count * size.units;
  }
  return { units, rest, counts };
}

/** Replaces sizes in a request by their meaning: `Small` by `1g.10gb`, `Large:2` by `H100:2`. */
export function withoutSizes(gpus: RawJob["gpus"], sizes: SizeClasses | undefined): RawJob["gpus"] | Refusal {
  if (gpus === undefined || sizes === undefined) return gpus;
  if (typeof gpus !== "object") return plainAsk(gpus, sizes, "gpus");
  const list: (number | string)[] = [];
  for (const [i, each] of ("any" in gpus ? gpus.any : gpus).entries()) {
    const plain = plainAsk(each, sizes, `${"any" in gpus ? "gpus.any" : "gpus"}[${i}]`);
    if (isRefusal(plain)) return plain;
    list.push(plain);
  }
  return "any" in gpus ? { ...gpus, any: list } : list;
}

function plainAsk(text: number | string, sizes: SizeClasses, field: string): number | string | Refusal {
  if (typeof text === "number") return text;
  const [name = "", count, ...more] = text.split(":");
  const size = findSize(sizes, name);
  if (size === undefined || more.length > 0) return text;
  if (count === undefined || count === "1") return size.ask;
  const asks = parseGpus(size.ask as RawGpus, field);
  if (isRefusal(asks)) return asks;
  const { model, count: each, part } = asks[0]!;
  if (part !== undefined || !/^\d{1,6}$/.test(count))
    return refuse(
      "invalid",
      field,
      text,
      `is more than one ${size.name}, which is a part of a GPU`,
      `ask for ${size.name} with members: ${count}`,
    );
  return `${model}:${each * Number(count)}`;
}
