import { SimpleGrid, TextInput, Title } from "@mantine/core";
import { type Branding, createBranding, getBranding, listBranding, updateBranding } from "../../api/operations.gen.ts";
import { type Answer, sendFor } from "../../api/send.ts";
import { useProject } from "../../api/session.ts";
import { useOp, useRecord } from "../../api/use-op.ts";
import { ShowAsCall } from "../../kit/call/show-as-call.tsx";
import { Edited } from "../../kit/form/edited.tsx";
import { RecordForm } from "../../kit/form/record-form.tsx";
import { useRecordForm, type Version } from "../../kit/form/use-record-form.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { Panel } from "../../kit/page/panel.tsx";
import { notifyDone } from "../../kit/undo/undo.tsx";
import { useText } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";

type Values = Pick<Branding, "brand" | "address" | "contact">;
const NEW: Values = {
  brand: { name: "", website_url: null, privacy_policy_url: null, terms_of_use_url: null, permission_reminder: "" },
  address: { street: "", city: "", postal: null, country: "", state: "" },
  contact: { email: "", phone: null },
};
const FIELDS = {
  brand: ["name", "website_url", "privacy_policy_url", "terms_of_use_url", "permission_reminder"],
  address: ["street", "postal", "city", "state", "country"],
  contact: ["email", "phone"],
} as const;
const REQUIRED = ["brand.name", "address.street", "address.city", "address.country", "contact.email"] as const;
/** An empty field is no value where the interface knows none. */
const NULLABLE = ["website_url", "privacy_policy_url", "terms_of_use_url", "postal", "phone"];
const cleaned = (group: object) =>
  Object.fromEntries(
    Object.entries(group).map(([name, value]) => [name, value === "" && NULLABLE.includes(name) ? null : value]),
  );

const versionOf = ({ body: { brand, address, contact }, etag }: Answer<Branding>): Version<Values> => ({
  values: { brand, address, contact },
  etag,
});

function Fields({ id, from, again }: { id: string | null; from: Version<Values>; again: () => void }) {
  const t = useText();
  const { id: projectId } = useProject();
  const state = useRecordForm<Values>({
    record: `branding:${id ?? "new"}`,
    from,
    validate: (typed) =>
      Object.fromEntries(
        REQUIRED.filter((path) => {
          const [group, name] = path.split(".") as [keyof Values, string];
          return !(typed[group] as Record<string, string | null>)[name]?.trim();
        }).map((path) => [path, t("kit.form.required")]),
      ),
    save: async (send, changes, version) => {
      const body = Object.fromEntries(Object.entries(changes).map(([name, group]) => [name, cleaned(group)]));
      return id === null
        ? send(createBranding, { params: { projectId }, body: body as Values })
        : send(updateBranding, { params: { projectId, brandingId: id }, body, ...version });
    },
    ...(id !== null && { readAgain: async () => versionOf(await sendFor(getBranding, { projectId, brandingId: id })) }),
    onSaved: () => {
      notifyDone(t("kit.form.saved"));
      again();
    },
  });
  const { form } = state;
  const groups = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
  const labels = Object.fromEntries(groups.map((group) => [group, t(`settings.brand.${group}`)]));
  return (
    <Panel width={752}>
      <RecordForm state={state} labels={labels}>
        {groups.map((group) => (
          <div key={group}>
            <Title order={2} mb="md">
              {labels[group]}
            </Title>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
              {FIELDS[group].map((name) => {
                const path = `${group}.${name}`;
                return (
                  <TextInput
                    key={form.key(path)}
                    label={t(`settings.brand.${name}`)}
                    required={(REQUIRED as readonly string[]).includes(path)}
                    {...form.getInputProps(path)}
                  />
                );
              })}
            </SimpleGrid>
          </div>
        ))}
      </RecordForm>
    </Panel>
  );
}

function SavedBranding({ id }: { id: string }) {
  const { id: projectId } = useProject();
  const branding = useRecord(getBranding, { projectId, brandingId: id });
  return <Edited of={branding}>{(read, again) => <Fields id={id} from={versionOf(read)} again={again} />}</Edited>;
}

export default function BrandingPage() {
  const t = useText();
  const { id: projectId } = useProject();
  const branding = useOp(listBranding, { projectId });
  return (
    <SettingsFrame>
      <PageHead title={t("settings.branding")} below={t("settings.brandingHelp")}>
        <ShowAsCall operation={listBranding} params={{ projectId }} />
      </PageHead>
      <Edited of={branding}>
        {({ data: [saved] }, again) =>
          saved ? (
            <SavedBranding id={saved.id} />
          ) : (
            <Fields id={null} from={{ values: NEW, etag: null }} again={again} />
          )
        }
      </Edited>
    </SettingsFrame>
  );
}
