import type { ReactNode } from "react";
import type { Reading } from "../../api/use-op.ts";
import { Failure, LoadingRows } from "./states.tsx";

type Props<T> = {
  of: Reading<T>;
  rows?: number;
  children: (data: T) => ReactNode;
};

/** Shows what was read; until then that it is waited for, or why it could not be read. */
export function Loaded<T>({ of: { data, error, refetch }, rows = 4, children }: Props<T>) {
  if (data !== undefined) return children(data);
  return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={rows} />;
}
