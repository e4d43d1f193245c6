import { Results } from "../test/results.js";
import { unlessThere } from "../walls/identity.js";
import { chart, openHelm, system, valueFiles } from "./helm.js";

/** What the chart makes of the default values and of three others: the API server itself says whether it would take it. */
export async function testChart(lab, { say }) {
  const results = new Results(say);
  const { helm, kubectl } = await openHelm(lab, say);
  await lab.api.post("/api/v1/namespaces", { metadata: { name: system } }).catch(unlessThere);
  for (const { name, path } of [{ name: "default" }, ...valueFiles]) {
    await results.check(`the chart with ${name} values passes a server-side dry run`, async () => {
      const values = path === undefined ? [] : ["--values", path];
      const { gitVersion } = await lab.api.get("/version");
      const words = ["template", "tessera", chart, "--namespace", system, "--kube-version", gitVersion, ...values];
      const made = kubectl(["apply", "--dry-run=server", "-f", "-"], helm(words)).trim().split("\n");
      return made.length >= 18 || `only ${made.length} objects`;
    });
  }
  await results.check("a value that is not known is refused", async () => {
    try {
      helm([
        "template",
        "tessera",
        chart,
        "--namespace",
        system,
        "--kube-version",
        "1.37.1",
        "--set",
        "storage.persistant=true",
      ]);
      return "it is taken";
    } catch (error) {
      return /persistant/.test(error.message) || error.message;
    }
  });
  await results.check("another namespace is refused with the one to use", async () => {
    try {
      helm(["template", "tessera", chart, "--namespace", "default", "--kube-version", "1.37.1"]);
      return "it is taken";
    } catch (error) {
      return /install Tessera into the namespace tessera-system/.test(error.message) || error.message;
    }
  });
  return results.summary;
}
