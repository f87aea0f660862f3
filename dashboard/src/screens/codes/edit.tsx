import { SimpleGrid, Textarea } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { getVoucher, updateVoucher, type VoucherWithRules } from "../../api/operations.gen.ts";
import { sendFor } from "../../api/send.ts";
import { useCan } from "../../api/session.ts";
import { useOp, useRecord } from "../../api/use-op.ts";
import { Edited } from "../../kit/form/edited.tsx";
import { MomentField } from "../../kit/form/moment-field.tsx";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../kit/form/use-record-form.ts";
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

const versionOf = ({ body, etag }: { body: VoucherWithRules; etag: string | null }): Version<Values> => {
  const { start_date, expiration_date, category_id, categories, additional_info } = body;
  const category = categoryOf(category_id, categories);
  return { values: { start_date, expiration_date, category, additional_info: additional_info ?? "" }, etag };
};

function Fields({ id, code, from }: { id: string; code: string; from: Version<Values> }) {
  const t = useText();
  const can = useCan();
  const navigate = useNavigate();
  const state = useRecordForm<Values>({
    record: `code:${id}`,
    from,
    save: (send, { category: chosen, ...changes }, version) => {
      const body = { ...changes, ...(chosen !== undefined && { category_id: chosen?.value ?? null }) };
      return send(updateVoucher, { params: { code }, body, ...version });
    },
    paths: { category_id: "category" },
    readAgain: async () => versionOf(await sendFor(getVoucher, { code })),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      void navigate(`/codes/${encodeURIComponent(code)}`);
    },
  });
  const { form } = state;
  const labels = {
    ...{ start_date: t("codes.starts"), expiration_date: t("codes.ends") },
    ...{ category: t("conditions.category"), additional_info: t("codes.info") },
  };
  return (
    <RecordForm state={state} labels={labels}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MomentField key={form.key("start_date")} label={labels.start_date} {...form.getInputProps("start_date")} />
        <MomentField
          key={form.key("expiration_date")}
          label={labels.expiration_date}
          {...form.getInputProps("expiration_date")}
        />
      </SimpleGrid>
      {can("listCategories") && <CategoryField key={form.key("category")} {...form.getInputProps("category")} />}
      <Textarea
        key={form.key("additional_info")}
        label={labels.additional_info}
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
  const record = useRecord(getVoucher, { code });
  return (
    <Page of={voucher} title={(one) => one.code} call={[getVoucher, { code }]}>
      {() => (
        <Panel>
          <Edited of={record}>{(read) => <Fields id={read.body.id} code={code} from={versionOf(read)} />}</Edited>
        </Panel>
      )}
    </Page>
  );
}
