import { SimpleGrid, Text } from "@mantine/core";
import { useText } from "../../text/text.ts";
import type { Unit } from "../date/length.ts";
import type { Again } from "../date/times.ts";
import { LengthField } from "./length-field.tsx";

type Props = { again: Again; put: (change: Partial<Again>) => void; faults?: Partial<Again>; path?: string };
const EVERY: readonly Unit[] = ["weeks", "days", "months", "years", "hours"];
const LASTS: readonly Unit[] = ["days", "hours", "minutes", "weeks", "months"];

/** Windows that come again: how often one opens, and how long it stays open. */
export function AgainFields({ again, put, faults = {}, path }: Props) {
  const t = useText();
  const focused = (name: keyof Again) =>
    path !== undefined && name === (faults.lasts ? "lasts" : "every") ? { "data-path": path } : {};
  return (
    <div>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
        <LengthField
          label={t("kit.times.every")}
          units={EVERY}
          required
          defaultValue={again.every}
          onChange={(every) => put({ every })}
          error={faults.every}
          {...focused("every")}
        />
        <LengthField
          label={t("kit.times.lasts")}
          units={LASTS}
          required
          defaultValue={again.lasts}
          onChange={(lasts) => put({ lasts })}
          error={faults.lasts}
          {...focused("lasts")}
        />
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt="sm">
        {t("kit.times.againHelp")}
      </Text>
    </div>
  );
}
