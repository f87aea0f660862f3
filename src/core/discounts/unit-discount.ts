import { Type } from "typebox";
import { Choice, Nullable } from "../shapes.ts";
import {
  defineDiscount,
  isGiven,
  LINE_STEPS,
  noGoods,
  requiredFault,
  type StepInput,
  type StepOf,
  valueOr,
  type With,
} from "./definition.ts";
import { Formula, Text, Units, type Values } from "./fields.ts";
import { limitUnits } from "./items.ts";
import { selectTargets, type Target } from "./targets.ts";
import { addMissingItems, addNewItems, addSameItems, goodsOf, isOf, type Replacement, replaceItems } from "./units.ts";

const unit = { unit_off: Units, unit_off_formula: Formula, unit_type: Text };
const sentUnit = {
  unit_off: Type.Optional(Units),
  unit_off_formula: Type.Optional(Formula),
  unit_type: Type.Optional(Text),
  effect: Type.Optional(Choice(["ADD_MISSING_ITEMS", "ADD_NEW_ITEMS"])),
};
const fields = {
  ...unit,
  units: Type.Array(Type.Object(sentUnit, { additionalProperties: true }), { minItems: 1, maxItems: 100 }),
};
const goodsShown = {
  product: Type.Optional(Type.Object({ id: Nullable(Type.String()), source_id: Text, name: Text })),
  sku: Type.Optional(Type.Object({ id: Nullable(Type.String()), source_id: Text, sku: Text })),
};

/** Free units of a product or SKU; with `ADD_MANY_ITEMS` those of `units`. */
type UnitOff = Values<typeof unit> & { effect?: string };
type UnitDiscount = With<typeof fields>;

const STEPS = {
  /** For each unit that is added or replaced, and for each line that is copied with it. */
  unit: 30,
  unit_line: 0.25,
  /** For each line in which a unit that is added is looked for. */
  searched_line: 0.3,
} as const;
const changeSteps = (changes: number, lines: number, perLine: number): number =>
  lines * LINE_STEPS.lines + changes * Math.ceil(STEPS.unit + lines * perLine);
const addSteps = ({ units }: UnitDiscount, lines: number): number =>
  changeSteps(units?.length ?? 1, lines, STEPS.unit_line + STEPS.searched_line);
const lineSteps = (_: UnitDiscount, lines: number): number => changeSteps(lines, lines, STEPS.unit_line);

const unitTypeIds = (units: readonly UnitOff[]): string[] => units.flatMap(({ unit_type }) => unit_type ?? []);

const countOf = ({ unit_off_formula, unit_off }: UnitOff, { formulas }: StepInput) =>
  valueOr(unit_off_formula, unit_off, formulas.count);

/** Adds the units of one product to a cart. `input` holds the cart from before the discount. */
function addUnit(order: StepInput["order"], of: UnitOff, input: StepInput) {
  const own = countOf(of, input);
  const unit_off = own.value * input.bundles;
  const off = { unitType: of.unit_type ?? "", count: unit_off };
  const add = of.effect === "ADD_NEW_ITEMS" ? addNewItems : addMissingItems;
  return { order: add(order, off, input.units), unit_off, is_dynamic: own.is_dynamic };
}

type Done = {
  result: Partial<UnitDiscount>;
  order: StepInput["order"];
  is_dynamic: boolean;
  targets?: readonly Target[];
  replacements?: readonly Replacement[];
};
const unitStep = (
  discount: UnitDiscount,
  effect: string,
  input: StepInput,
  { result, order, is_dynamic, targets = [], replacements = [] }: Done,
): StepOf<UnitDiscount> => ({
  order,
  discount: { ...discount, effect, ...result, ...goodsOf(discount.unit_type, input), is_dynamic },
  targets: targets.map((target) => ({ target, index: target.index, amount: 0, quantity: 0 })),
  replacements,
});

function addOne(discount: UnitDiscount, effect: string, input: StepInput): StepOf<UnitDiscount> {
  const { order, unit_off, is_dynamic } = addUnit(input.order, { ...discount, effect }, input);
  return unitStep(discount, effect, input, { result: { unit_off }, order, is_dynamic });
}

function addMany(discount: UnitDiscount, effect: string, input: StepInput): StepOf<UnitDiscount> {
  let [is_dynamic, order] = [false, input.order];
  const units = (discount.units ?? []).map((one) => {
    const added = addUnit(order, one, input);
    order = added.order;
    is_dynamic ||= added.is_dynamic;
    return { ...one, unit_off: added.unit_off, ...goodsOf(one.unit_type, input) };
  });
  return unitStep(discount, effect, input, { result: { units }, order, is_dynamic });
}

/** The lines that the discount is for, and how many of their units its limits leave. */
const targetsOf = ({ order, applicableTo, blocked, bundles, usedUnits }: StepInput): Target[] =>
  limitUnits(order, selectTargets(order, applicableTo, blocked), { unitLimitFactor: bundles, usedUnits });

function addSame(discount: UnitDiscount, effect: string, input: StepInput): StepOf<UnitDiscount> {
  const { order, bundles } = input;
  const { unit_type } = discount;
  const targets = targetsOf(input).filter(({ index }) => unit_type == null || isOf(order.items[index]!, unit_type));
  const own = countOf(discount, input);
  const unit_off = own.value * bundles;
  const grown = addSameItems(order, targets, unit_off);
  return unitStep(discount, effect, input, {
    result: { unit_off },
    order: grown,
    is_dynamic: own.is_dynamic,
    targets,
  });
}

function replace(discount: UnitDiscount, effect: string, input: StepInput): StepOf<UnitDiscount> {
  const [targets, own] = [targetsOf(input), countOf(discount, input)];
  const off = { unitType: discount.unit_type ?? "", count: own.value, units: input.units };
  const { order, details } = replaceItems(input.order, targets, off);
  return unitStep(discount, effect, input, {
    result: { unit_off: own.value },
    order,
    is_dynamic: own.is_dynamic,
    targets,
    replacements: details,
  });
}

function fault(discount: UnitDiscount, path: string): string | null {
  const { effect, units, unit_off, unit_off_formula, unit_type } = discount;
  if (effect === "ADD_MANY_ITEMS" || units)
    return units?.every((one) => one.unit_type && (one.unit_off != null || one.unit_off_formula))
      ? null
      : `Property ${path}.units must name unit_off and unit_type of each`;
  if (!isGiven(unit_off) && !isGiven(unit_off_formula)) return requiredFault("unit_off", path);
  return isGiven(unit_type) ? null : requiredFault("unit_type", path);
}

/** Units of several products are always `ADD_MANY_ITEMS`, and each of them has its own effect. */
function stored(discount: UnitDiscount): UnitDiscount {
  if (!discount.units) return discount;
  const units = discount.units.map(({ unit_off, unit_off_formula, unit_type, effect = "ADD_MISSING_ITEMS" }) => ({
    ...(unit_off != null && { unit_off }),
    ...(unit_off_formula && { unit_off_formula }),
    unit_type: unit_type!,
    effect,
  }));
  return { ...discount, effect: "ADD_MANY_ITEMS", units };
}

export const unitDiscount = defineDiscount({
  type: "UNIT",
  kind: "goods",
  value: "unit_off",
  fields,
  shown: {
    ...goodsShown,
    units: Type.Optional(Type.Array(Type.Object({ ...sentUnit, ...goodsShown }))),
  },
  effects: {
    ADD_MISSING_ITEMS: {
      takes_off: "the price of `unit_off` units of the product `unit_type`; units that are not in the cart are added",
      on: "goods",
      adds: (discount) => unitTypeIds([discount]),
      steps: addSteps,
      apply: addOne,
    },
    ADD_NEW_ITEMS: {
      takes_off: "the price of `unit_off` units of the product `unit_type`, which are always added",
      on: "goods",
      adds: (discount) => unitTypeIds([discount]),
      steps: addSteps,
      apply: addOne,
    },
    ADD_SAME_ITEMS: {
      takes_off:
        "for each line with a product of the collection `unit_type`: adds `unit_off` free units of the same product",
      on: "lines",
      adds: noGoods,
      steps: lineSteps,
      apply: addSame,
    },
    ADD_MANY_ITEMS: {
      takes_off: "free units of several products: each entry of `units` has its `unit_off`, `unit_type` and `effect`",
      on: "goods",
      adds: ({ units = [] }) => unitTypeIds(units),
      steps: addSteps,
      apply: addMany,
    },
    REPLACE_ITEMS: {
      takes_off:
        "replaces units by `unit_off` units of the product `unit_type`; they cost no more than the replaced units",
      on: "lines",
      adds: (discount) => unitTypeIds([discount]),
      steps: lineSteps,
      apply: replace,
    },
  },
  defaultEffect: ({ units }) => (units ? "ADD_MANY_ITEMS" : "ADD_MISSING_ITEMS"),
  fault,
  stored,
  goods: (discount) => unitTypeIds([discount, ...(discount.units ?? [])]),
  examples: [
    {
      note: "one of the two mugs in the cart is free",
      discount: { type: "UNIT", unit_off: 1, unit_type: "mug" },
      off: 1200,
      lines: [
        [2, 1200],
        [1, 0],
      ],
      explained: ["items[0]: 0 units added, 12.00 off"],
    },
    {
      discount: { type: "UNIT", unit_off: 3, unit_type: "mug", effect: "ADD_MISSING_ITEMS" },
      off: 3600,
      lines: [
        [3, 3600],
        [1, 0],
      ],
      explained: ["items[0]: 1 units added, 36.00 off"],
    },
    {
      discount: { type: "UNIT", unit_off: 1, unit_type: "mug", effect: "ADD_NEW_ITEMS" },
      off: 1200,
      lines: [
        [3, 1200],
        [1, 0],
      ],
      explained: ["items[0]: 1 units added, 12.00 off"],
    },
    {
      discount: { type: "UNIT", unit_off: 1, unit_type: "pc_cups", effect: "ADD_SAME_ITEMS" },
      off: 1200,
      lines: [
        [3, 1200],
        [1, 0],
      ],
      explained: ["items[0]: 1 units added, 12.00 off"],
    },
    {
      discount: {
        type: "UNIT",
        units: [
          { unit_off: 1, unit_type: "mug" },
          { unit_off: 2, unit_type: "cap", effect: "ADD_NEW_ITEMS" },
        ],
        effect: "ADD_MANY_ITEMS",
      },
      catalogue: { cap: 900 },
      off: 3000,
      lines: [
        [2, 1200],
        [1, 0],
        [2, 1800],
      ],
      explained: ["items[0]: 0 units added, 12.00 off", "items[2]: 2 units added, 18.00 off"],
    },
    {
      discount: { type: "UNIT", unit_off: 1, unit_type: "tee", effect: "REPLACE_ITEMS" },
      included: [{ object: "product", id: "mug" }],
      off: 1600,
      lines: [
        [0, 0],
        [3, 1600],
      ],
      explained: ["items[0]: 2 units taken away, 0.00 off", "items[1]: 2 units added, 16.00 off"],
    },
  ],
});
