/** One tenant fills the memory of an instance; the next, on the same slots, finds nothing of it. */
export const canary = {
  name: "what a tenant left is gone after the scrub",
  async prove(lab) {
    const filler = await lab.submit("ada", "H200:7g.141gb", ["fill"]);
    const { filledMiB } = await lab.said(filler, "the pattern", (line) => line.filledMiB !== undefined && line);
    await lab.reaches(filler, ["ended"]);
    const scanner = await lab.submit("cyd", "H200:7g.141gb", ["scan"]);
    const held = await lab.reaches(scanner, ["running", "ended"]);
    let how = "";
    try {
      how = lab.reports(held.members[0].lease).find(({ what }) => what.kind === "scrubbed")?.what.how ?? "";
    } catch {} // it may have ended and been forgotten already
    const { found, readMiB } = await lab.said(scanner, "the scan", (line) => line.found !== undefined && line);
    await lab.reaches(scanner, ["ended"]);
    return { passed: found === 0 && filledMiB > 100_000, seen: { filledMiB, readMiB, found, scrub: how } };
  },
};
