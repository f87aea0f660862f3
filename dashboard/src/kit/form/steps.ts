import { useRef } from "react";
import type { AnswerOf, AnyOp, Call } from "../../api/op.ts";
import { type Sender, useSender, type Write } from "../../api/use-op.ts";

/** Sends one step of what a form saves. A step with a name is done once, however often the form is sent again. */
export type SendStep = <O extends AnyOp>(operation: O, write: Write<O>, name?: string) => Promise<AnswerOf<O>>;

/** The steps of a form. After a refusal it goes on where it stopped; `forget` is for when all of them were done. */
export function useSteps(): { send: SendStep; hasBegun: () => boolean; forget: () => void } {
  const send: Sender = useSender();
  const done = useRef(new Map<string, unknown>()).current;
  return {
    send: async (operation, write, name) => {
      if (name !== undefined && done.has(name)) return done.get(name) as AnswerOf<typeof operation>;
      const answer = await send(operation, write);
      if (name !== undefined) done.set(name, answer);
      return answer;
    },
    hasBegun: () => done.size > 0,
    forget: () => done.clear(),
  };
}

/** In place of an answer that nobody has yet: whatever is read of it is a name for what will stand there. */
const answerTo = ({ id }: AnyOp): unknown =>
  new Proxy({}, { get: (_, field) => (field === "then" ? undefined : `${String(field).toUpperCase()}_FROM_${id}`) });

/** The calls that a form would make as it is filled in. Nothing is sent. */
export async function callsOf(save: (send: SendStep) => Promise<unknown>): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const note: SendStep = async (operation, { params, body }) => {
    calls.push({ operation, params, ...(body !== undefined && { body }) });
    return answerTo(operation) as AnswerOf<typeof operation>;
  };
  // Half a form may not make sense as a whole: what it would send first is shown all the same.
  await save(note).catch(() => null);
  return calls;
}
