import { Menu } from "@mantine/core";
import { cloneElement, type ReactElement, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import type { MenuDescription, MenuEntry } from "./menu-button.tsx";

function Entry({ of }: { of: MenuEntry }) {
  if (of === "line") return <Menu.Divider />;
  if ("heading" in of) return <Menu.Label>{of.heading}</Menu.Label>;
  const { text, run, to, href, isOn, isDangerous, left, right, lang } = of;
  const shown = {
    ...{ leftSection: left, rightSection: right },
    ...(lang && { lang }),
    ...(isDangerous && { c: "var(--mantine-color-error)" }),
  };
  if (to !== undefined)
    return (
      <Menu.Item component={Link} to={to} {...shown}>
        {text}
      </Menu.Item>
    );
  if (href !== undefined)
    return (
      <Menu.Item component="a" href={href} target="_blank" {...shown}>
        {text}
      </Menu.Item>
    );
  if (isOn !== undefined)
    return (
      <Menu.CheckboxItem checked={isOn} {...(run && { onChange: run })}>
        {text}
      </Menu.CheckboxItem>
    );
  return (
    <Menu.Item {...(run && { onClick: run })} {...shown}>
      {text}
    </Menu.Item>
  );
}

/** A menu that opens as soon as it is there. */
export default function OpenMenu({ button, entries, head, isKept, position, width }: Props) {
  const [isOpen, setOpen] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that was pressed is gone: this one has to be where the focus returns to.
    target.current?.focus();
    setOpen(true);
  }, []);
  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      closeOnItemClick={!isKept}
      position={position ?? "bottom-end"}
      // The focus goes to the first entry, not to a place before it that is no entry.
      withInitialFocusPlaceholder={false}
      // Inside a landmark: a screen reader finds it there.
      portalProps={{ target: document.querySelector<HTMLElement>("main") ?? document.body }}
      {...(width !== undefined && { width })}
    >
      <Menu.Target>{cloneElement(button, { ref: target } as object)}</Menu.Target>
      <Menu.Dropdown>
        {head}
        {entries.map((entry, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry is its place.
          <Entry key={place} of={entry} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
type Props = MenuDescription & { button: ReactElement<object> };
