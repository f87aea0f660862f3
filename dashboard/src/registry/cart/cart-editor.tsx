import { ActionIcon, Button, Stack } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useRef, useState } from "react";
import { getCustomer, getProduct, getSku } from "../../api/operations.gen.ts";
import { useProject } from "../../api/session.ts";
import { CUSTOMERS, PRODUCTS } from "../../api/sources.ts";
import { useOp } from "../../api/use-op.ts";
import { MomentField } from "../../kit/form/moment-field.tsx";
import { MoneyField } from "../../kit/form/money-field.tsx";
import { NumberInput } from "../../kit/later/fields.ts";
import { formatMoney } from "../../kit/money/money.ts";
import { RecordSelect } from "../../kit/pick/record-select.tsx";
import { localeOf, useText } from "../../text/text.ts";
import classes from "./cart.module.css";
import type { Cart, CartLine } from "./cart.ts";
import { CodesField } from "./codes-field.tsx";

type Props = { cart: Cart; onChange: (change: Partial<Cart>) => void };
const QUANTITY_MAX = 1_000_000;

type LineProps = { line: CartLine; onChange: (quantity: number) => void; onRemove: () => void };

function Line({ line, onChange, onRemove }: LineProps) {
  const t = useText();
  const { currency } = useProject();
  const { id, isSku, price } = line;
  const product = useOp(getProduct, { productId: id }, { enabled: !isSku && price === null });
  const sku = useOp(getSku, { skuId: id }, { enabled: isSku && price === null });
  const name = product.data?.name ?? sku.data?.sku ?? product.data?.source_id ?? id;
  const each = price ?? product.data?.price ?? sku.data?.price ?? null;
  return (
    <li className={classes.line}>
      <span>
        {name}{" "}
        <span className={classes.dimmed}>
          {each === null ? "" : formatMoney(each, currency, { locale: localeOf(), sign: false })}
        </span>
      </span>
      <NumberInput
        size="xs"
        aria-label={t("simulator.quantity", { name })}
        min={1}
        max={QUANTITY_MAX}
        allowDecimal={false}
        allowNegative={false}
        value={line.quantity}
        onChange={(value) => typeof value === "number" && value >= 1 && onChange(value)}
      />
      <ActionIcon variant="subtle" aria-label={t("simulator.remove", { name })} onClick={onRemove}>
        <IconTrash size={16} stroke={1.75} />
      </ActionIcon>
    </li>
  );
}

function AddProduct({ onAdd }: { onAdd: (id: string) => void }) {
  const t = useText();
  // A new field for each product that was added: the old one keeps what was typed.
  const [added, setAdded] = useState(0);
  return (
    <RecordSelect
      key={added}
      source={PRODUCTS}
      label={t("simulator.add")}
      placeholder={t("simulator.addHelp")}
      value={null}
      onChange={(chosen) => {
        if (!chosen) return;
        onAdd(chosen.value);
        setAdded(added + 1);
      }}
    />
  );
}

function CustomerField({ cart, onChange }: Props) {
  const t = useText();
  const { customer } = cart;
  const { data } = useOp(getCustomer, { customerId: customer ?? "" }, { enabled: customer !== null });
  const label = data ? CUSTOMERS.optionOf(data as Parameters<typeof CUSTOMERS.optionOf>[0]).label : customer;
  return (
    <RecordSelect
      key={label}
      source={CUSTOMERS}
      label={t("simulator.customer")}
      placeholder={t("simulator.nobody")}
      value={customer === null ? null : { value: customer, label: label! }}
      onChange={(chosen) => onChange({ customer: chosen?.value ?? null })}
    />
  );
}

/** The moment that is asked about. The field begins anew when the moment changes elsewhere, such as by an emptied cart. */
function AtField({ cart: { at }, onChange }: Props) {
  const t = useText();
  const typed = useRef(at);
  const round = useRef(0);
  if (typed.current !== at) {
    typed.current = at;
    round.current += 1;
  }
  return (
    <MomentField
      key={round.current}
      label={t("simulator.at")}
      description={t("simulator.atHelp")}
      value={at}
      onChange={(iso) => {
        typed.current = iso;
        onChange({ at: iso });
      }}
      {...(at !== null && {
        rightSection: (
          <Button size="compact-xs" variant="subtle" onClick={() => onChange({ at: null })}>
            {t("simulator.now")}
          </Button>
        ),
        rightSectionWidth: 64,
      })}
    />
  );
}

/** `hasTime`: false where the page itself says for when it asks. */
type EditorProps = Props & { hasCodes?: boolean; hasTime?: boolean };

/** What is bought, by whom, when, with which codes. */
export function CartEditor({ cart, onChange, hasCodes = true, hasTime = true }: EditorProps) {
  const t = useText();
  const { lines } = cart;
  const setLine = (place: number, next: readonly CartLine[]) => onChange({ lines: lines.toSpliced(place, 1, ...next) });
  const add = (id: string) => {
    const place = lines.findIndex((line) => line.id === id);
    const old = lines[place];
    if (old) return setLine(place, [{ ...old, quantity: old.quantity + 1 }]);
    onChange({ lines: [...lines, { id, isSku: false, quantity: 1, price: null }], amount: null });
  };
  return (
    <Stack gap="lg">
      {lines.length === 0 ? (
        <div className={classes.dimmed}>{t("simulator.emptyCart")}</div>
      ) : (
        <ul className={classes.stack} style={{ listStyle: "none", margin: 0, padding: 0 }}>
          {lines.map((line, place) => (
            <Line
              key={line.id}
              line={line}
              onChange={(quantity) => setLine(place, [{ ...line, quantity }])}
              onRemove={() => setLine(place, [])}
            />
          ))}
        </ul>
      )}
      <AddProduct onAdd={add} />
      {lines.length === 0 && (
        <MoneyField
          label={t("simulator.amount")}
          description={t("simulator.amountHelp")}
          value={cart.amount}
          onChange={(amount) => onChange({ amount })}
        />
      )}
      <CustomerField cart={cart} onChange={onChange} />
      {hasTime && <AtField cart={cart} onChange={onChange} />}
      {hasCodes && <CodesField codes={cart.codes} onChange={(codes) => onChange({ codes })} />}
    </Stack>
  );
}
