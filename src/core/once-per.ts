/**
 * A function that is asked once for each object, and keeps what it made as long as the object: rows and lists of a catalog
 * never change, and a refreshed catalog keeps those that are the same.
 */
export function oncePer<K extends object, T>(make: (of: K) => T): (of: K) => T {
  const made = new WeakMap<K, T>();
  return (of) => made.getOrInsertComputed(of, make);
}
