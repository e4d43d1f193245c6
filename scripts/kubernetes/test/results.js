/** Collects what single checks find: a check gives true, or throws, or says in words what is wrong. */
export class Results {
  #say;
  #results = [];

  constructor(say) {
    this.#say = say;
  }

  async check(name, act) {
    let fault;
    try {
      const found = await act();
      if (found !== true) fault = typeof found === "string" ? found : JSON.stringify(found);
    } catch (error) {
      fault = error.message;
    }
    this.#results.push({ name, passed: fault === undefined, ...(fault !== undefined && { fault }) });
    this.#say(`${fault === undefined ? "ok  " : "FAIL"} ${name}${fault === undefined ? "" : `: ${fault}`}`);
  }

  get summary() {
    const failed = this.#results.filter(({ passed }) => !passed);
    return { passed: this.#results.length - failed.length, failed: failed.length, faults: failed };
  }
}
