import type { Account, AccountEdit } from "@tessera/wire";
import { triedWords } from "../../api/tried-words.ts";
import { useTried } from "../../api/use-tried.ts";
import { Effects } from "../../design/effects.tsx";
import { Notice, Skeleton } from "../../design/parts.tsx";
import { inZone } from "../../format/times.ts";
import { changesOf, effectsOf } from "./effect.ts";

/** What the edit would do, as the server's scheduler finds it on a copy; `ready` where it may be saved as it stands. */
export function usePreview(account: Account, body: AccountEdit | undefined) {
  const tried = useTried("previewAccount", { account: account.path }, body, account.revision);
  return { ...tried, ready: tried.ready && tried.data?.whyNot === undefined };
}

interface EffectCardProps {
  readonly account: Account;
  readonly guarantee: Readonly<Record<string, number>>;
  readonly max: Readonly<Record<string, number>> | undefined;
  readonly preview: ReturnType<typeof usePreview>;
}

/** What changes, and what follows from it, before it is saved. */
export function EffectCard({ account, guarantee, max, preview: { data, error } }: EffectCardProps) {
  const changes = [...changesOf("Guarantee", account.guarantee, guarantee), ...changesOf("At most", account.max, max)];
  const follows = data === undefined || data.whyNot !== undefined ? [] : effectsOf(data);
  return (
    <div>
      <h3>Effect</h3>
      <Effects of={[...changes, ...follows]} />
      {error !== null && <Notice kind="bad">{triedWords(error)}</Notice>}
      {data?.whyNot !== undefined && (
        <Notice kind="bad">
          This is refused: {inZone(data.whyNot.message)} {data.whyNot.fix}
        </Notice>
      )}
      {data === undefined && error === null && <Skeleton lines={1} />}
    </div>
  );
}
