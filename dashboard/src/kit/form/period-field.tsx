import { Fieldset, SimpleGrid, Text } from "@mantine/core";
import { useProject } from "../../api/session.ts";
import { useText } from "../../text/text.ts";
import { MomentField, type MomentProps } from "./moment-field.tsx";

type Part = MomentProps & { fieldKey: string };
type Props = { start: Part; end: Part };

const Moment = ({ fieldKey, ...props }: Part) => <MomentField key={fieldKey} {...props} description={null} />;

/** From when until when something runs, as one thing. The zone that both times mean is always named. */
export function PeriodField({ start, end }: Props) {
  const t = useText();
  const { timezone } = useProject();
  return (
    <Fieldset legend={t("kit.period.title")}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
        <Moment label={t("kit.period.starts")} {...start} />
        <Moment label={t("kit.period.ends")} {...end} />
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt="sm">
        {t("kit.period.help", { zone: timezone })}
      </Text>
    </Fieldset>
  );
}
