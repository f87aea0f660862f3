import { ActionIcon, Burger, Button, Kbd } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { lazy, Suspense } from "react";
import { Link } from "react-router";
import { useProject } from "../api/session.ts";
import { openPalette } from "../kit/palette/open.ts";
import { useText } from "../text/text.ts";
import classes from "./layout.module.css";
import { ProjectSwitch } from "./project-switch.tsx";
import { UserMenu } from "./user-menu.tsx";

// These come after the first paint.
const Jobs = lazy(() => import("./jobs.tsx"));
const TestClock = lazy(() => import("./test-clock.tsx"));

export function Header({ isOpen, onToggle }: { isOpen: boolean; onToggle: () => void }) {
  const t = useText();
  const project = useProject();
  return (
    <>
      <Burger opened={isOpen} onClick={onToggle} hiddenFrom="sm" size="sm" aria-label={t("layout.openNavigation")} />
      <Link to="/" className={classes.brand!} aria-label={t("layout.product")}>
        <img src="/assets/laurel.svg" alt="" width={24} height={24} />
        <span className={classes.brandName}>{t("layout.product")}</span>
      </Link>
      <ProjectSwitch />
      {project.is_sandbox && (
        <span className={classes.sandbox} title={t("layout.sandboxHelp")}>
          {t("layout.sandbox")}
        </span>
      )}
      {project.is_sandbox && (
        <Suspense>
          <TestClock />
        </Suspense>
      )}
      <span className={classes.gap} />
      <Button
        variant="default"
        size="xs"
        visibleFrom="sm"
        className={classes.search!}
        justify="space-between"
        leftSection={<IconSearch size={16} stroke={1.75} />}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        onClick={openPalette}
      >
        <span className={classes.searchText}>{t("layout.search")}</span>
      </Button>
      <ActionIcon hiddenFrom="sm" onClick={openPalette} aria-label={t("layout.search")}>
        <IconSearch size={20} stroke={1.75} />
      </ActionIcon>
      <Suspense>
        <Jobs />
      </Suspense>
      <UserMenu />
    </>
  );
}
