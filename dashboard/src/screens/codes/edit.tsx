import { SimpleGrid, Textarea } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { getVoucher, updateVoucher, type VoucherWithRules } from "../../api/operations.gen.ts";
import { useCan } from "../../api/session.ts";
import { useOp } from "../../api/use-op.ts";
import { MomentField } from "../../kit/form/moment-field.tsx";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { useRecordForm } from "../../kit/form/use-record-form.ts";
import { Page } from "../../kit/page/page.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import type { Option } from "../../kit/pick/record-select.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { CategoryField } from "../../registry/category-field.tsx";
import { categoryOf } from "../../registry/category-of.ts";
import { useText } from "../../text/text.ts";

type Values = {
  start_date: string | null;
  expiration_date: string | null;
  category: Option | null;
  additional_info: string;
};

function Fields({ voucher }: { voucher: VoucherWithRules }) {
  const t = useText();
  const can = useCan();
  const navigate = useNavigate();
  const { code, start_date, expiration_date, additional_info } = voucher;
  const category = categoryOf(voucher.category_id, voucher.categories);
  const state = useRecordForm<Values>({
    record: `code:${voucher.id}`,
    from: { values: { start_date, expiration_date, category, additional_info: additional_info ?? "" }, etag: null },
    save: (send, { category: chosen, ...changes }) => {
      const body = { ...changes, ...(chosen !== undefined && { category_id: chosen?.value ?? null }) };
      return send(updateVoucher, { params: { code }, body });
    },
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      void navigate(`/codes/${encodeURIComponent(code)}`);
    },
  });
  const { form } = state;
  return (
    <RecordForm state={state}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MomentField key={form.key("start_date")} label={t("codes.starts")} {...form.getInputProps("start_date")} />
        <MomentField
          key={form.key("expiration_date")}
          label={t("codes.ends")}
          {...form.getInputProps("expiration_date")}
        />
      </SimpleGrid>
      {can("listCategories") && <CategoryField key={form.key("category")} {...form.getInputProps("category")} />}
      <Textarea
        key={form.key("additional_info")}
        label={t("codes.info")}
        autosize
        minRows={2}
        {...form.getInputProps("additional_info")}
      />
    </RecordForm>
  );
}

export default function EditCode() {
  const { code = "" } = useParams();
  const voucher = useOp(getVoucher, { code });
  return (
    <Page of={voucher} title={(one) => one.code} call={[getVoucher, { code }]}>
      {(one) => (
        <Panel>
          <Fields voucher={one} />
        </Panel>
      )}
    </Page>
  );
}
