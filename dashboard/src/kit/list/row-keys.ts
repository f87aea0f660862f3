// Rows are reached by the link in them, so that Enter opens one as it opens every link, and a screen reader follows.

const links = () => [...document.querySelectorAll<HTMLElement>("[data-row] [data-opens]")];

/** Moves the focus down or up the rows; from elsewhere it goes to the first one. */
export function moveRow(by: 1 | -1): void {
  const all = links();
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? 0 : Math.max(0, Math.min(all.length - 1, at + by));
  all[next]?.focus();
}

/** Selects the row that has the focus, or takes it out. */
export function toggleRow(): void {
  document.activeElement?.closest("[data-row]")?.querySelector<HTMLElement>("input[type=checkbox]")?.click();
}

/** The address that the row with the focus opens; null: no row has it. */
export function openedRow(): string | null {
  const row = document.activeElement?.closest("[data-row]");
  const link = row?.querySelector<HTMLAnchorElement>("a[data-opens]");
  return link ? link.pathname : null;
}
