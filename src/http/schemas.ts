import { type Static, type TSchema, Type } from "typebox";
import { LIST_OPERATORS, LIST_STATES } from "../core/filters/filter.ts";
import { FILTER_OPERATORS } from "../core/filters/registry.ts";
import { orderFields } from "../core/order/schema.ts";
import {
  Cents,
  CheckedLater,
  Choice,
  FreeMap,
  Metadata,
  Nullable,
  open,
  optional,
  type Props,
  strict,
} from "../core/shapes.ts";

export { Cents, CheckedLater, Choice, FreeMap, Metadata, Nullable, open, optional, type Props, strict };

export const DateTime = Type.Unsafe<string>({ type: "string", format: "date-time" });
/** What a query takes as a date: a day or an instant. */
export const DateOrDateTime = Type.Unsafe<string>({ type: "string", format: "date-or-date-time" });
export const Id = Type.String({ minLength: 1, maxLength: 200 });
/** Money in 1/100 of the major unit, or points. */
export const Amount = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
/** The answer of an operation that has none. */
export const Empty = Type.Null();

const Scalar = { type: ["string", "number", "boolean"] };
/** One value or several. */
const Values = Type.Unsafe<unknown>({ anyOf: [Scalar, { type: "array", items: Scalar }] });
const conditionsOf = (title: string, operators: readonly string[]) =>
  strict(optional(Object.fromEntries(operators.map((operator) => [operator, Values]))), { title });
/**
 * Fields by their names, each with conditions, and how they are combined. TypeScript has no type for "all other keys", so
 * the junction is no property of its own.
 */
const filterOf = (field: TSchema, junctions: readonly string[], said: { description: string; title?: string }) => ({
  type: "object",
  additionalProperties: { anyOf: [field, Choice(junctions, { description: "The value of `junction`." })] },
  ...said,
});

/** Which customers or products belong to a segment or collection. Fields of metadata have names of your own. */
const FILTER = {
  title: "FilterConditions",
  description: "`{ junction, <field>: { conditions: { <operator>: <values> } } }`; the junction is `and` or `or`.",
};
export const FilterConditions = CheckedLater<Record<string, unknown>>(
  { type: "object", additionalProperties: true, ...FILTER },
  filterOf(
    open({
      conditions: conditionsOf(
        "Conditions",
        FILTER_OPERATORS.map(({ name }) => name),
      ),
    }),
    ["and", "or"],
    FILTER,
  ),
);
/** Which rows of a list: `filters[<field>][conditions][<operator>]=<value>`, combined by `filters[junction]`. */
export const Filters = CheckedLater<Record<string, unknown>>(
  { type: "object", additionalProperties: true },
  filterOf(
    open(
      optional({
        conditions: conditionsOf("ListConditions", [...LIST_OPERATORS, ...LIST_STATES]),
        before: { ...DateOrDateTime, description: "The short form of `$before`, on dates." },
        after: { ...DateOrDateTime, description: "The short form of `$after`, on dates." },
        ...Object.fromEntries(LIST_STATES.map((state) => [state, Values])),
      }),
      { title: "ListFilter" },
    ),
    ["and", "or", "AND", "OR"],
    { description: "`filters[<field>][conditions][<operator>]=<value>`; `filters[junction]` is `and` or `or`." },
  ),
);
/** `created_at[before]` and `created_at[after]`; both are exclusive. */
export const DateRange = Type.Object({
  before: Type.Optional(DateOrDateTime),
  after: Type.Optional(DateOrDateTime),
});

/** What a v2 list takes; `filters` is one of `more`. One order is as good as a list of them. */
export const CursorQuery = <P extends Props>(sortable: readonly string[], more: P = {} as P) =>
  strict({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: "Rows on a page; 10 unless told. A page of very large rows has fewer.",
      }),
    ),
    order: Type.Optional(
      Type.Array(
        Choice(
          sortable.flatMap((column) => [column, `-${column}`]),
          { description: "A leading dash means descending." },
        ),
        { minItems: 1, maxItems: 10 },
      ),
    ),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100_000, description: "`cursor.next` of the page before." }),
    ),
    ...more,
  });

export const PageQuery = <P extends Props>(sortable: readonly string[], more: P = {} as P) =>
  Type.Object({
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Rows on a page." })),
    page: Type.Optional(Type.Integer({ minimum: 1, maximum: 99, description: "The page, counted from 1." })),
    order: Type.Optional(
      Choice(
        sortable.flatMap((column) => [column, `-${column}`]),
        { description: "A leading dash means descending." },
      ),
    ),
    ...more,
  });

/** The v1 list: the name of its array stands in `data_ref`. */
export const listOf = <S extends TSchema, R extends string = "data">(item: S, ref: R = "data" as R) =>
  Type.Object({
    object: Type.Literal("list"),
    data_ref: Type.Literal(ref),
    [ref]: Type.Array(item),
    total: Type.Integer({ minimum: 0 }),
  } as {
    object: ReturnType<typeof Type.Literal<"list">>;
    data_ref: ReturnType<typeof Type.Literal<R>>;
    total: ReturnType<typeof Type.Integer>;
  } & Record<R, ReturnType<typeof Type.Array<S>>>);

/** The v2 list: pages by cursor, without a total. */
export const cursorListOf = <S extends TSchema>(item: S) =>
  Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(item),
    cursor: Nullable(Type.Object({ next: Type.String(), expires_at: DateTime })),
  });

/** What was true after something happened. The type of the event says which fields there are. */
export const ActivityData = FreeMap("ActivityData", "What was true afterwards; the fields depend on the type.");
/** What happened to one object of a loyalty program; `field` names it, `data` is what it was afterwards. */
export const activityListOf = <F extends string>(field: F) =>
  cursorListOf(
    Type.Unsafe<
      { id: string; type: string; data: Record<string, unknown>; created_at: string; group_id: string } & Record<
        F,
        string
      >
    >(
      Type.Object({
        id: Type.String(),
        [field]: Type.String(),
        type: Type.String(),
        data: ActivityData,
        created_at: DateTime,
        group_id: Type.String({ description: "The request that caused it." }),
      }),
    ),
  );
export const ActivityQuery = CursorQuery(["created_at"], { filters: Type.Optional(Filters) });

/** The columns of a plain table: the fields of its schema, less the constant `object`, plus the tenant. */
export const columnsOf = (schema: { properties: object }) => [
  "project_id",
  ...Object.keys(schema.properties).filter((key) => key !== "object"),
];

const text = (maxLength: number) => Nullable(Type.String({ maxLength }));
const Day = Nullable(Type.Unsafe<string>({ type: "string", format: "date" }));
const addressFields = {
  city: text(500),
  state: text(500),
  line_1: text(500),
  line_2: text(500),
  country: text(500),
  postal_code: text(500),
};
/** What a caller may say of a customer, wherever a body has one. What is left out stays as it is, null takes it away. */
export const customerFields = {
  name: text(500),
  description: text(2000),
  email: text(500),
  phone: text(100),
  birthdate: Day,
  birthday: Day,
  address: Nullable(open(optional(addressFields), { title: "Address" })),
  country: text(500),
  metadata: Metadata,
};
/** A customer in a body: known by its id, or by its source id; without either it is a new one. */
export const CustomerInBody = open(
  optional({ id: Nullable(Id), source_id: Nullable(Type.String({ minLength: 1, maxLength: 500 })), ...customerFields }),
  { title: "CustomerInBody" },
);
export type CustomerInBody = Static<typeof CustomerInBody>;

/** The same, or just the id or source id of one who is known. */
export const CustomerOrReference = Type.Unsafe<CustomerInBody | string | null>(
  Type.Union([CustomerInBody, Type.String({ minLength: 1, maxLength: 500 }), Type.Null()]),
);

/** Who asks, about which cart: in every body that asks what applies to a cart. */
export const cartFields = {
  customer: Type.Optional(CustomerOrReference),
  order: Type.Optional(
    Nullable(
      open(optional({ ...orderFields, referrer: CustomerOrReference, referrer_id: Nullable(Id) }), {
        title: "OrderInBody",
      }),
    ),
  ),
  tracking_id: Type.Optional(Nullable(Type.String({ maxLength: 500, description: "The source id of the customer." }))),
  metadata: Type.Optional(Nullable(Metadata)),
};
