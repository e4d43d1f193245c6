/** How long it takes to cut a GPU otherwise, and to hand a part over. */
export const recut = {
  name: "re-cut, in under 2 s",
  async prove(lab) {
    const ids = [];
    try {
      const first = await lab.submit("ada", "H200:3g.71gb", ["seat", "60"]);
      ids.push(first);
      await lab.said(first, "the first", (line) => line.devices);
      await lab.end(first);
      const begunAt = Date.now();
      const second = await lab.submit("ben", "H200:4g.71gb", ["seat", "60"]);
      ids.push(second);
      const running = await lab.reaches(second, ["running"]);
      const handoverMs = Date.now() - begunAt;
      const reports = lab.reports(running.members[0].lease).map(({ at, what }) => ({ at, ...what }));
      const how = reports.map((each) => each.how ?? "").join("; ");
      const cutMs = Number(/made in (\d+) ms/.exec(how)?.[1] ?? Number.NaN);
      const fullLoadMs = Number(/full load measured in (\d+) ms/.exec(how)?.[1] ?? 0);
      await lab.said(second, "the second", (line) => line.devices);
      return { passed: cutMs < 2_000 && handoverMs < 10_000, seen: { cutMs, handoverMs, fullLoadMs, how } };
    } finally {
      await lab.end(...ids.slice(1));
    }
  },
};
