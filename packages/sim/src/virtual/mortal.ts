import type { Engine } from "@tessera/engine";
import type { Store } from "@tessera/server";

/**
 * The life of one control plane in virtual time. It ends at the n-th moment in which it touches the world, counted from
 * when it becomes mortal: what it was about to do is not done, and nothing of it ever goes on.
 */
export class Life {
  readonly over: Promise<void>;
  /** Moments so far. */
  passes = 0;
  #left: number;
  #mortal = false;
  #end: () => void = () => {};

  constructor(passes: number) {
    this.#left = passes;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get isOver(): boolean {
    return this.#left <= 0;
  }

  becomeMortal(): void {
    this.#mortal = true;
  }

  /** Goes on, unless life ends here or has ended. */
  async pass(): Promise<void> {
    if (!this.#mortal) return;
    this.passes++;
    this.#left--;
    if (this.#left > 0) return;
    this.#end();
    await new Promise<never>(() => {});
  }
}

/** The store as a control plane of this life sees it: each commit has a moment before it and one after it. */
export function mortalStore(store: Store, life: Life): Store {
  return new Proxy(store, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (name !== "append") return value.bind(target);
      return async (...args: Parameters<Store["append"]>) => {
        await life.pass();
        await target.append(...args);
        await life.pass();
      };
    },
  });
}

const calls = new Set<string | symbol>(["bind", "release", "stop", "list", "acknowledge"] satisfies (keyof Engine)[]);

/** The engine as a control plane of this life sees it: each call has a moment before it and one after it. */
export function mortalEngine(engine: Engine, life: Life): Engine {
  return new Proxy(engine, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (!calls.has(name)) return value.bind(target);
      return async (...args: unknown[]) => {
        await life.pass();
        const result = await value.apply(target, args);
        await life.pass();
        return result;
      };
    },
  });
}
