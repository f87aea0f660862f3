/** A number for a question; null where it cannot be read: the question is asked all the same. */
export const known = <T>(read: Promise<T>): Promise<T | null> => read.catch(() => null);
