import { PageHead } from "../../kit/page/page-head.tsx";
import { useText } from "../../text/text.ts";

export default function Redemptions() {
  const t = useText();
  return <PageHead title={t("redemptions.title")} />;
}
