import { useEffect, useState } from "react";
import { listVouchers, type Voucher } from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";

const AT_ONCE = 100;
/** A sheet has so many codes at most: each has a picture of its own. */
export const SHEET_MAX = 2000;

type Read = { vouchers: Voucher[]; total: number | null; error: Error | null };
const NOTHING: Read = { vouchers: [], total: null, error: null };

/** All codes that a filter shows, page by page, and how many of them are here already. */
export function useAllCodes(params: object): Read & { isDone: boolean; wanted: number; again: () => void } {
  const [read, setRead] = useState(NOTHING);
  const [tries, setTries] = useState(0);
  const asked = JSON.stringify(params);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` asks again.
  useEffect(() => {
    const stop = new AbortController();
    const all: Voucher[] = [];
    setRead(NOTHING);
    const readPage = async (page: number): Promise<void> => {
      const query = { ...JSON.parse(asked), limit: AT_ONCE, page };
      const { vouchers, total } = await send(listVouchers, query, { signal: stop.signal });
      all.push(...vouchers);
      setRead({ vouchers: all.slice(0, SHEET_MAX), total, error: null });
      if (vouchers.length === AT_ONCE && all.length < Math.min(total, SHEET_MAX)) await readPage(page + 1);
    };
    readPage(1).catch((error) => {
      if (!stop.signal.aborted) setRead((old) => ({ ...old, error }));
    });
    return () => stop.abort();
  }, [asked, tries]);
  const wanted = Math.min(read.total ?? 0, SHEET_MAX);
  const isDone = read.total !== null && read.vouchers.length >= wanted;
  return { ...read, isDone, wanted, again: () => setTries((count) => count + 1) };
}
