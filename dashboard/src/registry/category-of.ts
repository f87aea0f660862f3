/** The category of a record that has at most one, as the field shows it. */
export const categoryOf = (id: string | null | undefined, categories: readonly { id: string; name: string }[] = []) =>
  id ? { value: id, label: categories.find((one) => one.id === id)?.name ?? id } : null;
