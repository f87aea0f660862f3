import { Button, Menu } from "@mantine/core";
import { IconCheck, IconChevronDown } from "@tabler/icons-react";
import { useNavigate } from "react-router";
import { openProject, useProject, useSession } from "../api/session.ts";
import { useText } from "../text/text.ts";
import classes from "./layout.module.css";

/** The project that is open, and the others. */
export default function ProjectSwitch() {
  const t = useText();
  const navigate = useNavigate();
  const project = useProject();
  const projects = useSession().session?.projects ?? [];
  const open = (id: string) => {
    if (id === project.id) return;
    openProject(id);
    void navigate("/");
  };
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
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
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t("layout.project")}</Menu.Label>
        {projects.map(({ id, name }) => (
          <Menu.Item
            key={id}
            onClick={() => open(id)}
            rightSection={id === project.id ? <IconCheck size={16} aria-hidden /> : null}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
