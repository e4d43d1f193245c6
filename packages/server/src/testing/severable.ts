import type { Report } from "@tessera/core";
import type { Engine } from "@tessera/engine";

/** A line to an engine that can be cut: calls fail, and reports do not come through, until it is mended. */
export class Line {
  cut = false;
  about: string;

  constructor(about: string) {
    this.about = about;
  }

  to(engine: Engine): Engine {
    const about = async () => this.#through(() => this.about);
    const subscribe = (listener: (report: Report) => void) =>
      engine.subscribe((report) => {
        if (!this.cut) listener(report);
      });
    return new Proxy(engine, {
      get: (target, name) => {
        if (name === "about") return about;
        if (name === "subscribe") return subscribe;
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function" || name === "close")
          return typeof value === "function" ? value.bind(target) : value;
        return async (...given: unknown[]) => this.#through(() => Reflect.apply(value, target, given));
      },
    });
  }

  #through<Answer>(ask: () => Answer): Answer {
    if (this.cut) throw new Error("the line is cut");
    return ask();
  }
}
