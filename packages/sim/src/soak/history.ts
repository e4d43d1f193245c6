/** The requests and answers of one client, recorded by the client itself. */
export interface Submission {
  readonly key: string;
  readonly name: string;
  readonly body: object;
  /** 1 for a plain job, the number of elements of an array. */
  readonly size: number;
  readonly members: number;
  /** It runs within its account's guarantee, so no job may take its seats. */
  readonly covered?: true;
  /** Ids in the answers, one per answer; more than one different id is one job too many. */
  readonly answered: string[];
  cancel: "not-asked" | "unsure" | "acknowledged";
  /** When the answer to its cancel came, in nanoseconds since the epoch. */
  cancelledAt?: bigint;
}

export interface History {
  readonly account: string;
  readonly submissions: Submission[];
  /** Answers of 2xx to commands. */
  acknowledged: number;
  /** The last requested edit of the client's own account, and the last acknowledged one. */
  edit: { asked: number; acknowledged: number };
  /** Answers that should never be given. */
  readonly surprises: string[];
}

export function emptyHistory(account: string): History {
  return { account, submissions: [], acknowledged: 0, edit: { asked: 0, acknowledged: 0 }, surprises: [] };
}
