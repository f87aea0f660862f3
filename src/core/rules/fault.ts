/** A rule definition that cannot be stored. The message is what the answer says in `details`. */
export class RuleFault extends Error {}
