import { ApiClient } from "../api/client.ts";
import { readConfig } from "../api/config.ts";
import { removeAll } from "./remove.ts";

/** What the chart runs when it is uninstalled, in the cluster that it leaves. */
const client = new ApiClient(readConfig("", undefined));
for (const line of await removeAll(client)) console.log(line);
client.close();
