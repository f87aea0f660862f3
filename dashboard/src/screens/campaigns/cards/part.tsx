import { Anchor, Button, Modal, type NumberInputProps } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type ReactNode, Suspense } from "react";
import { useCan } from "../../../api/session.ts";
import { NumberInput } from "../../../kit/later/fields.ts";
import { Can } from "../../../kit/page/can.tsx";
import { LoadingRows } from "../../../kit/states/states.tsx";
import { useText } from "../../../text/text.ts";

// What the three lists of a loyalty campaign have in common.

/** A list has at most so many rows: a campaign has at most so many rules, tiers and rewards. */
export const ALL = 100;

export const AddButton = ({ can, text, onClick }: { can: string; text: string; onClick: () => void }) => (
  <Can do={can}>
    <Button size="xs" variant="default" leftSection={<IconPlus size={14} stroke={1.75} />} onClick={onClick}>
      {text}
    </Button>
  </Can>
);

/** A name that opens the form of its row, for who may change it. */
export function OpenName({ can, name, onClick }: { can: string; name: ReactNode; onClick: () => void }) {
  if (!useCan()(can)) return name;
  return (
    <Anchor component="button" type="button" inherit ta="left" onClick={onClick}>
      {name}
    </Anchor>
  );
}

export function PartWindow({ title, onClose, children }: { title: string; onClose: () => void; children: ReactNode }) {
  const t = useText();
  return (
    <Modal opened onClose={onClose} size="lg" title={title} closeButtonProps={{ "aria-label": t("kit.close") }}>
      <Suspense fallback={<LoadingRows rows={3} />}>{children}</Suspense>
    </Modal>
  );
}

type CountProps = Omit<NumberInputProps, "value" | "defaultValue" | "onChange"> & {
  defaultValue?: number | null;
  onChange?: (value: number | null) => void;
};
/** A number that may be left out. */
export const CountInput = ({ defaultValue, onChange, ...rest }: CountProps) => (
  <NumberInput
    min={0}
    allowDecimal={false}
    maw={240}
    {...rest}
    defaultValue={defaultValue ?? ""}
    onChange={(typed) => onChange?.(typed === "" ? null : Number(typed))}
  />
);
