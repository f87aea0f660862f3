import { Button, Group, SegmentedControl, Text } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { useSearchParams } from "react-router";
import { getVoucher, listVouchers } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { CAMPAIGNS } from "../../api/sources.ts";
import { useOp } from "../../api/use-op.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { record } from "../../kit/list/more-filters.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Empty, Failure, LoadingRows } from "../../kit/states/states.tsx";
import { worthOf } from "../../registry/worth.ts";
import { useText } from "../../text/text.ts";
import classes from "./codes.module.css";

const MOST = 100;
const SIZES = { small: "110px", middle: "150px", large: "220px" } as const;
const campaignFilter = record("campaign_id", "codes.campaign", CAMPAIGNS);

/** A sheet of codes with their pictures, to print, cut and give away. */
export default function PrintCodes() {
  const t = useText();
  const { currency } = useProject();
  const [query, setQuery] = useSearchParams();
  const code = query.get("code");
  const campaign_id = query.get("campaign_id");
  const size = (query.get("size") ?? "middle") as keyof typeof SIZES;
  const params = { limit: MOST, ...(campaign_id && { campaign_id }), "filters[active][conditions][$active]": true };
  const many = useOp(listVouchers, params as object, { enabled: code === null });
  const one = useOp(getVoucher, { code: code ?? "" }, { enabled: code !== null });
  const vouchers = code === null ? many.data?.vouchers : one.data && [one.data];
  const { error, refetch } = code === null ? many : one;
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
  const Campaign = campaignFilter.kind === "own" ? campaignFilter.field : null;
  return (
    <>
      <PageHead title={t("codes.print")}>
        <Button leftSection={<IconPrinter size={16} />} onClick={() => window.print()}>
          {t("codes.printNow")}
        </Button>
        {code === null ? (
          <ShowAsCall operation={listVouchers} params={params} />
        ) : (
          <ShowAsCall operation={getVoucher} params={{ code }} />
        )}
      </PageHead>
      <Group mb="lg" className={classes.tools!}>
        {code === null && Campaign && <Campaign list={{ query, filter: set }} />}
        <SegmentedControl
          aria-label={t("codes.size")}
          value={size}
          onChange={(next) => set({ size: next })}
          data={Object.keys(SIZES).map((value) => ({ value, label: t(`codes.sizes.${value as keyof typeof SIZES}`) }))}
        />
        {many.data && many.data.total > MOST && (
          <Text size="sm" c="dimmed">
            {t("codes.firstOf", { count: MOST, total: many.data.total })}
          </Text>
        )}
      </Group>
      {vouchers === undefined && (error ? <Failure error={error} retry={() => void refetch()} /> : <LoadingRows />)}
      {vouchers?.length === 0 && <Empty title="codes.empty" />}
      <ul className={classes.sheet} style={{ ["--label" as string]: SIZES[size] ?? SIZES.middle }}>
        {vouchers?.map((voucher) => (
          <li key={voucher.id} className={classes.label}>
            <img src={`${voucher.assets.qr.url}?format=svg`} alt={t("codes.qrOf", { code: voucher.code })} />
            <strong className="mono">{voucher.code}</strong>
            <span>{worthOf(voucher, { t, currency })}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
