import { ConfigError } from "../config.ts";

const NAME_MAX = 200;

/** The name of a project or a key, as the interface takes it. */
export function checkName(name: string): void {
  if (name.length < 1 || [...name].length > NAME_MAX)
    throw new ConfigError(`--name must have 1 to ${NAME_MAX} characters.`);
}
