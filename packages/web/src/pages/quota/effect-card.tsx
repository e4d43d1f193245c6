import { useQuery } from "@tanstack/react-query";
import type { Account, AccountEdit } from "@tessera/wire";
import { useEffect, useState } from "react";
import { call, wordsOf } from "../../api/call.ts";
import { Notice, Skeleton } from "../../design/parts.tsx";
import { changesOf, type Effect, effectsOf } from "./effect.ts";

/** Typing pauses for so long before the scheduler is asked. */
const settleMs = 300;

/** What the edit would do, as the server's scheduler finds it on a copy; `ready` where it may be saved as it stands. */
export function usePreview(account: Account, body: AccountEdit | undefined) {
  const text = JSON.stringify(body);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  const { data, error, isFetching } = useQuery({
    queryKey: ["previewAccount", account.path, account.revision, settled],
    queryFn: ({ signal }) =>
      call("previewAccount", { at: { account: account.path }, body: JSON.parse(settled!) as AccountEdit, signal }),
    enabled: settled !== undefined,
    retry: false,
  });
  const isOfText = settled === text && !isFetching;
  return {
    data: isOfText ? data : undefined,
    error: isOfText ? error : null,
    ready: isOfText && data !== undefined && data.whyNot === undefined,
  };
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
  return (
    <div>
      <h3>Effect</h3>
      <Effects of={changes} />
      {error !== null && <Notice kind="bad">This is refused: {wordsOf(error)}</Notice>}
      {data?.whyNot !== undefined && <Notice kind="bad">This is refused: {data.whyNot}</Notice>}
      {data === undefined && error === null && <Skeleton lines={1} />}
      {data !== undefined && data.whyNot === undefined && <Effects of={effectsOf(data)} />}
    </div>
  );
}

function Effects({ of }: { of: readonly Effect[] }) {
  return (
    <ul className="effects">
      {of.map(({ text, bad }) => (
        <li key={text} className={bad ? "bad" : "fine"}>
          {text}
        </li>
      ))}
    </ul>
  );
}
