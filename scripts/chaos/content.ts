const made = new Map<string, Buffer>();

/** Bytes that differ at every place, and from those of every other id. */
export function contentOf(size: number, id: number): Buffer {
  const name = contentName(size, id);
  const known = made.get(name);
  if (known !== undefined) return known;
  const words = new Uint32Array(Math.ceil(size / 4));
  let state = (id + 1) * 0x9e3779b1;
  for (let i = 0; i < words.length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[i] = state;
  }
  const bytes = Buffer.from(words.buffer, 0, size);
  if (size > 0) bytes[0] = id;
  if (made.size > 300) made.clear();
  made.set(name, bytes);
  return bytes;
}

/** What a content is called: all empty ones are the same. */
export function contentName(size: number, id: number): string {
  return size === 0 ? '0' : `${size}:${id}`;
}

/** The name of a content that was found; `wrong` where no `contentOf` gives it. */
export function nameOfContent(bytes: Buffer): string {
  const [id = 0] = bytes;
  if (bytes.equals(contentOf(bytes.length, id))) return contentName(bytes.length, id);
  return `wrong(${bytes.length} bytes)`;
}

/** The size in the name of a content. */
export function sizeOfContent(name: string): number {
  return Number.parseInt(name.replace('wrong(', ''), 10);
}
