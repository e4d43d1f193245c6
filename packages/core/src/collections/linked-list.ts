/** The node of an entry in a list; made once for each entry, and reused when the entry is listed again. */
export interface ListNode<Entry> {
  readonly entry: Entry;
  isListed: boolean;
  before: ListNode<Entry> | undefined;
  after: ListNode<Entry> | undefined;
}

export function listNode<Entry>(entry: Entry): ListNode<Entry> {
  return { entry, isListed: false, before: undefined, after: undefined };
}

/** A doubly linked list in order of arrival. Adding and deleting cost a few references and allocate nothing. */
export class LinkedList<Entry> implements Iterable<Entry> {
  #first: ListNode<Entry> | undefined;
  #last: ListNode<Entry> | undefined;
  size = 0;

  get first(): Entry | undefined {
    return this.#first?.entry;
  }

  /** Appends the entry; does nothing if it is listed already. */
  add(node: ListNode<Entry>): void {
    if (node.isListed) return;
    node.isListed = true;
    node.before = this.#last;
    node.after = undefined;
    if (this.#last === undefined) this.#first = node;
    else this.#last.after = node;
    this.#last = node;
    this.size++;
  }

  delete(node: ListNode<Entry>): void {
    if (!node.isListed) return;
    node.isListed = false;
    if (node.before === undefined) this.#first = node.after;
    else node.before.after = node.after;
    if (node.after === undefined) this.#last = node.before;
    else node.after.before = node.before;
    this.size--;
  }

  *[Symbol.iterator](): Generator<Entry> {
    for (let node = this.#first; node !== undefined; node = node.after) yield node.entry;
  }
}
