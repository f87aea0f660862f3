import { memo, useEffect, useState } from "react";
import type { Voucher } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { worthOf } from "../../registry/worth.ts";
import { useText } from "../../text/text.ts";
import classes from "./codes.module.css";

/** The server draws some hundred pictures a minute for one address; the others are asked for again. */
const AGAIN_MS = 10_000;

type Props = { voucher: Voucher; onShown: (id: string) => void };

/** One code with its picture, to be cut out. Drawn once: a sheet has many. */
export const Label = memo(function Label({ voucher, onShown }: Props) {
  const t = useText();
  const { currency } = useProject();
  const [tries, setTries] = useState(0);
  const [isRefused, setRefused] = useState(false);
  useEffect(() => {
    if (!isRefused) return;
    const timer = setTimeout(() => {
      setRefused(false);
      setTries((count) => count + 1);
    }, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isRefused]);
  return (
    <li className={classes.label}>
      <img
        src={`${voucher.assets.qr.url}?format=svg${tries > 0 ? `&try=${tries}` : ""}`}
        alt={t("codes.qrOf", { code: voucher.code })}
        onLoad={() => onShown(voucher.id)}
        onError={() => setRefused(true)}
      />
      <strong className="mono">{voucher.code}</strong>
      <span>{worthOf(voucher, { t, currency })}</span>
    </li>
  );
});
