import type { UseQueryResult } from "@tanstack/react-query";
import { Fragment, type ReactNode, useRef, useState } from "react";
import { Loaded } from "../states/loaded.tsx";

type Props<T> = {
  of: UseQueryResult<T, Error>;
  /** `again` is for after saving, on a page that one stays on: the form begins anew with what is there now. */
  children: (read: T, again: () => void) => ReactNode;
};

/** A form over a record. What is read again meanwhile does not reach it: nothing changes under the hands of who types. */
export function Edited<T>({ of: query, children }: Props<T>) {
  const kept = useRef<T | undefined>(undefined);
  const [round, setRound] = useState(0);
  const [isReading, setReading] = useState(false);
  kept.current ??= query.data;
  const again = async () => {
    setReading(true);
    const { data } = await query.refetch();
    setReading(false);
    if (data !== undefined) kept.current = data;
    setRound((old) => old + 1);
  };
  return (
    <Loaded of={{ ...query, data: kept.current }}>
      {(read) => (
        // What is typed now would be gone with the form.
        <div inert={isReading} style={{ display: "contents" }}>
          <Fragment key={round}>{children(read, () => void again())}</Fragment>
        </div>
      )}
    </Loaded>
  );
}
