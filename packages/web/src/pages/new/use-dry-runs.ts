import { useQueries } from "@tanstack/react-query";
import type { DryRun, Estimate } from "@tessera/wire";
import { useEffect, useRef, useState } from "react";
import { call, isForbidden, Refused } from "../../api/call.ts";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import type { Document } from "./job-file.ts";

const typingMs = 350;
const againMs = 10_000;

/** What a dry run of one document said. */
export type Outcome = { readonly answer: DryRun; readonly estimate?: Estimate } | { readonly refused: Refused };

/** Documents of a text that are tried while it is written; those beyond it are tried when they are submitted. */
export const triedMax = 20;

/** Whether submitting the document would be refused as it stands: a server that is busy or down refuses nothing. */
export function isRefusedForGood(outcome: Outcome | undefined): boolean {
  if (outcome === undefined || !("refused" in outcome)) return false;
  const { status } = outcome.refused.problem;
  return status < 500 && status !== 429;
}

/** A dry run of each document, a moment after the last key; undefined while nothing is known of a text. */
export function useDryRuns(documents: readonly Document[]): readonly (Outcome | undefined)[] {
  const may = useMay();
  const texts = documents.map(({ text }) => text);
  const whole = texts.join("---\n");
  const [settled, setSettled] = useState(whole);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(whole), typingMs);
    return () => clearTimeout(timer);
  }, [whole]);
  const hasPrices = (useCall("readPrices").data?.versions.length ?? 0) > 0;
  const results = useQueries({
    queries: documents.slice(0, triedMax).map(({ text, fault }) => ({
      queryKey: ["dry-run", text, hasPrices],
      enabled: settled === whole && text.trim() !== "" && fault === undefined,
      refetchInterval: againMs,
      throwOnError: isForbidden,
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Outcome> => {
        try {
          const answer = await call("dryRunJob", { yaml: text, signal });
          const estimate = hasPrices ? await call("estimateJob", { yaml: text, signal }) : undefined;
          return { answer, ...(estimate && { estimate }) };
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          // Without the right to submit anywhere there is nothing to write here.
          if (isForbidden(error) && !may("job.submit")) throw error;
          return { refused: error };
        }
      },
    })),
  });
  const found = results.map(({ data }) => data);
  // While one job is written, the answer of a moment ago stays; a refusal of another text would say nothing of this one.
  const answered = useRef<Outcome>(undefined);
  const [first] = found;
  if (first !== undefined) answered.current = "answer" in first ? first : undefined;
  return found.length === 1 && first === undefined ? [answered.current] : found;
}
