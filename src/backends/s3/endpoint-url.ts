/** The URL of an endpoint, which may be a host alone; `undefined` for what is none. Without a scheme it is https. */
export function parseUrl(text: string): URL | undefined {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (url === null || url.hostname === '') return undefined;
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : undefined;
}
