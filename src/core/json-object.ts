/** Whether a value of JSON is an object, and no list. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object, or list, that a text is in JSON; `undefined` for any other text, such as one that a crash cut. */
export function jsonObject<T extends object>(text: string): T | undefined {
  try {
    const value: T | null = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
