type Page<R> = {
  data: R[];
  more_starting_after?: string | null;
  cursor?: { next: string } | null;
};

/** All rows of a list, page by page. `at` is what the next page is asked with: the last row, or a cursor. */
export async function walk<R>(ask: (at: string | undefined) => Promise<Page<R>>): Promise<R[]> {
  const all: R[] = [];
  let at: string | undefined;
  do {
    const { data, more_starting_after, cursor } = await ask(at);
    all.push(...data);
    at = more_starting_after ?? cursor?.next ?? undefined;
  } while (at !== undefined);
  return all;
}
