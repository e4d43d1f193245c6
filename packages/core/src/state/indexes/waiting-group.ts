import { LinkedList, type ListNode, listNode } from "../../collections/linked-list.ts";
import type { QueueOrder } from "../../model/account.ts";
import type { AccountNo, JobNo } from "../../model/ids.ts";
import type { Job } from "../../model/job.ts";
import type { SeatShape, Wish } from "./wish.ts";

/**
 * Waiting jobs of one account with one wish. If the first of them cannot start, none can, so a pass over the queue costs
 * as much as there are different wishes, not as there are jobs. Jobs of a group have about the same known run time.
 * Where users or an array have limits of their own, or the order uses the progress of jobs, each user, array or progress
 * has a group of its own.
 */
export class WaitingGroup {
  /** Unique in its account. */
  readonly key: number | string;
  /** Small, and unique among the groups that exist: an index into columns kept elsewhere. */
  readonly slot: number;
  readonly account: AccountNo;
  readonly wish: Wish;
  /** Best first. */
  readonly jobs: Job[] = [];
  /** Of the first job: groups are compared by these most often. */
  priority = 0;
  no = 0 as JobNo;
  order: QueueOrder;
  /** The groups of the account that want the same seats. */
  readonly rivals: Rivals;
  /** Its nodes in the list of all groups with a waiting job, and among its rivals. */
  readonly node: ListNode<WaitingGroup> = listNode(this);
  readonly rivalNode: ListNode<WaitingGroup> = listNode(this);

  constructor(key: number | string, slot: number, rivals: Rivals, wish: Wish, order: QueueOrder) {
    this.key = key;
    this.slot = slot;
    this.account = rivals.account;
    this.wish = wish;
    this.order = order;
    this.rivals = rivals;
  }
}

/**
 * Groups of one account that want the same seats, for different run times or different users. While the first of them
 * has not been refused, the others need not be tried.
 */
export class Rivals {
  readonly account: AccountNo;
  readonly queue: ShapeQueue;
  readonly groups = new LinkedList<WaitingGroup>();
  readonly node: ListNode<Rivals> = listNode(this);
  /** Grows when a group enters, leaves, or has another first job. */
  version = 0;

  constructor(account: AccountNo, queue: ShapeQueue) {
    this.account = account;
    this.queue = queue;
  }
}

/** Everything that waits for seats of one shape. */
export class ShapeQueue {
  readonly shape: SeatShape;
  /** Only rivals with a waiting job. */
  readonly rivals = new LinkedList<Rivals>();
  /** By account number, also without a waiting job. */
  readonly byAccount: (Rivals | undefined)[] = [];

  constructor(shape: SeatShape) {
    this.shape = shape;
  }

  of(account: AccountNo): Rivals {
    let rivals = this.byAccount[account];
    if (rivals === undefined) {
      rivals = new Rivals(account, this);
      this.byAccount[account] = rivals;
    }
    return rivals;
  }

  /** Any group for which `willDo` holds. */
  some(willDo: (group: WaitingGroup) => boolean): WaitingGroup | undefined {
    for (const { groups } of this.rivals) for (const group of groups) if (willDo(group)) return group;
    return undefined;
  }
}
