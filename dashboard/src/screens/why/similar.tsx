import { Anchor, Group } from "@mantine/core";
import { Link } from "react-router";
import { Section } from "../../kit/page/section.tsx";
import { useText } from "../../text/text.ts";
import type { Case } from "./case.ts";
import classes from "./why.module.css";

const ASKED = ["voucher", "customer", "order", "redemption", "refusal", "request"];

/** Others that the search finds for the same text. */
export function Similar({ of: found }: { of: Case["similar"] }) {
  const t = useText();
  const shown = found.filter(({ type }) => ASKED.includes(type));
  if (shown.length === 0) return null;
  return (
    <Section title={t("why.similar")}>
      <Group gap="lg">
        {shown.map(({ type, id, title, detail }) => (
          <span key={`${type} ${id}`}>
            <Anchor component={Link} to={`/why?q=${encodeURIComponent(id)}`} underline="always">
              {title}
            </Anchor>{" "}
            <span className={classes.dimmed}>{detail}</span>
          </span>
        ))}
      </Group>
    </Section>
  );
}
