import { Button, Group, Progress, SegmentedControl, Text } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { useCallback, useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { listVouchers } from "../../api/operations.gen.ts";
import { CAMPAIGNS } from "../../api/sources.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { type Filter, FilterField } from "../../kit/list/filters.tsx";
import { record, states } from "../../kit/list/more-filters.tsx";
import { OF_THE_PAGE } from "../../kit/list/use-list.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Empty, Failure, LoadingRows } from "../../kit/states/states.tsx";
import { useText } from "../../text/text.ts";
import classes from "./codes.module.css";
import { Label } from "./label.tsx";
import { STATES } from "./types.ts";
import { SHEET_MAX, useAllCodes } from "./use-all-codes.ts";

const SIZES = { small: "110px", middle: "150px", large: "220px" } as const;
const FILTERS: Filter[] = [record("campaign_id", "codes.campaign", CAMPAIGNS), states("codes.state", STATES)];
/** What the address says about the page, and not about which codes. */
const NO_FILTER = [...OF_THE_PAGE, "size", "page", "ids"];

/** The filters of the list that somebody came from, or the codes that they selected there. */
function askedFor(query: URLSearchParams): Record<string, unknown> {
  const filters = Object.fromEntries([...query].filter(([name]) => !NO_FILTER.includes(name)));
  const ids = query.getAll("ids");
  return { order: "-created_at", ...filters, ...(ids.length > 0 && { ids }) };
}

/** A sheet of codes with their pictures, to print, cut and give away. */
export default function PrintCodes() {
  const t = useText();
  const [query, setQuery] = useSearchParams();
  const params = askedFor(query);
  const isChosen = query.has("ids") || query.has("code");
  const size = (query.get("size") ?? "middle") as keyof typeof SIZES;
  const { vouchers, total, error, isDone, wanted, again } = useAllCodes(params);
  const set = (values: Record<string, string | null>) =>
    setQuery(
      (old) => {
        const next = new URLSearchParams(old);
        for (const [name, value] of Object.entries(values))
          if (value === null || value === "") next.delete(name);
          else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const [isPressed, setPressed] = useState(false);
  const see = useCallback((id: string) => setShown((old) => new Set(old).add(id)), []);
  const ready = vouchers.filter(({ id }) => shown.has(id)).length;
  const isReady = isDone && ready === wanted;
  // A picture that is not here yet would be an empty square on paper: it is printed when all are.
  useEffect(() => {
    if (!isPressed || !isReady) return;
    setPressed(false);
    window.print();
  }, [isPressed, isReady]);
  return (
    <>
      <PageHead title={t("codes.print")}>
        <Button leftSection={<IconPrinter size={16} />} loading={isPressed && !error} onClick={() => setPressed(true)}>
          {t("codes.printNow")}
        </Button>
        <ShowAsCall operation={listVouchers} params={params} />
      </PageHead>
      <Group mb="lg" className={classes.tools!}>
        {!isChosen &&
          FILTERS.map((filter) => <FilterField key={filter.name} filter={filter} list={{ query, filter: set }} />)}
        <SegmentedControl
          aria-label={t("codes.size")}
          value={size}
          onChange={(next) => set({ size: next })}
          data={Object.keys(SIZES).map((value) => ({ value, label: t(`codes.sizes.${value as keyof typeof SIZES}`) }))}
        />
        <Text size="sm" c="dimmed" role="status">
          {!isReady && total !== null
            ? t("codes.readSoFar", { read: ready, count: wanted })
            : (total ?? 0) > SHEET_MAX
              ? t("codes.firstOf", { count: SHEET_MAX, total })
              : isReady && t("codes.onSheet", { count: wanted })}
        </Text>
      </Group>
      {!isReady && total !== null && (
        <Progress mb="lg" className={classes.tools!} value={(100 * ready) / wanted} aria-label={t("codes.progress")} />
      )}
      {error && <Failure error={error} retry={again} />}
      {total === null && !error && <LoadingRows />}
      {total === 0 && <Empty title="codes.noneToPrint" />}
      <ul className={classes.sheet} style={{ ["--label" as string]: SIZES[size] ?? SIZES.middle }}>
        {vouchers.map((voucher) => (
          <Label key={voucher.id} voucher={voucher} onShown={see} />
        ))}
      </ul>
    </>
  );
}
