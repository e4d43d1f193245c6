import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { Skeleton } from "./parts.tsx";

type Load<Props> = () => Promise<{ readonly default: ComponentType<Props> }>;

/**
 * A part whose code is fetched when it is first shown; `instead` stands there meanwhile. React's own `lazy` keeps a part
 * that came within 10 ms back for 300 ms, because its placeholder was shown, and once more for each part inside another.
 */
export function onDemand<Props extends object>(load: Load<Props>, instead: ReactNode = <Skeleton lines={6} />) {
  let loaded: ComponentType<Props> | undefined;
  return function OnDemand(props: Props): ReactNode {
    const [Part, setPart] = useState(() => loaded);
    const [failure, setFailure] = useState<{ readonly cause: unknown }>();
    useEffect(() => {
      if (loaded !== undefined) return;
      let isShown = true;
      load().then(
        (file) => {
          loaded = file.default;
          if (isShown) setPart(() => file.default);
        },
        (cause: unknown) => isShown && setFailure({ cause }),
      );
      return () => {
        isShown = false;
      };
    }, []);
    if (failure !== undefined) throw failure.cause;
    return Part === undefined ? instead : <Part {...props} />;
  };
}

/** A whole page, or all of one below its tabs. */
export function pageOnDemand<Props extends object>(load: Load<Props>) {
  return onDemand(
    load,
    <div className="page">
      <Skeleton lines={6} />
    </div>,
  );
}
