import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Failure, LoadingRows } from "./states.tsx";

type Props<T> = {
  of: Pick<UseQueryResult<T, Error>, "data" | "error" | "refetch">;
  rows?: number;
  children: (data: T) => ReactNode;
};

/** Shows what was read; until then that it is waited for, or why it could not be read. */
export function Loaded<T>({ of: { data, error, refetch }, rows = 4, children }: Props<T>) {
  if (data !== undefined) return children(data);
  return error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows rows={rows} />;
}
