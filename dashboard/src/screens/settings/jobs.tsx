import { Tabs } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useSearchParams } from "react-router";
import { useCan } from "../../api/session.ts";
import { PageHead } from "../../kit/page/page-head.tsx";
import { LoadingRows } from "../../kit/states/states.tsx";
import { useText } from "../../text/text.ts";
import { SettingsFrame } from "./frame.tsx";

// Lists come after the page: each of them is as large as it.
const Jobs = lazy(() => import("./job-list.tsx"));
const Exports = lazy(() => import("./exports.tsx"));

export default function JobsPage() {
  const t = useText();
  const can = useCan();
  const [query, setQuery] = useSearchParams();
  const open = query.get("tab") === "exports" ? "exports" : "actions";
  return (
    <SettingsFrame>
      <PageHead title={t("settings.jobs")} />
      <Tabs value={open} onChange={(tab) => setQuery(tab === "exports" ? { tab } : {}, { replace: true })}>
        <Tabs.List mb="lg">
          <Tabs.Tab value="actions">{t("settings.running")}</Tabs.Tab>
          {can("listExports") && <Tabs.Tab value="exports">{t("settings.exports")}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value={open}>
          <Suspense fallback={<LoadingRows />}>{open === "exports" ? <Exports /> : <Jobs />}</Suspense>
        </Tabs.Panel>
      </Tabs>
    </SettingsFrame>
  );
}
