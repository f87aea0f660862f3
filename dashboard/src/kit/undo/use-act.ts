import type { AnswerOf, AnyOp } from "../../api/op.ts";
import { useSend, type Write } from "../../api/use-op.ts";
import { notifyDone, notifyFailed } from "./undo.tsx";

/** A write behind a button: says that it was done and offers the opposite, or says why not. Null: it was refused. */
export function useAct<O extends AnyOp>(operation: O) {
  const { mutateAsync, isPending } = useSend(operation);
  const run = async (write: Write<O>, done?: string, undo?: () => Promise<unknown>) => {
    try {
      const answer: AnswerOf<O> = await mutateAsync(write);
      if (done !== undefined) notifyDone(done, undo);
      return { answer };
    } catch (error) {
      notifyFailed(error);
      return null;
    }
  };
  return { run, isPending };
}
