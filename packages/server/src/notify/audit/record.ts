import type { AuditRow } from "../../store/port.ts";

/** An audit record as it leaves the server. People are ids; names and addresses only where the owner asks for them. */
export interface AuditRecord {
  /** The same each time it is sent, and in the order of the journal. */
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly actorName?: string;
  readonly token?: string;
  readonly request: string;
  readonly action: string;
  readonly target: string;
  readonly account: string;
  readonly outcome: string;
  readonly detail: string;
  /** Stands for the address; the same for one user at one address while the server runs. */
  readonly origin?: string;
  readonly address?: string;
  readonly count?: number;
}

/** What is known of people beside the journal. */
export interface Known {
  readonly names: ReadonlyMap<string, string>;
  readonly addresses: ReadonlyMap<string, string>;
}

export function recordOf(row: AuditRow, known?: Known): AuditRecord {
  const { seq, index, at, token, origin, count, actor, ...rest } = row;
  const actorName = known?.names.get(actor);
  const address = origin === undefined ? undefined : known?.addresses.get(origin);
  return {
    id: `${seq}.${index}`,
    at: new Date(at).toISOString(),
    actor,
    ...(actorName !== undefined && { actorName }),
    ...(token !== null && { token }),
    ...rest,
    ...(origin !== undefined && { origin }),
    ...(address !== undefined && { address }),
    ...(count !== undefined && { count }),
  };
}
