const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Most names come as they shall be. */
const CANONICAL = /^[A-Z0-9][a-z0-9]*(?:-[A-Z0-9][a-z0-9]*)*$/;

/** Whether this may be the name of a header. */
export function isHeaderName(name: string): boolean {
  return TOKEN.test(name);
}

/** A header's name as Go writes it: `x-one-TWO` is `X-One-Two`. A text that is no header name stays as it is. */
export function canonicalHeaderName(name: string): string {
  if (CANONICAL.test(name)) return name;
  if (!TOKEN.test(name)) return name;
  return name
    .toLowerCase()
    .replace(/(^|-)([a-z])/g, (_, dash, letter) => dash + letter.toUpperCase());
}
