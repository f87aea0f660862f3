import { Button, Group, TextInput } from "@mantine/core";
import { IconGripVertical } from "@tabler/icons-react";
import { useState } from "react";
import {
  type Category,
  createCategory,
  createStackingRules,
  deleteCategory,
  listCampaigns,
  type StackingRules,
  updateCategory,
  updateStackingRules,
} from "../../api/operations.gen.ts";
import { send } from "../../api/send.ts";
import { useCan, useProject } from "../../api/session.ts";
import { confirm } from "../../kit/confirm/confirm.ts";
import { known } from "../../kit/confirm/known.ts";
import { Select } from "../../kit/later/fields.ts";
import { MoveButtons } from "../../kit/order/move-buttons.tsx";
import { moved } from "../../kit/order/places.ts";
import { useOrder } from "../../kit/order/use-order.ts";
import { Can } from "../../kit/page/can.tsx";
import { MoreMenu } from "../../kit/page/more-menu.tsx";
import { useAct } from "../../kit/undo/use-act.ts";
import { useText } from "../../text/text.ts";
import { type Group as GroupName, groupOf } from "./combine.ts";
import classes from "./stacking.module.css";

const GROUPS: readonly GroupName[] = ["common", "joint", "exclusive"];

/** Puts categories in an order. */
const useCategoryOrder = (categories: readonly Category[]) =>
  useOrder(categories, updateCategory, (categoryId, hierarchy) =>
    send(updateCategory, { categoryId }, { body: { hierarchy } }),
  );

function GroupSelect({ category, rules }: { category: Category; rules: StackingRules }) {
  const t = useText();
  const can = useCan();
  const { id: projectId } = useProject();
  const update = useAct(updateStackingRules);
  const create = useAct(createStackingRules);
  const now = groupOf(category.id, rules);
  if (!can("updateStackingRules")) return t(`stacking.group.${now}`);
  const write = (body: Pick<StackingRules, "exclusive_categories" | "joint_categories">, done?: string) => {
    const undo = () =>
      write({ exclusive_categories: rules.exclusive_categories, joint_categories: rules.joint_categories });
    return rules.id === undefined
      ? create.run({ params: { projectId }, body }, done)
      : update.run(
          { params: { projectId, stackingRulesId: rules.id }, body },
          done,
          done === undefined ? undefined : undo,
        );
  };
  const change = (group: GroupName) => {
    const without = (ids: readonly string[]) => ids.filter((id) => id !== category.id);
    const withIt = (ids: readonly string[], name: GroupName) => [
      ...without(ids),
      ...(group === name ? [category.id] : []),
    ];
    const body = {
      exclusive_categories: withIt(rules.exclusive_categories, "exclusive"),
      joint_categories: withIt(rules.joint_categories, "joint"),
    };
    return write(body, t("stacking.grouped", { name: category.name, group: t(`stacking.group.${group}`) }));
  };
  return (
    <Select
      size="xs"
      w={130}
      aria-label={t("stacking.groupOf", { name: category.name })}
      data={GROUPS.map((value) => ({ value, label: t(`stacking.group.${value}`) }))}
      value={now}
      allowDeselect={false}
      onChange={(group) => group && group !== now && void change(group as GroupName)}
    />
  );
}

function CategoryMenu({ category }: { category: Category }) {
  const t = useText();
  const remove = useAct(deleteCategory);
  const ask = async () => {
    const act = t("stacking.delete", { name: category.name });
    const filters = { category_ids: { conditions: { $is: [category.id] } } };
    const used = await known(send(listCampaigns, { filters, limit: 1 }));
    const says = [used && t("stacking.deleteCount", { count: used.total }), t("stacking.deleteSays")];
    if (await confirm({ title: act, says: says.filter(Boolean).join(" "), act, isDangerous: true }))
      await remove.run(
        { params: { categoryId: category.id, remove_from_stacking_rules: true } },
        t("stacking.deleted"),
      );
  };
  return (
    <MoreMenu
      items={[
        {
          text: t("stacking.delete", { name: category.name }),
          can: "deleteCategory",
          run: () => void ask(),
          isDangerous: true,
        },
      ]}
    />
  );
}

function NewCategory({ place }: { place: number }) {
  const t = useText();
  const create = useAct(createCategory);
  const [name, setName] = useState("");
  const [isMissing, setMissing] = useState(false);
  const add = async () => {
    setMissing(name.trim() === "");
    if (name.trim() === "") return;
    if (await create.run({ params: {}, body: { name: name.trim(), hierarchy: place } }, t("stacking.added")))
      setName("");
  };
  return (
    <Can do="createCategory">
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <Group mt="md" gap="sm" align="flex-start">
          <TextInput
            aria-label={t("stacking.newName")}
            placeholder={t("stacking.newName")}
            value={name}
            error={isMissing ? t("kit.form.required") : null}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={create.isPending}>
            {t("stacking.add")}
          </Button>
        </Group>
      </form>
    </Can>
  );
}

/** The order of categories, by dragging or with the arrows. */
export function Categories({ categories, rules }: { categories: readonly Category[]; rules: StackingRules }) {
  const can = useCan()("updateCategory");
  const { ids, order } = useCategoryOrder(categories);
  const [dragged, setDragged] = useState<string | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const byId = new Map(categories.map((one) => [one.id, one]));
  const drop = (to: number) => {
    if (dragged !== null) void order(moved(ids, dragged, to));
    setDragged(null);
    setOver(null);
  };
  return (
    <>
      <ol className={classes.list}>
        {ids.flatMap((id, place) => {
          const category = byId.get(id);
          if (!category) return [];
          const { name } = category;
          return (
            <li
              key={id}
              className={classes.row}
              draggable={can}
              data-over={over === place || undefined}
              onDragStart={() => setDragged(id)}
              onDragOver={(event) => {
                event.preventDefault();
                setOver(place);
              }}
              onDragEnd={() => setOver(null)}
              onDrop={() => drop(place)}
            >
              {can && (
                <span className={classes.grip} aria-hidden>
                  <IconGripVertical size={16} />
                </span>
              )}
              <span className={classes.place}>{place + 1}</span>
              <span className={classes.name}>{name}</span>
              <GroupSelect category={category} rules={rules} />
              {can && <MoveButtons of={{ ids, order }} id={id} name={name} />}
              <CategoryMenu category={category} />
            </li>
          );
        })}
      </ol>
      <NewCategory place={categories.length} />
    </>
  );
}
