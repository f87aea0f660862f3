import { SimpleGrid, Textarea, TextInput } from "@mantine/core";
import { useNavigate, useParams } from "react-router";
import { type Customer, createCustomer, getCustomer, updateCustomer } from "../../api/operations.gen.ts";
import { useOp } from "../../api/use-op.ts";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { type RecordForm as RecordFormState, useRecordForm } from "../../kit/form/use-record-form.ts";
import { Page } from "../../kit/page/page.tsx";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";
import { nameOf } from "./names.ts";

const FIELDS = ["source_id", "name", "email", "phone", "birthdate", "description"] as const;
const PLACES = ["line_1", "line_2", "postal_code", "city", "state", "country"] as const;
type Values = Record<(typeof FIELDS)[number] | (typeof PLACES)[number], string>;

const valuesOf = (customer: Customer | null): Values =>
  Object.fromEntries([
    ...FIELDS.map((name) => [name, customer?.[name] ?? ""]),
    ...PLACES.map((name) => [name, customer?.address?.[name] ?? ""]),
  ]) as Values;

/** What is sent: an empty field is null, and an address is sent as a whole. */
function bodyOf(changes: Partial<Values>, values: Values) {
  const orNull = (text: string) => (text.trim() === "" ? null : text.trim());
  const own = FIELDS.flatMap((name) => (changes[name] === undefined ? [] : [[name, orNull(changes[name])] as const]));
  const address = Object.fromEntries(PLACES.map((name) => [name, orNull(values[name])]));
  const isMoved = PLACES.some((name) => changes[name] !== undefined);
  return { ...Object.fromEntries(own), ...(isMoved && { address }) };
}

function CustomerFields({ customer }: { customer: Customer | null }) {
  const t = useText();
  const navigate = useNavigate();
  const state: RecordFormState<Values> = useRecordForm<Values, { id: string }>({
    record: `customer:${customer?.id ?? "new"}`,
    from: { values: valuesOf(customer), etag: null },
    validate: ({ email }) => (email !== "" && !/^\S+@\S+$/.test(email) ? { email: t("customers.badEmail") } : {}),
    save: async (send, changes) => {
      const body = bodyOf(changes, state.form.getValues());
      return customer
        ? send(updateCustomer, { params: { customerId: customer.id }, body })
        : send(createCustomer, { params: {}, body });
    },
    onSaved: (saved) => {
      notifyDone(t("kit.form.saved"));
      void navigate(`/customers/${saved?.id ?? customer?.id}`);
    },
  });
  const { form } = state;
  const field = (name: keyof Values) => ({ ...form.getInputProps(name), key: form.key(name) });
  const { key: descriptionKey, ...description } = field("description");
  return (
    <RecordForm state={state}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {(["name", "email", "phone", "birthdate"] as const).map((name) => {
          const { key, ...props } = field(name);
          return (
            <TextInput
              key={key}
              label={t(`customers.${name}`)}
              type={name === "birthdate" ? "date" : name === "email" ? "email" : "text"}
              {...props}
            />
          );
        })}
        <TextInput
          label={t("customers.sourceId")}
          description={t("customers.sourceIdHelp")}
          readOnly={customer !== null}
          {...form.getInputProps("source_id")}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {PLACES.map((name) => {
          const { key, ...props } = field(name);
          return <TextInput key={key} label={t(`customers.places.${name}`)} {...props} />;
        })}
      </SimpleGrid>
      <Textarea key={descriptionKey} label={t("customers.note")} autosize minRows={2} {...description} />
    </RecordForm>
  );
}

function EditCustomer({ customerId }: { customerId: string }) {
  const customer = useOp(getCustomer, { customerId });
  return (
    <Page of={customer} title={nameOf} call={[getCustomer, { customerId }]}>
      {(one) => (
        <Panel>
          <CustomerFields customer={one} />
        </Panel>
      )}
    </Page>
  );
}

export default function CustomerForm() {
  const t = useText();
  const { customerId } = useParams();
  if (customerId !== undefined) return <EditCustomer customerId={customerId} />;
  return (
    <>
      <PageHead title={t("customers.new")} />
      <Panel>
        <CustomerFields customer={null} />
      </Panel>
    </>
  );
}
