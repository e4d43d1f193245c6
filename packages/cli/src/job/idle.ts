import { readDuration } from "@tessera/wire/duration";
import { usageFailure } from "../failure.ts";

interface Idle {
  for: string;
  gpu_below?: string;
  do?: string;
  relax?: true;
}

const actions = ["stop", "suspend", "notify"];

/** `45m`, `45m,5%,suspend`: a time, a share and what is done, in any order; `relax` only where jobs may be milder. */
export function idleOf(text: string, relaxes: boolean): Idle {
  const words = text.split(",").map((word) => word.trim());
  const time = words.find((word) => readDuration(word) !== undefined);
  const share = words.find((word) => word.endsWith("%"));
  const act = words.find((word) => actions.includes(word));
  const relax = relaxes && words.includes("relax");
  const known = [time, share, act, ...(relax ? ["relax"] : [])];
  const other = words.find((word) => !known.includes(word));
  if (time === undefined || other !== undefined)
    throw usageFailure(
      other === undefined ? `--idle names no time, got "${text}"` : `--idle does not know "${other}"`,
      `such as 45m or 45m,5%,suspend${relaxes ? ",relax" : ""}; what is done is ${actions.join(", ")}`,
    );
  return {
    for: time,
    ...(share !== undefined && { gpu_below: share }),
    ...(act !== undefined && { do: act }),
    ...(relax && { relax }),
  };
}
