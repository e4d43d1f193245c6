import type { FleetNodeShape } from "@tessera/wire";
import { useCall } from "../../api/use-call.ts";
import { cardWords } from "./card-words.ts";
import type { Pointed } from "./use-pointed.ts";

interface MapCardProps {
  readonly node: FleetNodeShape;
  readonly at: Pointed;
  /** The size of the map. */
  readonly width: number;
  readonly height: number;
  /** The map shows another moment: which jobs ran then is not known by GPU. */
  readonly isThen: boolean;
  /** What was measured of a GPU, in words; undefined where the map does not show it. */
  readonly measured: ((node: string, gpu: number) => string) | undefined;
}

/** What is at the pointer, or where the keys are. It lies beside that place, on the side with more room. */
export function MapCard({ node, at, width, height, isThen, measured }: MapCardProps) {
  const query = { node: node.name, limit: 64 };
  const { data } = useCall("listGpus", { query }, { on: !isThen, mayFail: true });
  const { title, place, state, account, jobs } = cardWords(node, at.gpu, data?.items ?? []);
  const style = {
    ...(at.x < width / 2 ? { left: at.x + beside } : { right: width - at.x + beside }),
    ...(at.y < height / 2 ? { top: at.y + beside } : { bottom: height - at.y + beside }),
  };
  return (
    <div className="map-card small" style={style}>
      <strong>{title}</strong>
      <span className="quiet">{place}</span>
      <dl>
        <dt>State</dt>
        <dd>{state}</dd>
        {account !== undefined && (
          <>
            <dt>Account</dt>
            <dd>{account}</dd>
          </>
        )}
        {jobs !== undefined && (
          <>
            <dt>Job</dt>
            <dd>{jobs}</dd>
          </>
        )}
        {measured !== undefined && at.gpu !== undefined && (
          <>
            <dt>Measured</dt>
            <dd>{measured(node.name, at.gpu)}</dd>
          </>
        )}
      </dl>
    </div>
  );
}

/** Pixels between the place and the card. */
const beside = 14;
