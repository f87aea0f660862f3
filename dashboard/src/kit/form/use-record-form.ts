import { type FormErrors, type UseFormReturnType, useForm } from "@mantine/form";
import { useDebouncedCallback } from "@mantine/hooks";
import { useRef, useState } from "react";
import { type FieldPaths, fieldOf, statusOf } from "../../api/errors.ts";
import type { Call } from "../../api/op.ts";
import { textOf } from "../../text/text.ts";
import { errorWord } from "../states/error-word.ts";
import { changedFields, isSame, type Merge, mergeEdits, type Values } from "./changes.ts";
import { type Draft, dropDraft, readDraft, saveDraft } from "./drafts.ts";
import { callsOf, type SendStep, useSteps } from "./steps.ts";

const DRAFT_MS = 400;

export type Version<V> = { values: V; etag: string | null };
type Options<V extends Values, S> = {
  /** Names the record, for drafts: `campaign:camp_1`, `campaign:new`. */
  record: string;
  /** What was read. For a new record: what the form begins with, and no version. */
  from: Version<V>;
  validate?: (values: V) => FormErrors;
  /**
   * Sends the changes, and gives an answer. All of them are changes where something new is made. It does nothing else: it is also
   * run with a `send` that only notes what would be sent.
   */
  save: (send: SendStep, changes: Partial<V>, version: { ifMatch?: string }) => Promise<S>;
  /** The fields of what is sent under other names, by the paths that the server tells faults with. */
  paths?: FieldPaths;
  /** Brings a field to sight before its fault is told: a form of steps does not show all of them. */
  show?: (field: string) => void;
  /** Reads the record again, after somebody else changed it. */
  readAgain?: () => Promise<Version<V>>;
  /**
   * Fields that are saved in other objects than the one whose version is sent. Before they are, the record is read again: what
   * somebody else made of them meanwhile is told of too.
   */
  beside?: readonly (keyof V & string)[];
  /** Null: nothing had changed, so nothing was sent. */
  onSaved: (answer: S | null) => void;
  /** Whatever is typed, for who shows what it would do before it is saved. */
  onEdit?: (values: V) => void;
};
export type Conflict<V> = Merge<V> & { theirs: Version<V> };
export type RecordForm<V extends Values> = {
  form: UseFormReturnType<V>;
  submit: (event?: React.FormEvent) => Promise<void>;
  /** What would be sent now. */
  calls: () => Promise<readonly Call[]>;
  isBusy: boolean;
  fault: unknown;
  draft: Draft | null;
  restore: () => void;
  discard: () => void;
  conflict: Conflict<V> | null;
  /** `yours`: what you changed, over theirs. `later`: nothing happens, and the form stays as it is. */
  settle: (how: "yours" | "theirs" | "later") => Promise<void>;
};

/** A field tells its fault when it is left. */
function tellWrong(field: HTMLElement): void {
  field.focus();
  field.blur();
  field.focus();
}

/**
 * The version that changes are compared with. Saving makes another one: it is read, so that a page that one stays on can save
 * again, and whoever was faster then is told of.
 */
function useVersion<V>(from: Version<V>, readAgain: (() => Promise<Version<V>>) | undefined) {
  const [base, setBase] = useState(from);
  const saved = useRef<Promise<Version<V>> | null>(null);
  return {
    base,
    setBase,
    savedAs: (values: V) => {
      setBase({ values, etag: null });
      saved.current = readAgain?.() ?? null;
      saved.current?.then(setBase, () => null);
    },
    latest: async () => (saved.current === null ? base : saved.current.catch(() => readAgain!())),
  };
}

/**
 * What the record has become, where somebody else changed a field that the version of the record says nothing about. Where a part
 * was saved and the rest was refused, what is found there is one's own: it goes on where it stopped.
 */
function useBeside<V extends Values, S>({ readAgain, beside = [] }: Options<V, S>) {
  const isHalfSaved = useRef(false);
  const moved = async (was: V, changes: Partial<V>): Promise<Version<V> | null> => {
    const sent = beside.filter((field) => field in changes);
    if (!readAgain || sent.length === 0 || isHalfSaved.current) return null;
    const now = await readAgain();
    const isMoved = (field: keyof V & string) =>
      !isSame(now.values[field], was[field]) && !isSame(now.values[field], changes[field]);
    return sent.some(isMoved) ? now : null;
  };
  return {
    moved,
    setHalfSaved: (is: boolean) => {
      isHalfSaved.current = is;
    },
  };
}

/** What was typed and not saved: kept while somebody types, and offered when they come back. */
function useDraft<V extends Values>(record: string, was: V) {
  const [draft, setDraft] = useState(() => readDraft(record));
  const keep = useDebouncedCallback((values: V) => {
    const isChanged = Object.keys(changedFields(was, values)).length > 0;
    if (isChanged) saveDraft(record, values);
    else dropDraft(record);
  }, DRAFT_MS);
  const settled = () => setDraft(null);
  const forget = () => {
    dropDraft(record);
    settled();
  };
  return { draft, keep, forget, settled };
}

/** Tells a fault at its field, unless it belongs to none. */
function isTold<V extends Values, S>(
  form: UseFormReturnType<V>,
  error: unknown,
  { paths, show }: Options<V, S>,
): boolean {
  const field = fieldOf(error, Object.keys(form.getValues()), paths);
  if (field === null) return false;
  show?.(field);
  form.setFieldError(field, errorWord(textOf, error));
  form.getInputNode(field)?.focus();
  return true;
}

/** One form for creating and editing: drafts, faults at their fields, only changes sent, nobody overwritten by accident. */
export function useRecordForm<V extends Values, S = unknown>(options: Options<V, S>): RecordForm<V> {
  const { record, from, validate, save, readAgain, onSaved, onEdit } = options;
  const { base, setBase, savedAs, latest } = useVersion(from, readAgain);
  const steps = useSteps();
  const { moved, setHalfSaved } = useBeside(options);
  const { draft, keep, forget, settled } = useDraft(record, base.values);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const [conflict, setConflict] = useState<Conflict<V> | null>(null);
  const form = useForm<V>({
    mode: "uncontrolled",
    initialValues: base.values,
    validateInputOnBlur: true,
    ...(validate && { validate }),
    onValuesChange: (values) => {
      keep(values);
      onEdit?.(values);
    },
  });

  const done = (values: V, answer: S | null) => {
    steps.forget();
    setHalfSaved(false);
    keep.cancel();
    forget();
    savedAs(values);
    onSaved(answer);
  };
  const ask = (theirs: Version<V>, was: V, yours: V) => {
    setHalfSaved(false);
    setConflict({ ...mergeEdits(was, theirs.values, yours), theirs });
  };
  const refuse = async (error: unknown, was: V, yours: V, isAgain: boolean) => {
    if (statusOf(error) === 412 && readAgain) {
      const theirs = await readAgain();
      // What was changed is nothing that this form holds: there is nothing to choose.
      return isSame(was, theirs.values) && !isAgain ? send(theirs, yours, true) : ask(theirs, was, yours);
    }
    setHalfSaved(steps.hasBegun());
    if (!isTold(form, error, options)) setFault(error);
  };
  const send = async (was: Version<V>, yours: V, isAgain = false): Promise<void> => {
    const changes = changedFields(was.values, yours);
    if (Object.keys(changes).length === 0) return done(yours, null);
    setBusy(true);
    setFault(null);
    try {
      const theirs = await moved(was.values, changes);
      if (theirs) return ask(theirs, was.values, yours);
      done(yours, await save(steps.send, changes, was.etag ? { ifMatch: was.etag } : {}));
    } catch (error) {
      await refuse(error, was.values, yours, isAgain).catch(setFault);
    } finally {
      setBusy(false);
    }
  };
  return {
    form,
    calls: () => callsOf((note) => save(note, changedFields(base.values, form.getValues()), {})),
    isBusy,
    fault,
    draft,
    conflict,
    submit: async (event) => {
      event?.preventDefault();
      const wrong = event?.currentTarget.querySelector<HTMLElement>("[data-wrong]");
      if (wrong) return tellWrong(wrong.querySelector<HTMLElement>("[contenteditable]") ?? wrong);
      const { hasErrors, errors } = form.validate();
      // Save is never grey: pressing it leads to what is missing.
      if (hasErrors) return form.getInputNode(Object.keys(errors)[0]!)?.focus();
      await latest().then((was) => send(was, form.getValues()), setFault);
    },
    restore: () => {
      if (draft) form.setValues(draft.values as Partial<V>);
      settled();
    },
    discard: forget,
    settle: async (how) => {
      if (!conflict) return;
      const { theirs, merged } = conflict;
      setConflict(null);
      if (how === "later") return;
      const values = how === "theirs" ? theirs.values : merged;
      setBase(theirs);
      form.setValues(values);
      await send(theirs, values);
    },
  };
}
