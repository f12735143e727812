/**
 * A request path in the form of the cloud in China, which has no `:/dir/name:` but `children('name')`. Items are read
 * by their path in the query, as only that can have several names.
 */
export function quoteNames(method: string, to: string): string {
  const [, item, path = '', action = '', query = ''] = FORM.exec(to) ?? [];
  if (item === undefined) return to;
  const quoted = path.replaceAll('%27', '%27%27');
  if (method === 'GET' && action === '') {
    return `${item}/children('@a1')?@a1=%27${quoted.replaceAll('/', '%2F')}%27`;
  }
  const names = quoted.split('/').map((name) => `/children('${name}')`);
  return `${item}${names.join('')}${action}${query}`;
}

/** What `requestPath` makes of an item, a path below it, and an action, with a query. */
const FORM = /^(\/drives\/[^:?]+):\/([^:?]+)(?::([^?]*))?(\?.*)?$/;
