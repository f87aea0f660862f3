import { Anchor, Button, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconLock, IconPlugConnectedX, IconSearchOff } from "@tabler/icons-react";
import { type ReactNode, useEffect, useState } from "react";
import { RequestError } from "../../api/errors.ts";
import { type TextKey, type Text as Translate, useText } from "../../text/text.ts";
import { errorWord } from "./error-word.ts";
import classes from "./states.module.css";

const SKELETON_MS = 150;

/** Shows what is inside only after a moment: an answer that is there at once has no skeleton before it. */
export function Delayed({ children }: { children: ReactNode }) {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_MS);
    return () => clearTimeout(timer);
  }, []);
  return isLate ? children : null;
}

export function LoadingRows({ rows = 8 }: { rows?: number }) {
  const t = useText();
  return (
    <Delayed>
      <Stack gap={6} p={8} role="status" aria-label={t("kit.loading")}>
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
          <Skeleton key={row} height={30} radius={4} animate={false} />
        ))}
      </Stack>
    </Delayed>
  );
}

const causeOf = (error: unknown, t: Translate): { text: TextKey; details: string; requestId: string } => {
  if (!(error instanceof RequestError)) return { text: "kit.failed", details: String(error), requestId: "" };
  const { status, requestId } = error;
  const text: TextKey = status === 0 ? "kit.noAnswer" : status === 404 ? "kit.notFound" : "kit.failed";
  return { text, details: status === 0 ? "" : errorWord(t, error), requestId };
};

/** In the place of what could not be read: why, by which request, and the way to try again. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const t = useText();
  if (error instanceof RequestError && error.status === 403) return <NoAccess needs={error.details} />;
  const { text, details, requestId } = causeOf(error, t);
  return (
    <Stack className={classes.state} role="alert">
      <IconPlugConnectedX size={28} stroke={1.5} aria-hidden />
      <Text fw={600}>{t(text)}</Text>
      {details !== "" && <Text size="sm">{details}</Text>}
      {requestId !== "" && (
        <Text size="xs" c="dimmed" className="mono">
          {requestId}
        </Text>
      )}
      {retry && (
        <Button variant="default" onClick={retry}>
          {t("kit.retry")}
        </Button>
      )}
    </Stack>
  );
}

/** Says which permission is missing, so that somebody can ask for it. */
export function NoAccess({ needs, title }: { needs: string; title?: string }) {
  const t = useText();
  return (
    <Stack className={classes.state}>
      <IconLock size={28} stroke={1.5} aria-hidden />
      {title && (
        <Title order={1} tabIndex={-1}>
          {title}
        </Title>
      )}
      <Text fw={600}>{t("kit.noAccess")}</Text>
      <Text size="sm" c="dimmed">
        {t("kit.noAccessNeeds")} <span className="mono">{needs}</span>
      </Text>
    </Stack>
  );
}

type EmptyProps = { title: TextKey; help?: TextKey; action?: ReactNode; link?: { href: string; text: TextKey } };
/** Nothing is there yet: one sentence, one button, one link. */
export function Empty({ title, help, action, link }: EmptyProps) {
  const t = useText();
  return (
    <Stack className={classes.state}>
      <Text fw={600} size="lg">
        {t(title)}
      </Text>
      {help && <Text c="dimmed">{t(help)}</Text>}
      <Group gap="lg">
        {action}
        {link && <Anchor href={link.href}>{t(link.text)}</Anchor>}
      </Group>
    </Stack>
  );
}

/** Something is there, but nothing that the filters let through. */
export function NoMatch({ onClear }: { onClear: () => void }) {
  const t = useText();
  return (
    <Stack className={classes.state}>
      <IconSearchOff size={28} stroke={1.5} aria-hidden />
      <Text fw={600}>{t("kit.noMatch")}</Text>
      <Button variant="default" onClick={onClear}>
        {t("kit.clearFilters")}
      </Button>
    </Stack>
  );
}
