import type { ReactNode } from "react";
import { wordsOf } from "../api/call.ts";
import { Button, Card, Empty } from "../design/parts.tsx";
import { count } from "../format/numbers.ts";
import { useAddress } from "../frame/address.ts";
import { Table, type TableProps } from "./table.tsx";

/** A list as `usePages` reads it. */
export interface PagedList<Item> {
  readonly items: readonly Item[] | undefined;
  readonly total: number | undefined;
  readonly error: Error | null;
  readonly isFetching: boolean;
  readonly isWhole: boolean;
  readonly more: (() => void) | undefined;
  readonly retry: () => void;
}

interface PagedProps<Item> {
  readonly list: PagedList<Item>;
  readonly noun: readonly [one: string, many: string];
  /** Instead of the noun with its number. */
  readonly title?: string;
  readonly beside?: ReactNode;
  readonly className?: string;
  /** The parameters of the address that cut the list. */
  readonly filters: readonly string[];
  /** Where there is nothing, although nothing cuts the list. */
  readonly empty: ReactNode;
  /** Lies over the table. */
  readonly over?: ReactNode;
  readonly table: Omit<TableProps<Item>, "items" | "pages">;
}

/** A list that the server cuts, sorts and counts: as a table, or why there is none, with what helps. */
export function Paged<Item>({ list, noun, title, beside, className, filters, empty, over, table }: PagedProps<Item>) {
  const [one, many] = noun;
  const { items, total } = list;
  const reset = useReset(filters);
  const isEmpty = items?.length === 0 && list.isWhole;
  const named = `${many.charAt(0).toUpperCase()}${many.slice(1)}`;
  return (
    <Card
      flush
      title={title ?? (total === undefined ? named : count(total, one, many))}
      beside={beside}
      {...(className !== undefined && { className })}
    >
      {items === undefined && list.error !== null ? (
        <NotRead error={list.error} busy={list.isFetching} onRetry={list.retry} onReset={reset} />
      ) : isEmpty && reset !== undefined ? (
        <Empty title={`No ${one} matches`}>
          <Button onClick={reset}>Reset filters</Button>
        </Empty>
      ) : isEmpty ? (
        empty
      ) : (
        <div className="over-rows">
          {over}
          <Table {...table} items={items} pages={list} />
        </div>
      )}
    </Card>
  );
}

interface NotReadProps {
  readonly error: Error;
  readonly busy: boolean;
  readonly onRetry: () => void;
  readonly onReset?: (() => void) | undefined;
}

/** Why a list could not be read: a wait that cannot end is never shown as one that can. */
export function NotRead({ error, busy, onRetry, onReset }: NotReadProps) {
  return (
    <Empty title="This list could not be read">
      <p role="alert">{wordsOf(error)}</p>
      <span className="row wrap">
        <Button disabled={busy} onClick={onRetry}>
          Try again
        </Button>
        {onReset !== undefined && <Button onClick={onReset}>Reset filters</Button>}
      </span>
    </Empty>
  );
}

/** Takes the filters, and with them the order, out of the address; undefined where there are none. */
function useReset(filters: readonly string[]): (() => void) | undefined {
  const [params, set] = useAddress();
  const names = [...filters, "sort"];
  if (!names.some((name) => params.has(name))) return undefined;
  return () => set(Object.fromEntries(names.map((name) => [name, ""])), { push: true });
}
