import { useMutation } from "@tanstack/react-query";
import type { AnchorShape } from "@tessera/wire";
import { wordsOf } from "../../api/call.ts";
import { compareNow, lastCheck, useHistoryFault } from "../../api/heads.ts";
import { useMay } from "../../api/me.tsx";
import { useCall } from "../../api/use-call.ts";
import { Chip } from "../../design/chip.tsx";
import { Button, Card, Notice, Skeleton, Time } from "../../design/parts.tsx";
import { spellNumber } from "../../format/numbers.ts";

/** The signed head of the history, what this browser has checked of it, and where heads are kept outside. */
export function HistoryCard({ className }: { className?: string }) {
  const may = useMay();
  const isOwner = may("policy.write");
  const { data: head } = useCall("getHead", {}, { everyMs: 30_000 });
  const { data: anchors } = useCall("listAnchors", {}, { on: isOwner, mayFail: true });
  const compare = useMutation({ mutationFn: compareNow });
  const checked = lastCheck();
  return (
    <Card
      title="The history"
      {...(className !== undefined && { className })}
      beside={
        <Button small disabled={compare.isPending} onClick={() => compare.mutate()}>
          {compare.isPending ? "Comparing" : "Compare now"}
        </Button>
      }
    >
      {head === undefined ? (
        <Skeleton />
      ) : (
        <div className="stack tight">
          <div className="row wrap">
            <HistoryChip />
          </div>
          {compare.isError && <Notice kind="bad">{wordsOf(compare.error)}</Notice>}
          <dl className="facts">
            <dt>Head</dt>
            <dd>
              row {spellNumber(head.row)}, signed <Time at={head.at} />
              <br />
              <code className="small break">{head.hash}</code>
            </dd>
            <dt>Compared</dt>
            <dd>
              {checked === undefined ? (
                "this browser remembers no head yet"
              ) : (
                <>
                  by this browser up to row {spellNumber(checked.row)}, <Time at={checked.at} />
                </>
              )}
            </dd>
            <dt>Anchors</dt>
            <dd>
              {isOwner
                ? anchors && anchorsText(anchors.items)
                : "the platform owner sees where heads are kept outside; ask for one to compare with"}
            </dd>
          </dl>
          <p className="quiet small">
            <code>npx tess admin verify</code> on the server's machine checks the whole history, row by row.
          </p>
        </div>
      )}
    </Card>
  );
}

/** Whether the history continues what this browser has seen of it. */
export function HistoryChip() {
  const fault = useHistoryFault();
  if (fault !== undefined)
    return (
      <Chip tone="down" shape="cross">
        does not continue what was seen before
      </Chip>
    );
  return lastCheck() === undefined ? (
    <Chip tone="unknown" shape="ring">
      not compared yet
    </Chip>
  ) : (
    <Chip tone="healthy" shape="square">
      continues what was seen before
    </Chip>
  );
}

/** How far the heads that are kept outside reach. */
function anchorsText(anchors: readonly AnchorShape[]): string {
  if (anchors.length === 0) return "none: heads are kept only on the server";
  return anchors
    .map(({ kind, row, failure }) => {
      const reach = row === undefined ? "nothing written yet" : `up to row ${spellNumber(row)}`;
      return `${kind}, ${reach}${failure === undefined ? "" : ", fails now"}`;
    })
    .join("; ");
}
