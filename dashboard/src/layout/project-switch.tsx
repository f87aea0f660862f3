import { Button } from "@mantine/core";
import { IconCheck, IconChevronDown } from "@tabler/icons-react";
import { useNavigate } from "react-router";
import { openProject, useProject, useSession } from "../api/session.ts";
import { MenuButton } from "../kit/menu/menu-button.tsx";
import { useText } from "../text/text.ts";
import classes from "./layout.module.css";

/** The project that is open, and the others. */
export function ProjectSwitch() {
  const t = useText();
  const navigate = useNavigate();
  const project = useProject();
  const projects = useSession().session?.projects ?? [];
  const open = (id: string) => {
    if (id === project.id) return;
    openProject(id);
    void navigate("/");
  };
  const button = (
    <Button
      variant="subtle"
      color="gray"
      size="compact-md"
      className={classes.project!}
      rightSection={<IconChevronDown size={16} aria-hidden />}
      aria-label={`${t("layout.project")}: ${project.name}`}
    >
      {project.name}
    </Button>
  );
  const entries = projects.map(({ id, name }) => ({
    text: name,
    run: () => open(id),
    right: id === project.id ? <IconCheck size={16} aria-hidden /> : null,
  }));
  return (
    <MenuButton
      button={button}
      position="bottom-start"
      width={240}
      entries={[{ heading: t("layout.project") }, ...entries]}
    />
  );
}
