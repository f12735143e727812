/** An object without the members that are `undefined`: they are absent. */
type Defined<T> = {
  [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name];
} & { [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined> };

/** The members that are not `undefined`. */
export function defined<const T extends object>(members: T): Defined<T> {
  const all: readonly [string, unknown][] = Object.entries(members);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as Defined<T>;
}
