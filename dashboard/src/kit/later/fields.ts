import type { MultiSelectProps, NumberInputProps, SelectProps, TagsInputProps } from "@mantine/core";
import { later } from "./later.tsx";

// In place of the fields of the same names of Mantine, which bring much with them.
export const Select = later<SelectProps>(() => import("./mantine-select.ts"));
export const MultiSelect = later<MultiSelectProps>(() => import("./mantine-multi-select.ts"));
export const NumberInput = later<NumberInputProps>(() => import("./mantine-number-input.ts"));
export const TagsInput = later<TagsInputProps>(() => import("./mantine-tags-input.ts"));
