const QUOTE = 0x22;

/** An ETag without the quotes of most servers and clients, and without the mark of a weak one. */
export function bareEtag(given: string): string {
  const etag = given.startsWith('W/') ? given.slice(2) : given;
  const last = etag.length - 1;
  const isQuoted = last > 0 && etag.charCodeAt(0) === QUOTE && etag.charCodeAt(last) === QUOTE;
  return isQuoted ? etag.slice(1, -1) : etag;
}
