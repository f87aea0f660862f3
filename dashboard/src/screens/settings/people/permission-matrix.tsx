import { Checkbox, Input } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { resourceWord } from "../../../registry/words.ts";
import { localeOf, useText } from "../../../text/text.ts";
import classes from "../settings.module.css";

const ACTIONS = ["read", "create", "update", "delete", "manage", "export"] as const;

/** To manage is to read, create, change and delete: so many single permissions a role has, however they are written. */
export const permitted = (permissions: readonly string[]): number =>
  new Set(
    permissions.flatMap((one) => {
      const [resource, action] = one.split(".");
      const implied = ACTIONS.filter((each) => each !== "manage" && each !== "export");
      return action === "manage" ? implied.map((each) => `${resource}.${each}`) : [one];
    }),
  ).size;

type Props = {
  label: string;
  resources: readonly string[];
  isFixed: boolean;
  defaultValue?: string[];
  error?: ReactNode;
  onChange?: (permissions: string[]) => void;
};

/** What a role may do: a row for each resource. To manage is to do everything but take data out. */
export function PermissionMatrix({ label, resources, isFixed, defaultValue = [], error, onChange }: Props) {
  const t = useText();
  const [granted, setGranted] = useState(defaultValue);
  const toggle = (permission: string) => {
    const next = granted.includes(permission) ? granted.filter((one) => one !== permission) : [...granted, permission];
    setGranted(next);
    onChange?.(next);
  };
  const sorted = resources.toSorted((a, b) => resourceWord(t, a).localeCompare(resourceWord(t, b), localeOf()));
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      {/* biome-ignore lint/a11y: it scrolls, so it must be reached by keyboard. */}
      <div className={classes.scroll} tabIndex={0} role="group" aria-label={label}>
        <table className={classes.matrix}>
          <thead>
            <tr>
              <th scope="col" style={{ textAlign: "left" }}>
                {t("settings.resource")}
              </th>
              {ACTIONS.map((action) => (
                <th key={action} scope="col">
                  {t(`settings.can.${action}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map((resource) => {
              const isManaged = granted.includes(`${resource}.manage`);
              return (
                <tr key={resource}>
                  <th scope="row" title={resource}>
                    {resourceWord(t, resource)}
                  </th>
                  {ACTIONS.map((action) => {
                    const permission = `${resource}.${action}`;
                    const isImplied = isManaged && action !== "manage" && action !== "export";
                    return (
                      <td key={action}>
                        <Checkbox
                          size="xs"
                          aria-label={`${resourceWord(t, resource)}: ${t(`settings.can.${action}`)}`}
                          checked={isImplied || granted.includes(permission)}
                          disabled={isImplied || isFixed}
                          onChange={() => toggle(permission)}
                        />
                      </td>
                    );
                  })}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Input.Wrapper>
  );
}
