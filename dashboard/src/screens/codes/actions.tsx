import { Button } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useNavigate } from "react-router";
import { deleteVoucher, disableVoucher, enableVoucher, type VoucherWithRules } from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useSend } from "../../api/use-op.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { MenuButton } from "../../kit/menu/menu-button.tsx";
import { formatCount } from "../../kit/money/count.ts";
import { notifyDone, notifyFailed } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";

const Publish = lazy(() => import("./publish.tsx"));
const ChangeCredit = lazy(() => import("./change-credit.tsx"));

/** Switches a code on or off. The opposite is offered for ten seconds. */
function Switch({ voucher }: { voucher: VoucherWithRules }) {
  const t = useText();
  const can = useCan();
  const [enable, disable] = [useSend(enableVoucher), useSend(disableVoucher)];
  const [act, back] = voucher.active ? [disable, enable] : [enable, disable];
  const params = { code: voucher.code };
  if (!can(voucher.active ? "disableVoucher" : "enableVoucher")) return null;
  const press = () =>
    act.mutate(
      { params },
      {
        onSuccess: () =>
          notifyDone(t(voucher.active ? "codes.disabled" : "codes.enabled", { count: 1 }), () =>
            back.mutateAsync({ params }),
          ),
        onError: notifyFailed,
      },
    );
  return (
    <Button variant="default" loading={act.isPending} onClick={press}>
      {t(voucher.active ? "codes.disable" : "codes.enable")}
    </Button>
  );
}

/** What can be done with a code, from its page. */
export function Actions({ voucher }: { voucher: VoucherWithRules }) {
  const t = useText();
  const can = useCan();
  const navigate = useNavigate();
  const remove = useSend(deleteVoucher);
  const [open, setOpen] = useState<"publish" | "credit" | null>(null);
  const { code } = voucher;
  const drop = async () => {
    const used = formatCount(voucher.redemption.redeemed_quantity);
    const says = t("codes.deleteSays", { code, used });
    if (!(await confirm({ title: t("codes.delete"), says, act: t("codes.deleteAct", { code }), isDangerous: true })))
      return;
    try {
      await remove.mutateAsync({ params: { code } });
      void navigate("/codes");
      notifyDone(t("codes.deleted", { code }));
    } catch (error) {
      notifyFailed(error);
    }
  };
  return (
    <>
      {can("createPublication") && <Button onClick={() => setOpen("publish")}>{t("codes.publish")}</Button>}
      {voucher.gift && can("adjustVoucherBalance") && (
        <Button variant="default" onClick={() => setOpen("credit")}>
          {t("codes.changeCredit")}
        </Button>
      )}
      <Switch voucher={voucher} />
      <MenuButton
        button={
          <Button variant="default" leftSection={<IconDots size={16} />}>
            {t("codes.more")}
          </Button>
        }
        entries={[
          ...(can("updateVoucher") ? [{ text: t("codes.edit"), to: `/codes/${encodeURIComponent(code)}/edit` }] : []),
          { text: t("codes.why"), to: `/why?q=${encodeURIComponent(code)}` },
          ...(can("deleteVoucher") ? [{ text: t("codes.delete"), isDangerous: true, run: () => void drop() }] : []),
        ]}
      />
      <Suspense>
        {open === "publish" && <Publish code={code} onClose={() => setOpen(null)} />}
        {open === "credit" && <ChangeCredit code={code} onClose={() => setOpen(null)} />}
      </Suspense>
    </>
  );
}
