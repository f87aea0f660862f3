import { List, Stack, Text } from "@mantine/core";
import { useNavigate } from "react-router";
import { type Customer, eraseCustomer } from "../../api/operations.gen.ts";
import { useSend } from "../../api/use-op.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { formatCount } from "../../kit/money/count.ts";
import { notifyDone, notifyFailed } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";
import { nameOf } from "./names.ts";

/** Asks for the e-mail address, says what goes and what stays, and erases. */
export function useErase(): (customer: Customer) => Promise<void> {
  const t = useText();
  const navigate = useNavigate();
  const erase = useSend(eraseCustomer);
  return async (customer) => {
    const { orders, redemptions } = customer.summary;
    const counts = { orders: formatCount(orders.total_count), redemptions: formatCount(redemptions.total_succeeded) };
    const says = (
      <Stack gap="sm">
        <Text size="sm">{t("customers.eraseHelp")}</Text>
        <Text size="sm" fw={600}>
          {t("customers.goes")}
        </Text>
        <List size="sm">
          <List.Item>{t("customers.goesProfile")}</List.Item>
          <List.Item>{t("customers.goesOrders", counts)}</List.Item>
          <List.Item>{t("customers.goesActivity")}</List.Item>
        </List>
        <Text size="sm" fw={600}>
          {t("customers.stays")}
        </Text>
        <List size="sm">
          <List.Item>{t("customers.staysRedemptions", counts)}</List.Item>
          <List.Item>{t("customers.staysLedger")}</List.Item>
          <List.Item>{t("customers.staysBackups")}</List.Item>
        </List>
      </Stack>
    );
    const word = customer.email ?? customer.source_id ?? customer.id;
    const name = nameOf(customer);
    const isMeant = await confirm({
      title: t("customers.eraseTitle", { name }),
      says,
      act: t("customers.eraseAct", { name }),
      word,
      isDangerous: true,
    });
    if (!isMeant) return;
    try {
      const { data_json } = await erase.mutateAsync({ params: { customerId: customer.id } });
      void navigate("/customers");
      notifyDone(
        t("customers.erased", { name, orders: formatCount(data_json.orders), events: formatCount(data_json.events) }),
      );
    } catch (error) {
      notifyFailed(error);
    }
  };
}
